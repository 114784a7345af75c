// The catalogues on a real server: valid data has no offender, and of each of many corruptions of
// single rows the named condition finds exactly the row, by its key.

#include "tpcc/postgres/conditions.h"

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/test_server.h"
#include "tpcc/postgres/population_rules.h"

namespace drover::tpcc::postgres {
namespace {

struct ResultCloser {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ResultCloser>;

struct ConnectionCloser {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};

struct Offender {
  std::string key;
  std::string expected;
  std::string found;
  int count = 0;
};

std::ostream& operator<<(std::ostream& out, const Offender& offender) {
  return out << offender.key << ": expected " << offender.expected << ", found " << offender.found
             << " (" << offender.count << " offenders)";
}

// A server with the small population, made once for all tests of this program.
class Database {
 public:
  Database() : connection_(PQconnectdb(server_.conninfo().c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK)
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    for (const std::string_view setting : session_settings) execute(std::string(setting));
    execute("SET max_parallel_workers_per_gather = 0");
    const auto folder = std::filesystem::path(__FILE__).parent_path();
    std::ifstream file(folder / "../../../test/support/small_population.sql");
    std::stringstream script;
    script << file.rdbuf();
    execute(script.str());
  }

  static Database& instance() {
    static Database database;
    return database;
  }

  void execute(const std::string& sql) {
    const Result result(PQexec(connection_.get(), sql.c_str()));
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      throw std::runtime_error(std::string(PQerrorMessage(connection_.get())) + sql);
  }

  std::vector<Offender> run(const Condition& condition, int first, int last, int limit = 3) {
    const std::string texts[] = {std::to_string(first), std::to_string(last),
                                 std::to_string(limit)};
    const char* const values[] = {texts[0].c_str(), texts[1].c_str(), texts[2].c_str()};
    const Result result(PQexecParams(connection_.get(), condition.sql.c_str(), 3, nullptr, values,
                                     nullptr, nullptr, 0));
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
      throw std::runtime_error(condition.name + ": " + PQerrorMessage(connection_.get()) +
                               condition.sql);
    std::vector<Offender> offenders;
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      const auto text = [&](int column) {
        EXPECT_FALSE(PQgetisnull(result.get(), row, column)) << condition.name;
        return std::string(PQgetvalue(result.get(), row, column));
      };
      offenders.push_back({text(0), text(1), text(2), std::stoi(text(3))});
    }
    return offenders;
  }

