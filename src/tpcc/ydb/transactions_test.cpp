// Each transaction does to the data exactly what clauses 2.4 to 2.8 say, in both styles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "database/error.h"
#include "tpcc/ydb/small_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using postgres::execute_once;
using testing::ElementsAre;
using Texts = std::vector<std::string>;

class YdbTransactions : public testing::TestWithParam<StatementStyle> {
 protected:
  static void SetUpTestSuite() { database = SmallYdbDatabase::shared_if_possible(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    if (!database) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    database->reset();
    backend = std::make_unique<YdbBackend>(
        YdbOptions{.database = database->database(), .style = GetParam(), .connections = 1});
    database->run(backend->open());
  }

  Outcome execute(Input input) { return database->run(execute_once(*backend, std::move(input))); }

  Texts rows(std::string sql) { return database->rows(std::move(sql)); }
  std::string value(std::string sql) { return database->value(std::move(sql)); }

  std::string everything() {
    std::string all;
    for (const Table table : all_tables) {
      all += value(fmt::format("SELECT md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM {} t",
                               table_name(table)));
    }
    return all;
  }

  // What a transaction asks of the server: how many ExecuteQuery calls.
  std::int64_t calls_of(Input input) {
    const auto calls = [] {
      return database->server().state().at("requests").value("ExecuteQuery", std::int64_t{0});
    };
    const std::int64_t before = calls();
    execute(std::move(input));
    return calls() - before;
  }

  static std::shared_ptr<SmallYdbDatabase> database;
  std::unique_ptr<YdbBackend> backend;
};

std::shared_ptr<SmallYdbDatabase> YdbTransactions::database;

INSTANTIATE_TEST_SUITE_P(Styles, YdbTransactions,
                         testing::Values(StatementStyle::batched, StatementStyle::single),
                         [](const auto& info) { return postgres::style_name(info.param); });

NewOrderInput order_of(std::int32_t w_id, std::int32_t d_id, std::int32_t c_id,
                       const std::vector<NewOrderLine>& lines) {
  NewOrderInput input{};
  input.w_id = w_id;
  input.d_id = d_id;
  input.c_id = c_id;
  input.ol_cnt = static_cast<std::int32_t>(lines.size());
  input.all_local = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    input.lines_all[i] = lines[i];
    if (lines[i].supply_w_id != w_id) input.all_local = false;
  }
  return input;
}

// Of a time in a column: whether it is now, as far as a test may say.
std::string is_now(std::string_view column) {
  return fmt::format("abs({} / 1000000 - extract(epoch FROM now())) < 3600", column);
}

// Clause 2.4.2.2. Item 10 is asked for three times, twice at the same warehouse.
TEST_P(YdbTransactions, NewOrderWritesItsRows) {
  database->script(
      "UPDATE stock SET s_quantity = 50 WHERE s_i_id = 10; "
      "UPDATE stock SET s_quantity = 14 WHERE s_i_id = 11; "
      "UPDATE stock SET s_quantity = 15 WHERE s_i_id = 12");
  const Outcome outcome = execute(order_of(
      1, 3, 5, {{12, 1, 5}, {10, 1, 5}, {11, 1, 5}, {10, 2, 1}, {10, 1, 7}, {4999, 1, 10}}));
  EXPECT_TRUE(outcome.committed);
  EXPECT_EQ(value("SELECT d_next_o_id FROM district WHERE d_w_id = 1 AND d_id = 3"), "32");
  EXPECT_EQ(value("SELECT count(*) FROM district WHERE d_next_o_id = 31"), "19");
  EXPECT_EQ(value("SELECT o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local, " +
                  is_now("o_entry_d") + " FROM oorder WHERE o_id > 30"),
            "1|3|31|5|NULL|6|0|t");
  EXPECT_EQ(value("SELECT no_w_id, no_d_id, no_o_id FROM new_order WHERE no_o_id > 30"), "1|3|31");
  EXPECT_THAT(rows("SELECT ol_w_id, ol_d_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, "
                   "ol_quantity, ol_amount::numeric(22,2), ol_dist_info FROM order_line "
                   "WHERE ol_o_id > 30 ORDER BY ol_number"),
              ElementsAre("1|3|1|12|1|NULL|5|61.85|dist 3 of 12 at 1.......",
                          "1|3|2|10|1|NULL|5|51.85|dist 3 of 10 at 1.......",
                          "1|3|3|11|1|NULL|5|56.85|dist 3 of 11 at 1.......",
                          "1|3|4|10|2|NULL|1|10.37|dist 3 of 10 at 2.......",
                          "1|3|5|10|1|NULL|7|72.59|dist 3 of 10 at 1.......",
                          "1|3|6|4999|1|NULL|10|993.70|dist 3 of 4999 at 1....."));
  EXPECT_THAT(rows("SELECT s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM stock "
                   "WHERE s_order_cnt <> 0 AND s_i_id < 4999 ORDER BY 1, 2"),
              ElementsAre("1|10|38|12|2|0", "1|11|100|5|1|0", "1|12|10|5|1|0", "2|10|49|1|1|1"));
  EXPECT_EQ(value("SELECT count(*), sum(s_ytd) FROM stock WHERE s_order_cnt <> 0"), "5|33");
  database->expect_conditions();
}

