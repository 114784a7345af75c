// Whether a commit without an answer happened, where PostgreSQL makes it hard to say. What every
// database has to know is in tpcc/every_database.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "coro/sleep.h"
#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/postgres/database_on_postgres.h"
#include "workload/tpcc/postgres/small_database_test.h"

namespace drover::tpcc::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;

class PostgresResolve : public testing::TestWithParam<StatementStyle> {
 protected:
  static void SetUpTestSuite() { database = std::make_unique<SmallDatabase>(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    database->make("doubted");
    PostgresOptions options;
    options.conninfo = database->conninfo();
    options.schema = "doubted";
    options.style = GetParam();
    backend = std::make_unique<PostgresBackend>(std::move(options));
    database->run(backend->open());
  }
  void TearDown() override { backend.reset(); }

  // Executes it, and doubts it then.
  UnknownCommit executed(Input input, std::uint32_t mark) {
    UnknownCommit doubt{std::move(input), {.mark = mark}};
    database->run(execute(*backend, doubt));
    EXPECT_TRUE(doubt.trace.commit_sent);
    return doubt;
  }

  std::vector<ResolvedCommit> resolve(std::vector<UnknownCommit> doubts) {
    return database->run(backend->resolve(std::move(doubts)));
  }

  static std::unique_ptr<SmallDatabase> database;
  std::unique_ptr<PostgresBackend> backend;
};

std::unique_ptr<SmallDatabase> PostgresResolve::database;

INSTANTIATE_TEST_SUITE_P(Styles, PostgresResolve, both_styles(), name_of_style);

const PaymentInput payment = payment_of(2, 5, 6, 123'45);

NewOrderInput order() {
  return order_of(1, 2, 3, {{10, 1, 1}, {11, 1, 2}, {12, 1, 3}, {13, 1, 4}, {14, 1, 5}});
}

// Tables of whole seconds have lost the marks: nobody knows, and it is said so.
TEST_P(PostgresResolve, DoesNotGuessWhereTheMarksAreLost) {
  const UnknownCommit ordered = executed(order(), 1);
  const UnknownCommit paid = executed(payment, 1);
  database->script("ALTER TABLE history ALTER h_date TYPE timestamp(0)");
  EXPECT_EQ(resolve({paid, ordered}),
            (std::vector<ResolvedCommit>{Resolution::unknown, Resolution::committed}));
}

// The server has been sent the commit and has not got to it: the session has to be ended first, or
// it would happen after we said that it had not.
TEST_P(PostgresResolve, EndsTheSessionsThatCouldStillDoIt) {
  std::vector<ResolvedCommit> answers;
  auto body = [&]() -> Task<void> {
    const auto other = co_await open_in_schema({database->conninfo(), "doubted"});
    co_await other->script(
        "BEGIN; SELECT FROM warehouse FOR UPDATE; SELECT FROM customer FOR UPDATE");
    UnknownCommit doubt{payment, {.mark = 77}};
    {
      database::Session* session = co_await backend->acquire();
      const SessionLease lease(*backend, *session);
      coro::CancelSource& source = co_await coro::current_source();
      coro::Scope scope(source);
      auto execute = [&]() -> Task<void> { co_await lease->execute(doubt.input, doubt.trace); };
      scope.start(execute());
      for (;;) {
        const Result waits =
            co_await other->query("SELECT count(*) FROM pg_locks WHERE NOT granted");
        if (waits.text(0, 0) != "0") break;
        co_await coro::sleep_for(1ms);
      }
      scope.cancel();
      co_await scope.join();
    }
    answers = co_await backend->resolve({doubt});
    const Result waits = co_await other->query("SELECT count(*) FROM pg_locks WHERE NOT granted");
    EXPECT_EQ(waits.text(0, 0), "0") << "the session is gone";
    co_await other->script("COMMIT");
  };
  database->run(body());
  EXPECT_EQ(answers, (std::vector<ResolvedCommit>{Resolution::not_committed}));
  EXPECT_EQ(database->value("SELECT count(*) FROM history WHERE h_amount = 123.45"), "0");
}

// By the difference: an order that is made is none that is delivered.
TEST_P(PostgresResolve, TheLedgerHasTheOrdersThatWereDelivered) {
  const auto tables = make_database({database->conninfo(), "doubted"});
  const auto read = [&] { return database->run(tables->read_ledger({1, 2})); };
  const LedgerSums before = read();
  executed(order(), 1);
  EXPECT_EQ(read().delivered(), before.delivered());
  EXPECT_EQ(read().next_o_ids, before.next_o_ids + 1);
  executed(DeliveryInput{.w_id = 2, .carrier_id = 3}, 2);
  EXPECT_EQ(read().delivered(), before.delivered() + 10);
  database->script("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id > 4");
  const LedgerSums fewer = read();
  executed(DeliveryInput{.w_id = 1, .carrier_id = 3}, 3);
  EXPECT_EQ(read().delivered(), fewer.delivered() + 4);
}

// So that hosts that share the warehouses each have their own.
TEST_P(PostgresResolve, TheLedgerIsOfTheWarehousesThatAreAskedFor) {
  const auto tables = make_database({database->conninfo(), "doubted"});
  const auto read = [&](WarehouseRange range) { return database->run(tables->read_ledger(range)); };
  const LedgerSums first = read({1, 1});
  const LedgerSums second = read({2, 2});
  const LedgerSums both = read({1, 2});
  EXPECT_EQ(first.next_o_ids + second.next_o_ids, both.next_o_ids);
  EXPECT_EQ(first.ytd_cents + second.ytd_cents, both.ytd_cents);
  EXPECT_EQ(first.delivered() + second.delivered(), both.delivered());
  executed(DeliveryInput{.w_id = 2, .carrier_id = 3}, 1);
  EXPECT_EQ(read({1, 1}).delivered(), first.delivered());
  EXPECT_EQ(read({2, 2}).delivered(), second.delivered() + 10);
}

// Somebody holds the tables: the end of a run does not wait for ever.
TEST_P(PostgresResolve, SaysUnknownWhenTheDataCannotBeReadInTime) {
  const UnknownCommit doubt = executed(order(), 1);
  database->script("BEGIN; LOCK TABLE order_line, district IN ACCESS EXCLUSIVE MODE");
  PostgresOptions options;
  options.conninfo = database->conninfo();
  options.schema = "doubted";
  options.resolve_timeout = 50ms;
  PostgresBackend hurried(options);
  EXPECT_EQ(database->run(hurried.resolve({doubt})), (std::vector<ResolvedCommit>(1)));
  const auto tables = make_database({database->conninfo(), "doubted"});
  EXPECT_FALSE(database->run(tables->read_ledger_within(50ms, {1, 2})));
  database->script("ROLLBACK");
  EXPECT_TRUE(database->run(tables->read_ledger_within(60s, {1, 2})));
}

}  // namespace
}  // namespace drover::tpcc::postgres