 private:
  test::TestServer server_;
  std::unique_ptr<PGconn, ConnectionCloser> connection_;
};

// Undoes everything at the end of a test.
class Transaction {
 public:
  Transaction() { Database::instance().execute("BEGIN"); }
  ~Transaction() { Database::instance().execute("ROLLBACK"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
};

std::vector<Condition> whole_catalogue(Money money) {
  std::vector<Condition> all = consistency_conditions(money);
  all.push_back(freshly_loaded_condition(money));
  for (Condition& condition : further_conditions(money)) all.push_back(std::move(condition));
  for (Condition& rule : population_rules(money)) all.push_back(std::move(rule));
  return all;
}

Condition condition_named(std::string_view name) {
  for (Condition& condition : whole_catalogue(Money::exact))
    if (condition.name == name) return std::move(condition);
  throw std::runtime_error("no condition " + std::string(name));
}

void expect_valid(Money money, int first, int last) {
  for (const Condition& condition : whole_catalogue(money))
    for (const Offender& offender : Database::instance().run(condition, first, last))
      ADD_FAILURE() << condition.name << ", " << condition.title << ": " << offender;
}

TEST(Conditions, AreNumberedAndNamedOnce) {
  std::set<std::string> names;
  std::vector<int> numbers;
  for (const Condition& condition : whole_catalogue(Money::exact)) {
    EXPECT_TRUE(names.insert(condition.name).second) << condition.name;
    EXPECT_FALSE(condition.title.empty()) << condition.name;
    EXPECT_FALSE(condition.clause.empty()) << condition.name;
    if (condition.number != 0) numbers.push_back(condition.number);
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11}));
}

TEST(Conditions, HoldOnValidData) {
  expect_valid(Money::exact, 1, 2);
  expect_valid(Money::exact, 2, 2);
}

TEST(Conditions, HoldOnTheTypesOfOtherTools) {
  const Transaction undo;
  Database::instance().execute(R"(
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
  for (const Condition& condition : consistency_conditions(Money::floating))
    for (const Offender& offender : Database::instance().run(condition, 1, 2))
      ADD_FAILURE() << condition.name << ": " << offender;
  expect_valid(Money::floating, 2, 2);
}

TEST(Conditions, FindAWarehouseThatIsNotThere) {
  for (const Condition& condition : whole_catalogue(Money::exact)) {
    const auto offenders = Database::instance().run(condition, 3, 3);
    const std::set<std::string> must_find = {
        "1",          "2",          "4", "8", "9", "11", "district.rows", "customer.rows",
        "stock.rows", "oorder.rows"};
    if (must_find.contains(condition.name)) {
      ASSERT_FALSE(offenders.empty()) << condition.name;
      EXPECT_NE(offenders.front().key.find("w_id=3"), std::string::npos) << offenders.front();
    }
  }
}

TEST(Conditions, CountAllOffendersAndReturnSomeInOrder) {
  const Transaction undo;
  Database::instance().execute(
      "UPDATE oorder SET o_carrier_id = NULL WHERE o_w_id = 2 AND o_id < 13");
  const auto offenders = Database::instance().run(condition_named("5"), 1, 2, 2);
  ASSERT_EQ(offenders.size(), 2U);
  EXPECT_EQ(offenders[0].count, 120);
  EXPECT_EQ(offenders[0].key, "w_id=2 d_id=1 o_id=1");
  EXPECT_EQ(offenders[0].expected, "o_carrier_id set, as there is no row of new_order");
  EXPECT_EQ(offenders[0].found, "o_carrier_id = null");
  EXPECT_EQ(offenders[1].key, "w_id=2 d_id=1 o_id=2");
}

// Deliveries and payments as the transactions make them, by SQL: the conditions hold on data that
// is no longer fresh, with negative balances, new lines and remote stock.
TEST(Conditions, HoldAfterTransactions) {
  const Transaction undo;
  Database::instance().execute(R"(
    UPDATE warehouse SET w_ytd = w_ytd + 4999.99 WHERE w_id = 1;
    UPDATE district SET d_ytd = d_ytd + 4999.99 WHERE d_w_id = 1 AND d_id = 4;
    UPDATE customer SET c_balance = c_balance - 4999.99, c_ytd_payment = c_ytd_payment + 4999.99
      WHERE c_w_id = 2 AND c_d_id = 5 AND c_id = 77;
    INSERT INTO history VALUES (77, 5, 2, 4, 1, now(), 4999.99, 'a remote payment');
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
        CASE n WHEN 4 THEN 1 ELSE 2 END, 3, 'ABCDEFGHIJKLMNOPQRSTUVWX'
      FROM generate_series(1, 5) n JOIN item ON i_id = n;
    UPDATE stock SET s_ytd = 3, s_order_cnt = 1 WHERE s_w_id = 2 AND s_i_id IN (1, 2, 3, 5);
    UPDATE stock SET s_ytd = 3, s_order_cnt = 1, s_remote_cnt = 1 WHERE s_w_id = 1 AND s_i_id = 4;
    -- A district of which everything is delivered has no row of new_order: conditions 2 and 3 hold.
    DELETE FROM new_order WHERE no_w_id = 2 AND no_d_id = 10)");
  for (const auto& catalogue :
       {consistency_conditions(Money::exact), further_conditions(Money::exact)}) {
    for (const Condition& condition : catalogue) {
      if (condition.name == "5") continue;  // The carriers of that district are left out.
      for (const Offender& offender : Database::instance().run(condition, 1, 2))
        ADD_FAILURE() << condition.name << ": " << offender;
    }
  }
}

struct Corruption {
  const char* sql;
  const char* condition;
  // Key of the first offender, whole.
  const char* key;
  int count = 1;
};

// Each is undone before the next.
constexpr Corruption corruptions[] = {
    {"UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 2", "1", "w_id=2"},
    {"UPDATE warehouse SET w_ytd = NULL WHERE w_id = 2", "1", "w_id=2"},
    {"UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_w_id = 1 AND d_id = 9", "1", "w_id=1"},
    {"UPDATE district SET d_ytd = NULL WHERE d_w_id = 1 AND d_id = 9", "1", "w_id=1"},
    {"UPDATE district SET d_ytd = CASE d_id WHEN 1 THEN NULL ELSE 60000 END "
     "WHERE d_w_id = 1 AND d_id < 3",
     "1", "w_id=1"},
    {"DELETE FROM warehouse WHERE w_id = 1", "1", "w_id=1"},
    {"DELETE FROM district WHERE d_w_id = 2", "1", "w_id=2"},

    {"UPDATE district SET d_next_o_id = 3002 WHERE d_w_id = 2 AND d_id = 1", "2", "w_id=2 d_id=1"},
    {"UPDATE district SET d_next_o_id = NULL WHERE d_w_id = 2 AND d_id = 1", "2", "w_id=2 d_id=1"},
    {"DELETE FROM district WHERE d_w_id = 2 AND d_id = 10", "2", "w_id=2 d_id=10"},
    {"DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 4 AND o_id = 3000", "2", "w_id=1 d_id=4"},
    {"DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 4", "2", "w_id=1 d_id=4"},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 5 AND no_o_id = 3000", "2",
     "w_id=1 d_id=5"},
    {"INSERT INTO new_order VALUES (1, 11, 1)", "2", "w_id=1 d_id=11"},

    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 5 AND no_o_id = 2500", "3",
     "w_id=1 d_id=5"},
    {"INSERT INTO new_order VALUES (2, 7, 1)", "3", "w_id=2 d_id=7"},

