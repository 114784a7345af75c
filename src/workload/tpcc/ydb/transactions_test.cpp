// What the transactions do on YDB alone: as many requests as is said, and texts that stay UTF-8.
// What every database has to do is in tpcc/every_database.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/ydb/small_database_test.h"

namespace drover::tpcc::ydb {
namespace {

class YdbTransactions : public testing::TestWithParam<StatementStyle> {
 protected:
  static void SetUpTestSuite() { database = SmallYdbDatabase::shared_if_possible(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    if (!database) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    database->reset();
    const BackendSettings settings{.style = GetParam(), .connections = 1};
    backend = std::make_unique<YdbBackend>(database->database(), settings);
    database->run(backend->open());
  }

  Outcome execute(Input input) { return database->run(execute_once(*backend, std::move(input))); }

  std::string value(std::string sql) { return database->value(std::move(sql)); }

  // What a transaction asks of the server: how many ExecuteQuery calls.
  std::int64_t calls_of(Input input) {
    return increase_of("requests", "ExecuteQuery", std::move(input));
  }

  // And how many of them want their results at the same time.
  std::int64_t concurrent_calls_of(Input input) {
    return increase_of("counts", "concurrent result sets", std::move(input));
  }

  std::int64_t increase_of(const char* group, const char* name, Input input) {
    const auto count = [&] {
      return database->server().state().at(group).value(name, std::int64_t{0});
    };
    const std::int64_t before = count();
    execute(std::move(input));
    return count() - before;
  }

  static std::shared_ptr<SmallYdbDatabase> database;
  std::unique_ptr<YdbBackend> backend;
};

std::shared_ptr<SmallYdbDatabase> YdbTransactions::database;

INSTANTIATE_TEST_SUITE_P(Styles, YdbTransactions, both_styles(), name_of_style);

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

TEST_P(YdbTransactions, TakeAsManyRequestsAsIsSaid) {
  const bool batched = GetParam() == StatementStyle::batched;
  OrderStatusInput status{};
  status.customer = {.c_w_id = 1, .c_d_id = 4, .by_name = false, .c_id = 8, .c_last = 0};
  EXPECT_EQ(calls_of(order_of(1, 1, 1, {{1, 1, 1}, {2, 2, 1}})), batched ? 2 : 10);
  EXPECT_EQ(calls_of(payment_of(1, 4, 7, 100)), batched ? 2 : 5);
  EXPECT_EQ(calls_of(payment_by_name(1, 4, 3, 100)), batched ? 2 : 6);
  EXPECT_EQ(calls_of(status), batched ? 1 : 3);
  EXPECT_EQ(calls_of(DeliveryInput{.w_id = 1, .carrier_id = 1}), batched ? 4 : 17);
  EXPECT_EQ(calls_of(StockLevelInput{.w_id = 1, .d_id = 4, .threshold = 20}), batched ? 1 : 2);
}

// The server refuses to do so for a text that changes rows.
TEST_P(YdbTransactions, WantReadsOfOneRequestAtTheSameTime) {
  const bool batched = GetParam() == StatementStyle::batched;
  OrderStatusInput status{};
  status.customer = {.c_w_id = 1, .c_d_id = 4, .by_name = false, .c_id = 8, .c_last = 0};
  OrderStatusInput status_by_name = status;
  status_by_name.customer = payment_by_name(1, 4, 3, 100).customer;
  EXPECT_EQ(concurrent_calls_of(order_of(1, 1, 1, {{1, 1, 1}, {2, 2, 1}})), batched ? 1 : 0);
  EXPECT_EQ(concurrent_calls_of(payment_of(1, 4, 7, 100)), 0) << "its reads are of RETURNING";
  EXPECT_EQ(concurrent_calls_of(status), batched ? 1 : 0);
  EXPECT_EQ(concurrent_calls_of(status_by_name), batched ? 1 : 0);
  EXPECT_EQ(concurrent_calls_of(DeliveryInput{.w_id = 1, .carrier_id = 1}), batched ? 2 : 0);
  EXPECT_EQ(concurrent_calls_of(StockLevelInput{.w_id = 1, .d_id = 4, .threshold = 20}),
            batched ? 1 : 0);
}

}  // namespace
}  // namespace drover::tpcc::ydb
