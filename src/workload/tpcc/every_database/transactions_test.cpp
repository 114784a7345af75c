// Each transaction does to the data exactly what clauses 2.4 to 2.8 say, in both styles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "database/error.h"
#include "workload/tpcc/every_database/tested_database_test.h"

namespace drover::tpcc {
namespace {

using testing::ElementsAre;
using Rows = std::vector<std::string>;

class Transactions : public OnTestedDatabase<TestedStyle> {
 protected:
  void prepare() override {
    backend = database->backend(GetParam(), 1);
    database->run(backend->open());
  }

  Outcome execute(Input input) { return database->run(execute_once(*backend, std::move(input))); }

  Rows rows(std::string sql) { return database->rows(std::move(sql)); }
  std::string value(std::string sql) { return database->value(std::move(sql)); }

  // All tables.
  std::string everything() {
    std::string all;
    for (const Table table : all_tables) all += database->sql().digest(table);
    return all;
  }

  Rows changed_customers() {
    return rows(fmt::format(
        "SELECT c_w_id, c_d_id, c_id, {}, {}, c_payment_cnt, c_delivery_cnt FROM customer "
        "WHERE c_payment_cnt <> 1 OR c_balance <> -500 ORDER BY 1, 2, 3",
        database->amount("c_balance"), database->amount("c_ytd_payment")));
  }