    {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 AND ol_number = 4",
     "4", "w_id=1 d_id=2"},
    {"UPDATE oorder SET o_ol_cnt = o_ol_cnt + 1 WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 9", "4",
     "w_id=2 d_id=3"},
    {"UPDATE oorder SET o_ol_cnt = NULL WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 9", "4",
     "w_id=2 d_id=3"},

    {"UPDATE oorder SET o_carrier_id = 3 WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 2999", "5",
     "w_id=2 d_id=3 o_id=2999"},
    {"UPDATE oorder SET o_carrier_id = NULL WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 2100", "5",
     "w_id=2 d_id=3 o_id=2100"},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 5 AND no_o_id = 2101", "5",
     "w_id=1 d_id=5 o_id=2101"},
    {"INSERT INTO new_order VALUES (1, 5, 2100)", "5", "w_id=1 d_id=5 o_id=2100"},
    {"INSERT INTO new_order VALUES (1, 5, 3001)", "5", "w_id=1 d_id=5 o_id=3001"},

    {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3 AND ol_number = 4",
     "6", "w_id=1 d_id=2 o_id=3"},
    {"DELETE FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 3", "6",
     "w_id=1 d_id=2 o_id=3"},
    {"DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 3", "6",
     "w_id=1 d_id=2 o_id=3"},
    {"UPDATE oorder SET o_ol_cnt = NULL WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 3", "6",
     "w_id=1 d_id=2 o_id=3"},
    {"INSERT INTO order_line SELECT 1, 2, 3, 99, 1, now(), 0, 1, 5, 'x'", "6",
     "w_id=1 d_id=2 o_id=3"},

    {"UPDATE order_line SET ol_delivery_d = now() "
     "WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 2102 AND ol_number = 5",
     "7", "w_id=1 d_id=2 o_id=2102 ol_number=5"},
    {"UPDATE order_line SET ol_delivery_d = NULL "
     "WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id = 44 AND ol_number = 1",
     "7", "w_id=1 d_id=2 o_id=44 ol_number=1"},
    {"UPDATE oorder SET o_carrier_id = 9 WHERE o_w_id = 2 AND o_d_id = 3 AND o_id = 2999; "
     "UPDATE order_line SET ol_delivery_d = now() "
     "WHERE ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 2999 AND ol_number <> 2",
     "7", "w_id=2 d_id=3 o_id=2999 ol_number=2"},
    {"INSERT INTO order_line VALUES (2, 3, 3001, 1, 1, NULL, 0, 1, 5, 'x')", "7",
     "w_id=2 d_id=3 o_id=3001 ol_number=1"},

    {"UPDATE warehouse SET w_ytd = w_ytd - 0.01 WHERE w_id = 1", "8", "w_id=1"},
    {"UPDATE history SET h_amount = 10.01 WHERE h_c_w_id = 1 AND h_c_d_id = 2 AND h_c_id = 3", "8",
     "w_id=1"},
    {"DELETE FROM history WHERE h_w_id = 2", "8", "w_id=2"},

