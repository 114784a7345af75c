// The catalogues on a real server: valid data has no offender, and what is not valid is counted and
// named. Corruptions of single rows are in corruptions_test.cpp.

#include "workload/tpcc/postgres/check/check.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/postgres/check/checked_database_test.h"

namespace drover::tpcc::postgres {
namespace {

using Data = CheckedDatabase::Data;

void expect_valid(Money money, int first, int last) {
  CheckedDatabase::instance().use(Data::fresh);
  for (const SqlCondition& condition : catalogue_of(Data::fresh, money))
    for (const FoundOffender& offender : CheckedDatabase::instance().run(condition, first, last))
      ADD_FAILURE() << condition.rule.name << ", " << condition.rule.title << ": " << offender;
}

TEST(Conditions, AreNumberedAndNamedOnce) {
  std::set<std::string> names;
  std::vector<int> numbers;
  for (const SqlCondition& condition : catalogue_of(Data::fresh, Money::exact)) {
    EXPECT_TRUE(names.insert(condition.rule.name).second) << condition.rule.name;
    EXPECT_FALSE(condition.rule.title.empty()) << condition.rule.name;
    EXPECT_FALSE(condition.rule.clause.empty()) << condition.rule.name;
    if (condition.rule.number != 0) numbers.push_back(condition.rule.number);
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(CheckCatalogue, IsAnsweredByPostgres) {
  const std::vector<SqlCondition> answers = conditions(Money::exact);
  ASSERT_EQ(answers.size(), catalogue().size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].rule.name, catalogue()[i].name);
    EXPECT_FALSE(answers[i].sql.empty()) << answers[i].rule.name;
  }
}

// Of both warehouses: Corruptions.AreNotFoundWhereThereAreNone.
TEST(Conditions, HoldOnAValidWarehouseAmongOthers) {
  expect_valid(Money::exact, 2, 2);
}

TEST(Conditions, HoldOnTheTypesOfOtherTools) {
  const UndoneTransaction undo(Data::fresh);
  CheckedDatabase::instance().execute(R"(
    ALTER TABLE warehouse ALTER w_ytd TYPE float8, ALTER w_tax TYPE float4, ALTER w_id TYPE bigint;
    ALTER TABLE district ALTER d_ytd TYPE float8, ALTER d_w_id TYPE bigint, ALTER d_tax TYPE float8;
    ALTER TABLE customer ALTER c_balance TYPE float8, ALTER c_ytd_payment TYPE float8,
      ALTER c_credit_lim TYPE float8, ALTER c_discount TYPE float8, ALTER c_id TYPE bigint,
      ALTER c_middle TYPE text, ALTER c_zip TYPE varchar(9), ALTER c_last TYPE char(16);
    ALTER TABLE history ALTER h_amount TYPE float8, ALTER h_c_id TYPE bigint;
    ALTER TABLE oorder ALTER o_id TYPE bigint, ALTER o_ol_cnt TYPE numeric(2, 0),
      ALTER o_all_local TYPE boolean USING o_all_local = 1;
    ALTER TABLE order_line ALTER ol_amount TYPE float8, ALTER ol_quantity TYPE numeric(2, 0);
    ALTER TABLE item ALTER i_price TYPE float8, ALTER i_id TYPE bigint;
    ALTER TABLE stock ALTER s_w_id TYPE bigint, ALTER s_ytd TYPE float8;
    -- The sum of three payments of 0.1 is not 0.3 in binary: it is, to the cent.
    UPDATE history SET h_amount = h_amount + 0.1 WHERE h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id < 4;
    UPDATE district SET d_ytd = d_ytd + 0.1 + 0.1 + 0.1 WHERE d_w_id = 1 AND d_id = 1;
    UPDATE warehouse SET w_ytd = w_ytd + 0.3 WHERE w_id = 1;
    UPDATE customer SET c_balance = c_balance - 0.1, c_ytd_payment = c_ytd_payment + 0.1
      WHERE c_w_id = 1 AND c_d_id = 1 AND c_id < 4)");
  for (const SqlCondition& condition : conditions(Money::floating)) {
    if (condition.rule.number == 0) continue;
    for (const FoundOffender& offender : CheckedDatabase::instance().run(condition, 1, 2))
      ADD_FAILURE() << condition.rule.name << ": " << offender;
  }
  expect_valid(Money::floating, 2, 2);
}

TEST(Conditions, FindAWarehouseThatIsNotThere) {
  CheckedDatabase::instance().use(Data::fresh);
  for (const SqlCondition& condition : catalogue_of(Data::fresh, Money::exact)) {
    const auto offenders = CheckedDatabase::instance().run(condition, 3, 3);
    const std::set<std::string> must_find = {
        "1",          "2",          "4", "8", "9", "11", "district.rows", "customer.rows",
        "stock.rows", "oorder.rows"};
    if (must_find.contains(condition.rule.name)) {
      ASSERT_FALSE(offenders.empty()) << condition.rule.name;
      EXPECT_NE(offenders.front().key.find("w_id=3"), std::string::npos) << offenders.front();
    }
  }
}

TEST(Conditions, CountAllOffendersAndReturnSomeInOrder) {
  const UndoneTransaction undo(Data::fresh);
  CheckedDatabase::instance().execute(
      "UPDATE oorder SET o_carrier_id = NULL WHERE o_w_id = 2 AND o_id < 13");
  const auto offenders = CheckedDatabase::instance().run(sql_condition_named("5"), 1, 2, 2);
  ASSERT_EQ(offenders.size(), 2U);
  EXPECT_EQ(offenders[0].count, 120);
  EXPECT_EQ(offenders[0].key, "w_id=2 d_id=1 o_id=1");
  EXPECT_EQ(offenders[0].expected, "o_carrier_id set, as there is no row of new_order");
  EXPECT_EQ(offenders[0].found, "o_carrier_id = null");
  EXPECT_EQ(offenders[1].key, "w_id=2 d_id=1 o_id=2");
}

// The report says which part is wrong of what is written together.
TEST(Conditions, NameWhatIsWrongOfAnOrder) {
  const UndoneTransaction undo(Data::fresh);
  CheckedDatabase& database = CheckedDatabase::instance();
  database.execute(
      "UPDATE oorder SET o_ol_cnt = 5, o_all_local = 0 WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = "
      "3;"
      "DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 AND "
      "(ol_number = 4 OR ol_number > 5)");
  const auto offenders = database.run(sql_condition_named("order.lines"), 1, 2);
  ASSERT_EQ(offenders.size(), 2U);
  EXPECT_EQ(offenders[0].key, "w_id=1 d_id=2 o_id=3 ol_number");
  EXPECT_EQ(offenders[0].expected, "1..5, each once");
  EXPECT_EQ(offenders[0].found, "4 rows with the numbers 1 2 3 5");
  EXPECT_EQ(offenders[1].key, "w_id=1 d_id=2 o_id=3 o_all_local");
  EXPECT_EQ(offenders[1].expected, "1, as every ol_supply_w_id = o_w_id");
  EXPECT_EQ(offenders[1].found, "0");

  database.execute("DELETE FROM oorder WHERE o_w_id = 2 AND o_d_id = 1 AND o_id IN (7, 8, 3000)");
  const auto gaps = database.run(sql_condition_named("oorder.keys"), 1, 2);
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].key, "o_w_id=2 o_d_id=1 o_id=7");
  EXPECT_EQ(gaps[0].expected, "1 row of oorder");
  EXPECT_EQ(gaps[0].found, "none up to o_id=8");
  EXPECT_EQ(gaps[1].key, "o_w_id=2 o_d_id=1 o_id=3000");
}