TEST_P(YdbTransactions, NewOrderOfHomeLinesIsLocal) {
  execute(order_of(2, 10, 60, {{1, 2, 1}, {2, 2, 1}, {3, 2, 1}, {4, 2, 1}, {5, 2, 1}}));
  EXPECT_EQ(value("SELECT o_all_local, o_ol_cnt FROM oorder WHERE o_id > 30"), "1|5");
  EXPECT_EQ(value("SELECT sum(s_remote_cnt) FROM stock"), "0");
  EXPECT_EQ(value("SELECT ol_dist_info FROM order_line WHERE ol_o_id > 30 AND ol_number = 1"),
            "dist 10 of 1 at 2.......");
}

// One item in all lines: every line goes on from what the one before has left.
TEST_P(YdbTransactions, NewOrderTakesAnItemFifteenTimes) {
  database->script("UPDATE stock SET s_quantity = 30 WHERE s_i_id = 10");
  execute(order_of(1, 1, 1, std::vector<NewOrderLine>(15, NewOrderLine{10, 1, 10})));
  // 30 20 10, then +81 to 91, 81 … 11, 92 and so on.
  int quantity = 30;
  for (int i = 0; i < 15; ++i) quantity += quantity >= 20 ? -10 : 81;
  EXPECT_EQ(value("SELECT s_quantity, s_ytd, s_order_cnt FROM stock WHERE s_order_cnt <> 0"),
            fmt::format("{}|150|15", quantity));
  EXPECT_EQ(value("SELECT count(*) FROM order_line WHERE ol_o_id > 30"), "15");
}

// Clauses 2.4.1.4 and 2.4.2.3.
TEST_P(YdbTransactions, NewOrderThatIsRolledBackLeavesNothing) {
  const std::string before = everything();
  NewOrderInput input =
      order_of(1, 3, 5, {{12, 1, 5}, {10, 1, 5}, {11, 2, 5}, {10, 1, 5}, {unused_item, 1, 5}});
  input.rollback = true;
  const Outcome outcome = execute(input);
  EXPECT_FALSE(outcome.committed);
  EXPECT_EQ(everything(), before);
  input.rollback = false;
  input.lines_all[4].i_id = 7;
  EXPECT_TRUE(execute(input).committed) << "the session goes on";
}

