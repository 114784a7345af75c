// Sessions on a real server: handed out in turn, lost with their server and opened anew.
#include "tpcc/postgres/postgres_backend.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/error.h"
#include "tpcc/postgres/small_database_test.h"

namespace drover::tpcc::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using database::Error;
using database::ErrorClass;
using database::embedded::StopMode;

class BackendTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    database = std::make_unique<SmallDatabase>();
    database->make("served");
  }
  static void TearDownTestSuite() { database.reset(); }

  static PostgresOptions options(std::size_t connections) {
    return {.conninfo = database->conninfo(),
            .schema = "served",
            .style = StatementStyle::batched,
            .connections = connections,
            .reconnect_patience = 150ms};
  }

  template <class T>
  T run(Task<T> task) {
    return database->run(std::move(task));
  }

  Error failure(Task<Outcome> task) {
    try {
      run(std::move(task));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorClass::statement, "", "there was no error"};
  }

  static std::unique_ptr<SmallDatabase> database;
};

std::unique_ptr<SmallDatabase> BackendTest::database;

const StockLevelInput level{.w_id = 1, .d_id = 1, .threshold = 10};
const DeliveryInput delivery{.w_id = 1, .carrier_id = 1};

Task<void> use(Backend& backend, int number, std::vector<int>& order, std::size_t& out,
               std::size_t& out_max) {
  Session* session = co_await backend.acquire();
  const SessionLease lease(backend, *session);
  order.push_back(number);
  out_max = std::max(out_max, ++out);
  co_await lease->execute(level);
  --out;
}

Task<void> use_by_many(Backend& backend, int tasks, std::vector<int>& order, std::size_t& out_max) {
  std::size_t out = 0;
  coro::CancelSource& source = co_await coro::current_source();
  coro::Scope scope(source);
  for (int i = 0; i < tasks; ++i) scope.start(use(backend, i, order, out, out_max));
  co_await scope.join();
}

TEST_F(BackendTest, HandsOutSessionsInTurn) {
  PostgresBackend backend(options(3));
  run(backend.open());
  std::vector<int> order;
  std::size_t out_max = 0;
  run(use_by_many(backend, 100, order, out_max));
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "first come, first served";
  EXPECT_EQ(out_max, 3U);
}

TEST_F(BackendTest, OpensMoreThanAFewAtATime) {
  PostgresBackend backend(options(40));
  run(backend.open());
  EXPECT_EQ(database->value("SELECT count(*) FROM pg_stat_activity "
                            "WHERE application_name = 'drover' AND pid <> pg_backend_pid()"),
            "40");
}

TEST_F(BackendTest, DoesNotOpenWhatIsNotThere) {
  PostgresOptions nowhere = options(3);
  nowhere.conninfo += " port=1";
  PostgresBackend refused(nowhere);
  try {
    run(refused.open());
    ADD_FAILURE() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable) << error.what();
  }
  PostgresOptions empty = options(3);
  empty.schema = "no_such_schema";
  PostgresBackend without_tables(empty);
  EXPECT_THROW(run(without_tables.open()), Error);
}

TEST_F(BackendTest, OpensALostConnectionAgain) {
  PostgresBackend backend(options(1));
  run(backend.open());
  database->script(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
      "WHERE application_name = 'drover' AND pid <> pg_backend_pid()");
  EXPECT_EQ(failure(execute_once(backend, level)).error_class(), ErrorClass::connection_lost);
  EXPECT_TRUE(run(execute_once(backend, level)).committed);
}

// A lost session does not hold up the others.
TEST_F(BackendTest, PrefersSessionsThatWork) {
  PostgresBackend backend(options(2));
  run(backend.open());
  database->script(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = "
      "(SELECT max(pid) FROM pg_stat_activity WHERE application_name = 'drover' "
      "AND pid <> pg_backend_pid())");
  int failures = 0;
  for (int i = 0; i < 6; ++i) {
    const Error error = failure(execute_once(backend, level));
    if (error.error_class() == ErrorClass::connection_lost) ++failures;
  }
  EXPECT_LE(failures, 1);
  EXPECT_EQ(database->value("SELECT count(*) FROM pg_stat_activity "
                            "WHERE application_name = 'drover' AND pid <> pg_backend_pid()"),
            "1")
      << "the other session is opened when it is needed";
}

TEST_F(BackendTest, OutlivesItsServer) {
  test::TestServer server;
  PostgresOptions own = options(2);
  own.conninfo = server.conninfo();
  own.schema = "";
  const auto connection = run(Connection::open(server.conninfo()));
  for (const Table table : all_tables) run(connection->script(create_table(table, "")));
  // The server commits without a flush: a crash would take the tables with it.
  run(connection->script("CHECKPOINT"));
  PostgresBackend backend(own);
  run(backend.open());
  EXPECT_EQ(run(execute_once(backend, delivery)).districts_skipped, 10);

  server.stop(StopMode::immediate);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(failure(execute_once(backend, delivery)).error_class(), ErrorClass::ambiguous_commit);
  }
  const coro::Instant before = database->worker().now();
  const Error down = failure(execute_once(backend, delivery));
  EXPECT_EQ(down.error_class(), ErrorClass::unavailable) << down.what();
  const coro::Duration waited = database->worker().now() - before;
  EXPECT_GE(waited, 150ms);
  EXPECT_LT(waited, 5s);

  server.start();
  EXPECT_EQ(run(execute_once(backend, delivery)).districts_skipped, 10);
  EXPECT_EQ(run(execute_once(backend, delivery)).districts_skipped, 10);
}

}  // namespace
}  // namespace drover::tpcc::postgres