    {"UPDATE district SET d_ytd = d_ytd + 0.01 WHERE d_w_id = 1 AND d_id = 2", "9",
     "w_id=1 d_id=2"},
    {"DELETE FROM history WHERE h_c_w_id = 2 AND h_c_d_id = 2 AND h_c_id = 3", "9",
     "w_id=2 d_id=2"},
    {"UPDATE history SET h_amount = NULL WHERE h_c_w_id = 2 AND h_c_d_id = 2 AND h_c_id = 3", "9",
     "w_id=2 d_id=2"},
    {"INSERT INTO history VALUES (1, 1, 1, 11, 1, now(), 0, 'no such district')", "9",
     "w_id=1 d_id=11"},
    {"DELETE FROM district WHERE d_w_id = 2 AND d_id = 10", "9", "w_id=2 d_id=10"},

    {"UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = "
     "7",
     "10", "w_id=2 d_id=8 c_id=7"},
    {"UPDATE customer SET c_balance = NULL WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "10",
     "w_id=2 d_id=8 c_id=7"},
    {"DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "10",
     "w_id=2 d_id=8 c_id=7"},
    {"DELETE FROM history WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "10",
     "w_id=1 d_id=8 c_id=2999"},
    {"UPDATE history SET h_amount = NULL WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999",
     "10", "w_id=1 d_id=8 c_id=2999"},
    {"UPDATE history SET h_c_id = NULL WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "10",
     "w_id=1 d_id=8 c_id=2999", 2},
    // Order 5 is of customer 36.
    {"UPDATE order_line SET ol_amount = 0.01 "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "10", "w_id=1 d_id=1 c_id=36"},
    {"UPDATE order_line SET ol_amount = NULL "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "10", "w_id=1 d_id=1 c_id=36"},
    // Order 2101 is of customer 2708.
    {"UPDATE order_line SET ol_delivery_d = now() "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 2101 AND ol_number = 1",
     "10", "w_id=1 d_id=1 c_id=2708"},
    {"UPDATE oorder SET o_c_id = 3001 WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2101", "10",
     "w_id=1 d_id=1 c_id=3001"},
    {"UPDATE oorder SET o_c_id = NULL WHERE o_w_id = 1 AND o_d_id = 1 AND o_id = 2101", "10",
     "w_id=1 d_id=1 c_id="},