TEST_P(YdbTransactions, AnOrderOfWhatIsNotThereIsAnErrorAndLeavesNothing) {
  const std::string before = everything();
  for (const NewOrderInput& input :
       {order_of(1, 3, 5, {{12, 1, 5}, {unused_item, 1, 5}}), order_of(3, 3, 5, {{12, 3, 5}}),
        order_of(1, 11, 5, {{12, 1, 5}}), order_of(1, 3, 5, {{12, 9, 5}, {13, 1, 5}})}) {
    EXPECT_THROW(execute(input), database::Error);
    EXPECT_EQ(everything(), before);
  }
}

PaymentInput payment_of(std::int32_t c_w_id, std::int32_t c_d_id, std::int32_t c_id,
                        std::int32_t cents) {
  return {
      .w_id = 1,
      .d_id = 4,
      .customer = {.c_w_id = c_w_id, .c_d_id = c_d_id, .by_name = false, .c_id = c_id, .c_last = 0},
      .amount_cents = cents};
}

constexpr const char* changed_customers =
    "SELECT c_w_id, c_d_id, c_id, c_balance::numeric(22,2), c_ytd_payment::numeric(22,2), "
    "c_payment_cnt, c_delivery_cnt FROM customer WHERE c_payment_cnt <> 1 OR c_balance <> -500 "
    "ORDER BY 1, 2, 3";

TEST_P(YdbTransactions, PaymentMovesTheMoney) {
  execute(payment_of(1, 4, 7, 1'234'56));
  EXPECT_EQ(value("SELECT w_ytd FROM warehouse WHERE w_id = 1"), "301234.560000000");
  EXPECT_EQ(value("SELECT w_ytd::numeric(22,2) FROM warehouse WHERE w_id = 2"), "300000.00");
  EXPECT_EQ(value("SELECT d_w_id, d_id, d_ytd::numeric(22,2) FROM district WHERE d_ytd <> 30000"),
            "1|4|31234.56");
  EXPECT_EQ(value(changed_customers), "1|4|7|-1734.56|1734.56|2|0");
  EXPECT_EQ(value("SELECT count(*) FROM customer WHERE c_data <> repeat('c', 490)"), "0")
      << "good credit keeps its c_data";
  EXPECT_EQ(value("SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_amount::numeric(22,2), "
                  "h_data, " +
                  is_now("h_date") + " FROM history WHERE h_data <> 'at the load'"),
            "7|4|1|4|1|1234.56|Ware1    Dist4|t");
  database->expect_conditions();
}

// Clause 2.5.1.2: the customer of another warehouse; 2.5.2.2: bad credit.
TEST_P(YdbTransactions, PaymentOfARemoteCustomerOfBadCredit) {
  execute(payment_of(2, 9, 10, 100));
  EXPECT_EQ(value(changed_customers), "2|9|10|-501.00|501.00|2|0");
  EXPECT_EQ(value("SELECT d_w_id, d_id FROM district WHERE d_ytd <> 30000"), "1|4");
  EXPECT_EQ(value("SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id FROM history "
                  "WHERE h_data <> 'at the load'"),
            "10|9|2|4|1");
  constexpr const char* data_of_payer =
      "SELECT c_data FROM customer WHERE c_w_id = 2 AND c_d_id = 9 AND c_id = 10";
  const std::string data = value(data_of_payer);
  EXPECT_EQ(data.size(), 500U);
  EXPECT_TRUE(data.starts_with("10 9 2 4 1 1.00|ccc")) << data;
  EXPECT_EQ(value("SELECT count(*) FROM customer WHERE c_data <> repeat('c', 490)"), "1");
  database->script("UPDATE customer SET c_data = 'short' WHERE c_id = 10");
  execute(payment_of(2, 9, 10, 5'000'07));
  EXPECT_EQ(value(data_of_payer), "10 9 2 4 1 5000.07|short");
  database->expect_conditions();
}

