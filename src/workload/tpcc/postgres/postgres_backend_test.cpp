// Sessions on a real server: lost with their server and opened anew.
#include "workload/tpcc/postgres/database_on_postgres.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/error.h"
#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/postgres/small_database_test.h"

namespace drover::tpcc::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using database::Error;
using database::ErrorClass;
using database::embedded::StopMode;

constexpr const char* count_sessions =
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE application_name = 'drover' AND pid <> pg_backend_pid()";

class BackendTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    database = std::make_unique<SmallDatabase>();
    database->make("served");
  }
  static void TearDownTestSuite() { database.reset(); }

  static PostgresOptions options(std::size_t connections) {
    return {{.connections = connections}, {database->conninfo(), "served"}};
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

  // Again as long as it is too slow.
  template <class Attempt>
  static void in_time(Attempt attempt) {
    for (int left = 50;; --left) {
      try {
        return attempt();
      } catch (const Error& error) {
        if (error.error_class() != ErrorClass::timed_out || left == 0) throw;
      }
    }
  }

  // A session of the test before may still be ending.
  static std::string sessions_in_the_end(const std::string& expected) {
    std::string found;
    for (int left = 5'000; left > 0 && found != expected; --left) {
      found = database->value(count_sessions);
      if (found != expected) std::this_thread::sleep_for(10ms);
    }
    return found;
  }

  static std::unique_ptr<SmallDatabase> database;
};

std::unique_ptr<SmallDatabase> BackendTest::database;

const StockLevelInput level{.w_id = 1, .d_id = 1, .threshold = 10};
const DeliveryInput delivery{.w_id = 1, .carrier_id = 1};

TEST_F(BackendTest, OpensMoreThanAFewAtATime) {
  PostgresBackend backend(options(40));
  run(backend.open());
  EXPECT_EQ(sessions_in_the_end("40"), "40");
}

TEST_F(BackendTest, DoesNotOpenWhereThereAreNoTables) {
  PostgresOptions empty = options(3);
  empty.schema = "no_such_schema";
  PostgresBackend without_tables(empty);
  EXPECT_THROW(run(without_tables.open()), Error);
}

Task<ErrorClass> class_of_failure(Backend& backend, Input input) {
  try {
    co_await execute_once(backend, std::move(input));
  } catch (const Error& error) {
    co_return error.error_class();
  }
  ADD_FAILURE() << "there was no error";
  co_return ErrorClass::statement;
}

constexpr const char* end_all_sessions =
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
    "WHERE application_name = 'drover' AND pid <> pg_backend_pid()";
TEST_F(BackendTest, OpensALostConnectionAgain) {
  PostgresBackend backend(options(1));
  run(backend.open());
  database->script(end_all_sessions);
  SessionTally sessions;
  auto body = [&]() -> Task<void> {
    // No transaction fails if the worker has read that the idle session was ended.
    co_await coro::sleep_for(1ms);
    const Outcome outcome = co_await execute_once(backend, level);
    EXPECT_TRUE(outcome.committed);
  };
  run(beside_keep_open(backend, sessions, body));
  EXPECT_EQ(sessions.lost, 1);
  EXPECT_EQ(sessions.opened, 1);
  EXPECT_EQ(sessions.refused, 0);
}

// A lost session holds up nobody while another one works.
TEST_F(BackendTest, HandsOutNoLostSession) {
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
  EXPECT_EQ(sessions_in_the_end("1"), "1") << "nobody opens it without keep_open()";
}