    {"UPDATE oorder SET o_id = 3001 WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 1", "2",
     "w_id=1 d_id=6"},
    {"INSERT INTO oorder VALUES (1, 6, 3001, 1, 5, 5, 1, now())", "11", "w_id=1 d_id=6"},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 6 AND no_o_id = 2101", "11",
     "w_id=1 d_id=6"},

    {"UPDATE customer SET c_ytd_payment = c_ytd_payment - 0.01 "
     "WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7",
     "12", "w_id=2 d_id=8 c_id=7"},
    {"UPDATE customer SET c_ytd_payment = NULL WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "12",
     "w_id=2 d_id=8 c_id=7"},
    {"UPDATE customer SET c_balance = 0 WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "12",
     "w_id=2 d_id=8 c_id=7"},
    {"DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 7", "12",
     "w_id=2 d_id=8 c_id=7"},
    {"UPDATE order_line SET ol_amount = 0.01 "
     "WHERE ol_w_id = 1 AND ol_d_id = 1 AND ol_o_id = 5 AND ol_number = 1",
     "12", "w_id=1 d_id=1 c_id=36"},

    {"INSERT INTO order_line VALUES (3, 1, 1, 1, 1, NULL, 0, 1, 5, 'x')", "rows.outside",
     "order_line.ol_w_id"},
    {"INSERT INTO new_order VALUES (0, 1, 1)", "rows.outside", "new_order.no_w_id"},
    {"UPDATE history SET h_w_id = NULL WHERE h_c_w_id = 1 AND h_c_d_id = 1 AND h_c_id = 1",
     "rows.outside", "history.h_w_id"},
    {"INSERT INTO district VALUES (7, 1)", "rows.outside", "district.d_w_id"},
    {"DELETE FROM item WHERE i_id = 100000", "item.rows", "i_id=100000"},
    {"INSERT INTO item VALUES (100001)", "item.rows", "i_id=100001"},
    {"DELETE FROM district WHERE d_w_id = 1 AND d_id = 3", "district.rows", "d_w_id=1 d_id=3"},
    {"INSERT INTO district VALUES (2, 11)", "district.rows", "d_w_id=2 d_id=11"},
    {"DELETE FROM customer WHERE c_w_id = 2 AND c_d_id = 8 AND c_id = 3000", "customer.rows",
     "c_w_id=2 c_d_id=8 c_id=3000"},
    {"DELETE FROM stock WHERE s_w_id = 2 AND s_i_id = 1", "stock.rows", "s_w_id=2 s_i_id=1"},
    {"ALTER TABLE stock DROP CONSTRAINT stock_pkey; UPDATE stock SET s_i_id = 5 "
     "WHERE s_w_id = 2 AND s_i_id = 6",
     "stock.rows", "s_w_id=2 s_i_id=5", 2},
    {"UPDATE stock SET s_ytd = 1 WHERE s_w_id = 1 AND s_i_id = 9", "stock.counters",
     "w_id=1 i_id=9"},
    {"UPDATE stock SET s_order_cnt = NULL WHERE s_w_id = 1 AND s_i_id = 9", "stock.counters",
     "w_id=1 i_id=9"},
    {"INSERT INTO order_line VALUES (2, 1, 3001, 1, 9, NULL, 0, 1, 5, 'x')", "stock.counters",
     "w_id=1 i_id=9"},
    {"INSERT INTO order_line SELECT 2, 1, 3001, 1, i_id, NULL, 5 * i_price + 0.01, 2, 5, 'x' "
     "FROM item WHERE i_id = 9",
     "order_line.amount", "w_id=2 d_id=1 o_id=3001 ol_number=1"},
    {"INSERT INTO order_line VALUES (2, 1, 3001, 1, 0, NULL, 0, 2, 5, 'x')", "order_line.amount",
     "w_id=2 d_id=1 o_id=3001 ol_number=1"},

    {"UPDATE oorder SET o_id = 3001 WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 1", "oorder.rows",
     "o_w_id=1 o_d_id=6 o_id=1", 2},
    {"UPDATE oorder SET o_c_id = 36 WHERE o_w_id = 1 AND o_d_id = 1 AND o_c_id = 1",
     "oorder.customers", "o_w_id=1 o_d_id=1 o_c_id=1", 2},
    {"DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 6 AND no_o_id = 2101", "new_order.rows",
     "no_w_id=1 no_d_id=6 no_o_id=2101"},
    {"INSERT INTO new_order VALUES (1, 6, 2100)", "new_order.rows",
     "no_w_id=1 no_d_id=6 no_o_id=2100"},
    {"INSERT INTO history SELECT * FROM history "
     "WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999",
     "history.rows", "h_c_w_id=1 h_c_d_id=8 h_c_id=2999"},
    {"DELETE FROM history WHERE h_c_w_id = 1 AND h_c_d_id = 8 AND h_c_id = 2999", "history.rows",
     "h_c_w_id=1 h_c_d_id=8 h_c_id=2999"},
};

// Rules about the columns of one row: the assignments that each table must not get.
struct ColumnCorruption {
  const char* table;
  const char* where;
  const char* key;
  std::vector<const char*> assignments;
};