  std::unique_ptr<Backend> backend;
};

INSTANTIATE_TEST_SUITE_P(Styles, Transactions, testing::ValuesIn(tested_styles()),
                         name_of_tested_style);

// Clause 2.4.2.2. Item 10 is asked for three times, twice at the same warehouse.
TEST_P(Transactions, NewOrderWritesItsRows) {
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
                  database->is_now("o_entry_d") + " FROM oorder WHERE o_id > 30"),
            "1|3|31|5|NULL|6|0|t");
  EXPECT_EQ(value("SELECT no_w_id, no_d_id, no_o_id FROM new_order WHERE no_o_id > 30"), "1|3|31");
  EXPECT_THAT(rows("SELECT ol_w_id, ol_d_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, "
                   "ol_quantity, " +
                   database->amount("ol_amount") +
                   ", ol_dist_info FROM order_line WHERE ol_o_id > 30 ORDER BY ol_number"),
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

TEST_P(Transactions, NewOrderOfHomeLinesIsLocal) {
  execute(order_of(2, 10, 60, {{1, 2, 1}, {2, 2, 1}, {3, 2, 1}, {4, 2, 1}, {5, 2, 1}}));
  EXPECT_EQ(value("SELECT o_all_local, o_ol_cnt FROM oorder WHERE o_id > 30"), "1|5");
  EXPECT_EQ(value("SELECT sum(s_remote_cnt) FROM stock"), "0");
  EXPECT_EQ(value("SELECT ol_dist_info FROM order_line WHERE ol_o_id > 30 AND ol_number = 1"),
            "dist 10 of 1 at 2.......");
}

// One item in all lines: every line goes on from what the one before has left.
TEST_P(Transactions, NewOrderTakesAnItemFifteenTimes) {
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
TEST_P(Transactions, NewOrderThatIsRolledBackLeavesNothing) {
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

TEST_P(Transactions, AnOrderOfWhatIsNotThereIsAnErrorAndLeavesNothing) {
  const std::string before = everything();
  for (const NewOrderInput& input :
       {order_of(1, 3, 5, {{12, 1, 5}, {unused_item, 1, 5}}), order_of(3, 3, 5, {{12, 3, 5}}),
        order_of(1, 11, 5, {{12, 1, 5}}), order_of(1, 3, 5, {{12, 9, 5}, {13, 1, 5}})}) {
    EXPECT_THROW(execute(input), database::Error);
    EXPECT_EQ(everything(), before);
  }
}

TEST_P(Transactions, PaymentMovesTheMoney) {
  execute(payment_of(1, 4, 7, 1'234'56));
  EXPECT_EQ(value("SELECT w_ytd = 301234.56 FROM warehouse WHERE w_id = 1"), "t");
  EXPECT_EQ(value("SELECT w_ytd = 300000 FROM warehouse WHERE w_id = 2"), "t");
  EXPECT_EQ(value("SELECT d_w_id, d_id, d_ytd = 31234.56 FROM district WHERE d_ytd <> 30000"),
            "1|4|t");
  EXPECT_THAT(changed_customers(), ElementsAre("1|4|7|-1734.56|1734.56|2|0"));
  EXPECT_EQ(value("SELECT count(*) FROM customer WHERE c_data <> repeat('c', 490)"), "0")
      << "good credit keeps its c_data";
  EXPECT_EQ(
      value("SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_amount = 1234.56, h_data, " +
            database->is_now("h_date") + " FROM history WHERE h_data <> 'at the load'"),
      "7|4|1|4|1|t|Ware1    Dist4|t");
  database->expect_conditions();
}

// Clause 2.5.1.2: the customer of another warehouse; 2.5.2.2: bad credit.
TEST_P(Transactions, PaymentOfARemoteCustomerOfBadCredit) {
  execute(payment_of(2, 9, 10, 100));
  EXPECT_THAT(changed_customers(), ElementsAre("2|9|10|-501.00|501.00|2|0"));
  EXPECT_EQ(value("SELECT d_w_id, d_id FROM district WHERE d_ytd <> 30000"), "1|4");
  EXPECT_EQ(value("SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id FROM history "
                  "WHERE h_data <> 'at the load'"),
            "10|9|2|4|1");
  const std::string payer = "FROM customer WHERE c_w_id = 2 AND c_d_id = 9 AND c_id = 10";
  const std::string data = value("SELECT c_data " + payer);
  EXPECT_EQ(data.size(), 500U);
  EXPECT_TRUE(data.starts_with("10 9 2 4 1 1.00") && data.ends_with("c")) << data;
  EXPECT_EQ(value("SELECT count(*) FROM customer WHERE c_data <> repeat('c', 490)"), "1");
  database->script("UPDATE customer SET c_data = 'short' WHERE c_id = 10");
  execute(payment_of(2, 9, 10, 5'000'07));
  const std::string again = value("SELECT c_data " + payer);
  EXPECT_TRUE(again.starts_with("10 9 2 4 1 5000.07") && again.ends_with("short")) << again;
  database->expect_conditions();
}

// The one in the middle by first name, rounded up (clause 2.5.2.2): of three, the second; of two,
// the first.
TEST_P(Transactions, PaymentByName) {
  const PaymentInput input = payment_by_name(1, 4, 3, 100);  // customers 4, 23, 42
  execute(input);
  EXPECT_THAT(changed_customers(), ElementsAre("1|4|23|-501.00|501.00|2|0"));
  database->script("UPDATE customer SET c_last = 'GONE' WHERE c_id = 4");
  execute(input);  // 42 stands before 23
  EXPECT_THAT(changed_customers(),
              ElementsAre("1|4|23|-501.00|501.00|2|0", "1|4|42|-501.00|501.00|2|0"));
  database->script(
      "UPDATE customer SET c_last = 'GONE' WHERE c_id = 42; "
      "UPDATE customer SET c_last = 'GONE' WHERE c_d_id <> 4");
  execute(input);
  EXPECT_THAT(changed_customers(),
              ElementsAre("1|4|23|-502.00|502.00|3|0", "1|4|42|-501.00|501.00|2|0"));
  EXPECT_THAT(rows("SELECT h_c_id FROM history WHERE h_data <> 'at the load' ORDER BY 1"),
              ElementsAre("23", "23", "42"));
  database->expect_conditions();
}

TEST_P(Transactions, PaymentOfNobodyIsAnErrorAndLeavesNothing) {
  const std::string before = everything();
  const PaymentInput nameless = payment_by_name(1, 4, 999, 100);
  PaymentInput nowhere = payment_of(1, 4, 7, 100);
  nowhere.w_id = 3;
  for (const PaymentInput& input : {nameless, payment_of(1, 4, 61, 100), nowhere}) {
    EXPECT_THROW(execute(input), database::Error);
    EXPECT_EQ(everything(), before);
  }
}

TEST_P(Transactions, OrderStatusReadsOnly) {
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

TEST_P(Transactions, DeliveryTakesTheOldestOfEachDistrict) {
  database->script("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 7");
  database->script(
      "UPDATE new_order SET no_o_id = no_o_id + 100 WHERE no_w_id = 1 AND no_d_id = 8 "
      "AND no_o_id = 22");
  database->script(
      "UPDATE new_order SET no_o_id = 22 WHERE no_w_id = 1 AND no_d_id = 8 "
      "AND no_o_id = 122");
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
                  database->is_now("ol_delivery_d") +
                  ") FROM order_line WHERE ol_w_id = 1 AND ol_o_id = 22 AND ol_d_id <> 7"),
            "9|45|45|t|t");
  EXPECT_EQ(value("SELECT count(ol_delivery_d) FROM order_line WHERE ol_o_id > 22 "
                  "OR ol_o_id = 22 AND (ol_w_id = 2 OR ol_d_id = 7)"),
            "0");
  // Order 22 has 5 lines of 22 n + 0.11 d and belongs to customer 22 * 7 % 60 + 1 = 35.
  Rows expected;
  for (int d = 1; d <= 10; ++d) {
    if (d == 7) continue;
    expected.push_back(fmt::format("1|{}|35|{:.2f}|500.00|1|1", d, -500 + 22 * 15 + 0.55 * d));
  }
  EXPECT_EQ(changed_customers(), expected);
}

TEST_P(Transactions, DeliveryOfNothingSkipsEveryDistrict) {
  database->script("DELETE FROM new_order");
  const std::string before = everything();
  EXPECT_EQ(execute(DeliveryInput{.w_id = 2, .carrier_id = 1}).districts_skipped, 10);
  EXPECT_EQ(everything(), before);
}

TEST_P(Transactions, DeliveryOfAnOrderWithoutARowIsAnErrorAndLeavesNothing) {
  database->script("DELETE FROM oorder WHERE o_w_id = 1 AND o_d_id = 6 AND o_id = 22");
  const std::string before = everything();
  EXPECT_THROW(execute(DeliveryInput{.w_id = 1, .carrier_id = 1}), database::Error);
  EXPECT_EQ(everything(), before);
}

TEST_P(Transactions, StockLevelReadsOnly) {
  const std::string before = everything();
  EXPECT_TRUE(execute(StockLevelInput{.w_id = 1, .d_id = 4, .threshold = 20}).committed);
  EXPECT_THROW(execute(StockLevelInput{.w_id = 3, .d_id = 4, .threshold = 20}), database::Error);
  EXPECT_EQ(everything(), before);
}

}  // namespace
}  // namespace drover::tpcc