// Deliveries and payments as the transactions make them, by SQL: the conditions hold on data that
// is no longer fresh, with negative balances, new lines and remote stock.
TEST(Conditions, HoldAfterTransactions) {
  const UndoneTransaction undo(Data::fresh);
  CheckedDatabase::instance().execute(R"(
    UPDATE warehouse SET w_ytd = w_ytd + 4999.99 WHERE w_id = 1;
    UPDATE district SET d_ytd = d_ytd + 4999.99 WHERE d_w_id = 1 AND d_id = 4;
    UPDATE customer SET c_balance = c_balance - 4999.99, c_ytd_payment = c_ytd_payment + 4999.99,
        c_payment_cnt = 2, c_credit = 'BC', c_data = '  77  5   2  4   1 $4999.99|' || c_data
      WHERE c_w_id = 2 AND c_d_id = 5 AND c_id = 77;
    INSERT INTO history VALUES (77, 5, 2, 4, 1, now(), 4999.99, 'Name1xyz    Dist4xyz');
    DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 3 AND no_o_id = 2101;
    UPDATE oorder SET o_carrier_id = 7 WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 2101;
    UPDATE order_line SET ol_delivery_d = now()
      WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 2101;
    UPDATE customer SET c_delivery_cnt = 1, c_balance = c_balance +
        (SELECT sum(ol_amount) FROM order_line
         WHERE ol_w_id = 1 AND ol_d_id = 3 AND ol_o_id = 2101)
      WHERE c_w_id = 1 AND c_d_id = 3
        AND c_id = (SELECT o_c_id FROM oorder WHERE o_w_id = 1 AND o_d_id = 3 AND o_id = 2101);
    UPDATE district SET d_next_o_id = 3002 WHERE d_w_id = 2 AND d_id = 1;
    INSERT INTO oorder VALUES (2, 1, 3001, 5, NULL, 5, 0, now());
    INSERT INTO new_order VALUES (2, 1, 3001);
    INSERT INTO order_line SELECT 2, 1, 3001, n, n, NULL, 3 * i_price,
        CASE n WHEN 4 THEN 1 ELSE 2 END, 3, 'abcdefghijklmnopqrstuvwx'
      FROM generate_series(1, 5) n JOIN item ON i_id = n;
    UPDATE stock SET s_ytd = 3, s_order_cnt = 1 WHERE s_w_id = 2 AND s_i_id IN (1, 2, 3, 5);
    UPDATE stock SET s_ytd = 3, s_order_cnt = 1, s_remote_cnt = 1 WHERE s_w_id = 1 AND s_i_id = 4;
    -- A district of which everything is delivered has no row of new_order: conditions 2 and 3 hold.
    DELETE FROM new_order WHERE no_w_id = 2 AND no_d_id = 10)");
  for (const SqlCondition& condition : catalogue_of(Data::used, Money::exact)) {
    if (condition.rule.name == "5") continue;  // The carriers of that district are left out.
    for (const FoundOffender& offender : CheckedDatabase::instance().run(condition, 1, 2))
      ADD_FAILURE() << condition.rule.name << ": " << offender;
  }
}