const ColumnCorruption column_corruptions[] = {
    {"item",
     "i_id = 3",
     "i_id=3",
     {"i_im_id = 0", "i_im_id = 10001", "i_im_id = NULL", "i_name = 'short'", "i_name = NULL",
      "i_price = 0.99", "i_price = 100.01", "i_price = NULL", "i_data = 'short'", "i_data = NULL"}},
    {"warehouse",
     "w_id = 2",
     "w_id=2",
     {"w_name = 'short'", "w_street_1 = 'short'", "w_street_2 = NULL", "w_city = 'short'",
      "w_state = 'A'", "w_zip = '123456789'", "w_zip = '12a411111'", "w_tax = 0.2001",
      "w_tax = -0.0001", "w_tax = NULL", "w_ytd = 300000.01"}},
    {"district",
     "d_w_id = 2 AND d_id = 3",
     "d_w_id=2 d_id=3",
     {"d_name = 'short'", "d_street_1 = 'short'", "d_street_2 = 'short'", "d_city = NULL",
      "d_state = NULL", "d_zip = NULL", "d_tax = 0.2001", "d_ytd = 29999.99",
      "d_next_o_id = 3000"}},
    {"stock",
     "s_w_id = 2 AND s_i_id = 77",
     "s_w_id=2 s_i_id=77",
     {"s_quantity = 9", "s_quantity = 101", "s_quantity = NULL", "s_ytd = 1", "s_order_cnt = 1",
      "s_remote_cnt = 1", "s_data = 'short'", "s_dist_01 = 'short'", "s_dist_10 = NULL"}},
    {"customer",
     "c_w_id = 2 AND c_d_id = 3 AND c_id = 372",
     "c_w_id=2 c_d_id=3 c_id=372",
     {"c_first = 'short'", "c_middle = 'EO'", "c_last = 'BARBARBAR'", "c_last = NULL",
      "c_street_1 = 'short'", "c_city = 'short'", "c_zip = '123411112'", "c_phone = '123'",
      "c_since = NULL", "c_credit = 'AC'", "c_credit = NULL", "c_credit_lim = 50000.01",
      "c_discount = 0.5001", "c_balance = -10.01", "c_ytd_payment = 9.99", "c_payment_cnt = 0",
      "c_delivery_cnt = 1", "c_data = 'short'", "c_data = NULL"}},
    {"customer",
     "c_w_id = 2 AND c_d_id = 3 AND c_id = 1001",
     "c_w_id=2 c_d_id=3 c_id=1001",
     {"c_last = 'BARBARBA'", "c_last = 'BARBARBARBAR'"}},
    {"history",
     "h_c_w_id = 2 AND h_c_d_id = 3 AND h_c_id = 4",
     "h_c_w_id=2 h_c_d_id=3 h_c_id=4",
     {"h_w_id = 1", "h_d_id = 4", "h_date = NULL", "h_amount = 9.99", "h_data = 'short'"}},
    {"oorder",
     "o_w_id = 2 AND o_d_id = 3 AND o_id = 2100",
     "o_w_id=2 o_d_id=3 o_id=2100",
     {"o_entry_d = NULL", "o_carrier_id = 11", "o_carrier_id = NULL", "o_ol_cnt = 4",
      "o_ol_cnt = 16", "o_all_local = 0", "o_all_local = NULL"}},
    {"oorder",
     "o_w_id = 2 AND o_d_id = 3 AND o_id = 2101",
     "o_w_id=2 o_d_id=3 o_id=2101",
     {"o_carrier_id = 1"}},
    {"order_line",
     "ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 2100 AND ol_number = 1",
     "ol_w_id=2 ol_d_id=3 ol_o_id=2100 ol_number=1",
     {"ol_i_id = 0", "ol_i_id = 100001", "ol_supply_w_id = 1", "ol_quantity = 4",
      "ol_delivery_d = NULL", "ol_delivery_d = '2001-01-01'", "ol_amount = 0.01",
      "ol_dist_info = 'short'"}},
    {"order_line",
     "ol_w_id = 2 AND ol_d_id = 3 AND ol_o_id = 2101 AND ol_number = 1",
     "ol_w_id=2 ol_d_id=3 ol_o_id=2101 ol_number=1",
     {"ol_delivery_d = now()", "ol_amount = 0.00", "ol_amount = NULL"}},
};

void expect_found(const std::string& sql, const std::string& condition, const std::string& key,
                  int count) {
  SCOPED_TRACE(sql + " / " + condition);
  const Transaction undo;
  Database::instance().execute(sql);
  const auto offenders = Database::instance().run(condition_named(condition), 1, 2);
  ASSERT_FALSE(offenders.empty());
  EXPECT_EQ(offenders.front().key, key) << offenders.front();
  EXPECT_EQ(offenders.front().count, count) << offenders.front();
}

TEST(Conditions, FindEachCorruptedRow) {
  for (const auto& [sql, condition, key, count] : corruptions)
    expect_found(sql, condition, key, count);
}

TEST(Conditions, FindEachColumnOutsideItsDomain) {
  for (const auto& [table, where, key, assignments] : column_corruptions) {
    for (const std::string assignment : assignments) {
      const std::string column = assignment.substr(0, assignment.find(' '));
      expect_found(std::string("UPDATE ") + table + " SET " + assignment + " WHERE " + where,
                   std::string(table) + ".columns", std::string(key) + " " + column, 1);
    }
  }
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