TEST_F(BackendTest, OutlivesItsServer) {
  test::TestServer server;
  PostgresOptions own = options(3);
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
  SessionTally sessions;
  // Fails if the worker has not yet read that the session was ended; otherwise waits for another
  // session.
  auto deliver = [&]() -> Task<void> {
    try {
      co_await execute_once(backend, delivery);
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit) << error.what();
    }
  };
  auto body = [&]() -> Task<void> {
    coro::Scope deliveries(co_await coro::current_source());
    for (int i = 0; i < 3; ++i) deliveries.start(deliver());
    while (sessions.refused < 2) co_await coro::sleep_for(1ms);
    EXPECT_EQ(sessions.opened, 0);
    server.start();
    co_await deliveries.join();
    for (int i = 0; i < 3; ++i) {
      const Outcome outcome = co_await execute_once(backend, delivery);
      EXPECT_EQ(outcome.districts_skipped, 10);
    }
    while (sessions.opened < 3) co_await coro::sleep_for(1ms);
  };
  run(beside_keep_open(backend, sessions, body));
  EXPECT_EQ(sessions.lost, 3);
  EXPECT_EQ(sessions.opened, 3) << "all of them are back, and not only those that are needed";
}

TEST_F(BackendTest, GivesUpAtTheFirstRefusalWhenItIsToldNotToWait) {
  test::TestServer server;
  PostgresOptions own = options(1);
  own.conninfo = server.conninfo();
  own.schema = "";
  own.run.on_db_loss = "fail";
  const auto connection = run(Connection::open(server.conninfo()));
  for (const Table table : all_tables) run(connection->script(create_table(table, "")));
  PostgresBackend backend(own);
  run(backend.open());
  server.stop(StopMode::immediate);
  EXPECT_EQ(failure(execute_once(backend, level)).error_class(), ErrorClass::connection_lost);
  SessionTally sessions;
  try {
    run(backend.keep_open(sessions));
    ADD_FAILURE() << "it goes on";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable) << error.what();
  }
  EXPECT_EQ(sessions.refused, 1);
}

TEST_F(BackendTest, RefusesAServerThatTakesNoWrites) {
  PostgresOptions standby = options(1);
  standby.conninfo += " options='-c default_transaction_read_only=on'";
  PostgresBackend backend(standby);
  try {
    run(backend.open());
    ADD_FAILURE() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
    EXPECT_NE(std::string(error.what()).find("target_session_attrs=read-write"), std::string::npos);
  }
}

TEST_F(BackendTest, AStatementThatTakesTooLongIsCancelledAndTheSessionStays) {
  PostgresOptions hurried = options(1);
  hurried.run.statement_timeout_s = 0.3;
  std::unique_ptr<PostgresBackend> backend;
  // On a machine that stands still, what has nothing to wait for takes too long as well.
  in_time([&] {
    backend = std::make_unique<PostgresBackend>(hurried);
    run(backend->open());
  });
  database->script("BEGIN; LOCK TABLE stock IN ACCESS EXCLUSIVE MODE");
  EXPECT_EQ(failure(execute_once(*backend, level)).error_class(), ErrorClass::timed_out);
  database->script("ROLLBACK");
  bool committed = false;
  in_time([&] { committed = run(execute_once(*backend, level)).committed; });
  EXPECT_TRUE(committed);
}

TEST_F(BackendTest, AsksForTheIsolationLevel) {
  PostgresOptions strict = options(1);
  strict.isolation = Isolation::serializable;
  PostgresBackend backend(strict);
  run(backend.open());
  // Another one has written the row that this one wants, and commits while it waits.
  auto commit_when_awaited = [](Connection& other) -> Task<void> {
    for (;;) {
      const Result waits = co_await other.query("SELECT count(*) FROM pg_locks WHERE NOT granted");
      if (waits.text(0, 0) != "0") break;
      co_await coro::sleep_for(1ms);
    }
    co_await other.script("COMMIT");
  };
  auto body = [&]() -> Task<void> {
    const auto other = co_await open_in_schema({database->conninfo(), "served"});
    co_await other->script(
        "BEGIN; UPDATE customer SET c_balance = c_balance "
        "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 1");
    coro::CancelSource& source = co_await coro::current_source();
    coro::Scope scope(source);
    scope.start(commit_when_awaited(*other));
    const PaymentInput payment = payment_of(1, 1, 1, 100);
    const ErrorClass overtaken = co_await class_of_failure(backend, payment);
    EXPECT_EQ(overtaken, ErrorClass::retryable);
    co_await scope.join();
  };
  run(body());
}

}  // namespace
}  // namespace drover::tpcc::postgres