// A letter of two bytes at the end of c_data is not cut in two.
TEST_P(YdbTransactions, BadCreditKeepsItsDataReadable) {
  database->script("UPDATE customer SET c_data = repeat('é', 250) WHERE c_id = 10");
  execute(payment_of(2, 9, 10, 100));
  EXPECT_EQ(value("SELECT octet_length(c_data), right(c_data, 1) FROM customer "
                  "WHERE c_w_id = 2 AND c_d_id = 9 AND c_id = 10"),
            "500|é");
  execute(payment_of(2, 9, 10, 1'000));
  EXPECT_EQ(value("SELECT octet_length(c_data), right(c_data, 1) FROM customer "
                  "WHERE c_w_id = 2 AND c_d_id = 9 AND c_id = 10"),
            "499|é");
}

// The one in the middle by first name, rounded up (clause 2.5.2.2): of three, the second; of two,
// the first.
TEST_P(YdbTransactions, PaymentByName) {
  PaymentInput input = payment_of(1, 4, 0, 100);
  input.customer.by_name = true;
  input.customer.c_last = 3;  // customers 4, 23, 42
  execute(input);
  EXPECT_EQ(value(changed_customers), "1|4|23|-501.00|501.00|2|0");
  database->script("UPDATE customer SET c_last = 'GONE' WHERE c_id = 4");
  execute(input);  // 42 stands before 23
  EXPECT_THAT(rows(changed_customers),
              ElementsAre("1|4|23|-501.00|501.00|2|0", "1|4|42|-501.00|501.00|2|0"));
  database->script(
      "UPDATE customer SET c_last = 'GONE' WHERE c_id = 42; "
      "UPDATE customer SET c_last = 'GONE' WHERE c_d_id <> 4");
  execute(input);
  EXPECT_THAT(rows(changed_customers),
              ElementsAre("1|4|23|-502.00|502.00|3|0", "1|4|42|-501.00|501.00|2|0"));
  EXPECT_THAT(rows("SELECT h_c_id FROM history WHERE h_data <> 'at the load' ORDER BY h_c_nano_ts"),
              ElementsAre("23", "42", "23"));
  database->expect_conditions();
}

TEST_P(YdbTransactions, PaymentOfNobodyIsAnErrorAndLeavesNothing) {
  const std::string before = everything();
  PaymentInput nameless = payment_of(1, 4, 0, 100);
  nameless.customer.by_name = true;
  nameless.customer.c_last = 999;
  PaymentInput nowhere = payment_of(1, 4, 7, 100);
  nowhere.w_id = 3;
  for (const PaymentInput& input : {nameless, payment_of(1, 4, 61, 100), nowhere}) {
    EXPECT_THROW(execute(input), database::Error);
    EXPECT_EQ(everything(), before);
  }
}

TEST_P(YdbTransactions, OrderStatusReadsOnly) {
  const std::string before = everything();
  OrderStatusInput input{};
  // 8 has order 1, 61 is nobody, 2 has no order.
  for (const std::int32_t c_id : {8, 2}) {
    input.customer = {.c_w_id = 1, .c_d_id = 4, .by_name = false, .c_id = c_id, .c_last = 0};
    EXPECT_TRUE(execute(input).committed);
  }
  input.customer = {.c_w_id = 1, .c_d_id = 4, .by_name = true, .c_id = 0, .c_last = 3};
  EXPECT_TRUE(execute(input).committed);
  input.customer.c_last = 999;
  EXPECT_THROW(execute(input), database::Error);
  input.customer = {.c_w_id = 1, .c_d_id = 4, .by_name = false, .c_id = 61, .c_last = 0};
  EXPECT_THROW(execute(input), database::Error);
  EXPECT_EQ(everything(), before);
}

TEST_P(YdbTransactions, DeliveryTakesTheOldestOfEachDistrict) {
  database->script("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 7");
  const Outcome outcome = execute(DeliveryInput{.w_id = 1, .carrier_id = 9});
  EXPECT_EQ(outcome.districts_skipped, 1);
  EXPECT_THAT(outcome.delivered, ElementsAre(22, 22, 22, 22, 22, 22, 0, 22, 22, 22));
  EXPECT_THAT(rows("SELECT no_w_id, min(no_o_id), count(*) FROM new_order GROUP BY 1 ORDER BY 1"),
              ElementsAre("1|23|72", "2|22|90"));
  EXPECT_EQ(value("SELECT string_agg(o_d_id::text, ' ' ORDER BY o_d_id), min(o_id), max(o_id), "
                  "max(o_ol_cnt) FROM oorder WHERE o_carrier_id = 9"),
            "1 2 3 4 5 6 8 9 10|22|22|5");
  EXPECT_EQ(value("SELECT count(DISTINCT (ol_d_id, ol_o_id)), count(*), count(ol_delivery_d), "
                  "min(ol_delivery_d) = max(ol_delivery_d), bool_and(" +
                  is_now("ol_delivery_d") +
                  ") FROM order_line WHERE ol_w_id = 1 AND ol_o_id = 22 AND ol_d_id <> 7"),
            "9|45|45|t|t");
  EXPECT_EQ(value("SELECT count(ol_delivery_d) FROM order_line WHERE ol_o_id > 22 "
                  "OR ol_o_id = 22 AND (ol_w_id = 2 OR ol_d_id = 7)"),
            "0");
  // Order 22 has 5 lines of 22 n + 0.11 d and belongs to customer 22 * 7 % 60 + 1 = 35.
  Texts expected;
  for (int d = 1; d <= 10; ++d) {
    if (d == 7) continue;
    expected.push_back(fmt::format("1|{}|35|{:.2f}|500.00|1|1", d, -500 + 22 * 15 + 0.55 * d));
  }
  EXPECT_EQ(rows(changed_customers), expected);
}

TEST_P(YdbTransactions, DeliveryOfNothingSkipsEveryDistrict) {
  database->script("DELETE FROM new_order");
  const std::string before = everything();
  EXPECT_EQ(execute(DeliveryInput{.w_id = 2, .carrier_id = 1}).districts_skipped, 10);
  EXPECT_EQ(everything(), before);
}

TEST_P(YdbTransactions, DeliveryOfAnOrderWithoutARowIsAnErrorAndLeavesNothing) {
  database->script("DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 22");
  const std::string before = everything();
  EXPECT_THROW(execute(DeliveryInput{.w_id = 1, .carrier_id = 1}), database::Error);
  EXPECT_EQ(everything(), before);
}

TEST_P(YdbTransactions, StockLevelReadsOnly) {
  const std::string before = everything();
  EXPECT_TRUE(execute(StockLevelInput{.w_id = 1, .d_id = 4, .threshold = 20}).committed);
  EXPECT_THROW(execute(StockLevelInput{.w_id = 3, .d_id = 4, .threshold = 20}), database::Error);
  EXPECT_EQ(everything(), before);
}

TEST_P(YdbTransactions, TakeAsManyRequestsAsIsSaid) {
  const bool batched = GetParam() == StatementStyle::batched;
  PaymentInput by_name = payment_of(1, 4, 0, 100);
  by_name.customer.by_name = true;
  by_name.customer.c_last = 3;
  OrderStatusInput status{};
  status.customer = {.c_w_id = 1, .c_d_id = 4, .by_name = false, .c_id = 8, .c_last = 0};
  EXPECT_EQ(calls_of(order_of(1, 1, 1, {{1, 1, 1}, {2, 2, 1}})), batched ? 2 : 10);
  EXPECT_EQ(calls_of(payment_of(1, 4, 7, 100)), batched ? 2 : 5);
  EXPECT_EQ(calls_of(by_name), batched ? 2 : 6);
  EXPECT_EQ(calls_of(status), batched ? 1 : 3);
  EXPECT_EQ(calls_of(DeliveryInput{.w_id = 1, .carrier_id = 1}), batched ? 4 : 17);
  EXPECT_EQ(calls_of(StockLevelInput{.w_id = 1, .d_id = 4, .threshold = 20}), batched ? 1 : 2);
}

}  // namespace
}  // namespace drover::tpcc::ydb
