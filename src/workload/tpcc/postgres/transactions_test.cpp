// What the transactions do on PostgreSQL alone: locks that Deliveries wait for, and statements
// asked for their answer. What every database has to do is in tpcc/every_database.
#include "workload/tpcc/postgres/transactions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/error.h"
#include "workload/tpcc/every_database/tested_database_test.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using testing::ElementsAre;

class PostgresTransactions : public testing::TestWithParam<StatementStyle> {
 protected:
  static void SetUpTestSuite() { database = std::make_unique<SmallDatabase>(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    database->make("small");
    PostgresOptions options;
    options.conninfo = database->conninfo();
    options.schema = "small";
    options.style = GetParam();
    options.connections = 2;
    backend = std::make_unique<PostgresBackend>(std::move(options));
    database->run(backend->open());
  }

  Outcome execute(Input input) { return database->run(execute_once(*backend, std::move(input))); }

  std::vector<std::string> rows(std::string sql) { return database->rows(std::move(sql)); }

  static std::unique_ptr<SmallDatabase> database;
  std::unique_ptr<PostgresBackend> backend;
};

std::unique_ptr<SmallDatabase> PostgresTransactions::database;

INSTANTIATE_TEST_SUITE_P(Styles, PostgresTransactions, both_styles(), name_of_style);

Task<void> expect_waiting(Connection& watcher, int sessions) {
  for (int i = 0; i < 5000; ++i) {
    const Result waiting = co_await watcher.query(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    if (waiting.text(0, 0) == fmt::format("{}", sessions)) co_return;
    co_await coro::sleep_for(std::chrono::milliseconds(1));
  }
  ADD_FAILURE() << "not " << sessions << " sessions wait for a lock";
}

Task<void> deliver_into(Backend& backend, std::int32_t carrier, std::optional<Outcome>& outcome) {
  try {
    const DeliveryInput input{.w_id = 1, .carrier_id = carrier};
    outcome = co_await execute_once(backend, input);
  } catch (const database::Error&) {  // it stays empty
  }
}

// Two Deliveries at once; a third session holds the first one up in its middle, and then lets it
// go on or ends it.
Task<void> two_deliveries(PostgresBackend& backend, std::string conninfo, bool kill_first,
                          std::optional<Outcome>& first, std::optional<Outcome>& second) {
  const auto blocker = co_await open_in_schema({conninfo, "small"});
  co_await blocker->script(
      "BEGIN; SELECT * FROM oorder WHERE o_w_id = 1 AND o_d_id = 1 "
      "AND o_id = 22 FOR UPDATE");
  coro::CancelSource& source = co_await coro::current_source();
  coro::Scope scope(source);
  scope.start(deliver_into(backend, 1, first));
  const auto watcher = co_await open_in_schema({conninfo, "small"});
  co_await expect_waiting(*watcher, 1);
  scope.start(deliver_into(backend, 2, second));
  co_await expect_waiting(*watcher, 2);
  if (kill_first) {
    co_await watcher->query(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' ORDER BY query_start LIMIT 1");
    co_await expect_waiting(*watcher, 1);
  }
  co_await blocker->script("ROLLBACK");
  co_await scope.join();
}

constexpr const char* delivered =
    "SELECT o_carrier_id, o_id, count(*) FROM oorder "
    "WHERE o_w_id = 1 AND o_id >= 22 AND o_carrier_id IS NOT NULL "
    "GROUP BY 1, 2 ORDER BY 1, 2";

TEST_P(PostgresTransactions, TwoDeliveriesAtOnceDeliverDifferentOrders) {
  std::optional<Outcome> first;
  std::optional<Outcome> second;
  database->run(two_deliveries(*backend, database->conninfo(), false, first, second));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->districts_skipped + second->districts_skipped, 0);
  EXPECT_THAT(rows(delivered), ElementsAre("1|22|10", "2|23|10"));
  database->expect_conditions(Money::exact);
}

TEST_P(PostgresTransactions, ADeliveryThatFailsLeavesItsOrdersToTheOther) {
  std::optional<Outcome> first;
  std::optional<Outcome> second;
  database->run(two_deliveries(*backend, database->conninfo(), true, first, second));
  EXPECT_FALSE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->districts_skipped, 0);
  EXPECT_THAT(rows(delivered), ElementsAre("2|22|10"));
  database->expect_conditions(Money::exact);
}

// The terminal's answer is not handed out: the same statement is asked once more.
TEST_P(PostgresTransactions, StockLevelCountsWhatIsLow) {
  execute(order_of(1, 2, 5, {{4000, 1, 1}, {4000, 1, 1}, {4001, 2, 1}}));
  database->script(
      "UPDATE stock SET s_quantity = 10 WHERE s_i_id IN (4000, 4001) AND s_w_id = 1; "
      "UPDATE stock SET s_quantity = 10 WHERE s_w_id = 2; "
      "UPDATE stock SET s_quantity = 15 WHERE s_i_id = 50");
  for (const std::int32_t threshold : {10, 15, 16, 20, 200}) {
    execute(StockLevelInput{.w_id = 1, .d_id = 2, .threshold = threshold});
    const std::string expected = database->value(fmt::format(
        "SELECT count(*) FROM stock WHERE s_w_id = 1 AND s_quantity < {} AND s_i_id IN "
        "(SELECT ol_i_id FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 AND ol_o_id BETWEEN "
        "12 AND 31)",
        threshold));
    const bool is_batched = GetParam() == StatementStyle::batched;
    const auto& statements = stock_level_statements.of(is_batched ? Shape::batched : Shape::single);
    const auto connection = database->run(open_in_schema({database->conninfo(), "small"}));
    database->run(connection->prepare(statements));
    const Result counted =
        is_batched ? database->run(connection->execute(statements[0], 1, 2, threshold))
                   : database->run(connection->execute(statements[1], 1, 2, 32, threshold));
    EXPECT_EQ(fmt::format("{}", counted.int4(0, 0)), expected) << threshold;
  }
}

}  // namespace
}  // namespace drover::tpcc::postgres