void expect_found(const std::string& sql, const std::string& condition, const std::string& key,
                  int count) {
  SCOPED_TRACE(sql + " / " + condition);
  const UndoneTransaction undo(Data::fresh);
  CheckedDatabase::instance().execute(sql);
  const auto offenders = CheckedDatabase::instance().run(sql_condition_named(condition), 1, 2);
  ASSERT_FALSE(offenders.empty());
  EXPECT_EQ(offenders.front().key, key) << offenders.front();
  EXPECT_EQ(offenders.front().count, count) << offenders.front();
}

TEST(Conditions, FindSharesAndMeansThatNoChanceExplains) {
  expect_found(
      "UPDATE item SET i_data = replace(i_data, 'ORIGINAL', 'original') WHERE i_id < 10000",
      "item.original", "item", 1);
  expect_found(
      "UPDATE stock SET s_data = left(s_data, 42) || 'ORIGINAL' WHERE s_w_id = 2 "
      "AND s_i_id < 1000",
      "stock.original", "w_id=2", 1);
  expect_found("UPDATE customer SET c_credit = 'GC' WHERE c_w_id = 1 AND c_id < 500",
               "customer.credit", "w_id=1", 1);
  expect_found("UPDATE item SET i_price = 1 + (i_price - 1) * 0.95", "i_price.mean", "item", 1);
  expect_found("UPDATE stock SET s_quantity = 10 WHERE s_w_id = 2 AND s_i_id < 3000",
               "s_quantity.mean", "w_id=2", 1);
  expect_found("UPDATE oorder SET o_ol_cnt = 10 WHERE o_w_id = 1 AND o_ol_cnt = 15",
               "o_ol_cnt.mean", "w_id=1", 1);
}

}  // namespace
}  // namespace drover::tpcc::postgres
