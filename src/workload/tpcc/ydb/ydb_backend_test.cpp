// Sessions on a server: lost with their node and opened anew; and the classes of what fails.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "database/error.h"
#include "workload/tpcc/every_database/tested_database_test.h"
#include "workload/tpcc/ydb/database_on_ydb.h"
#include "workload/tpcc/ydb/small_database_test.h"

namespace drover::tpcc::ydb {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using database::Error;
using database::ErrorClass;

class YdbBackendTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { database = SmallYdbDatabase::shared_if_possible(); }
  static void TearDownTestSuite() { database.reset(); }

  void SetUp() override {
    if (!database) GTEST_SKIP() << test::YdbTestServer::reason_to_skip();
    database->reset();
  }

  static BackendSettings settings(std::size_t connections) { return {.connections = connections}; }

  template <class T>
  T run(Task<T> task) {
    return database->run(std::move(task));
  }

  ErrorClass class_of(Backend& backend, Input input) {
    try {
      run(execute_once(backend, std::move(input)));
    } catch (const Error& error) {
      return error.error_class();
    }
    ADD_FAILURE() << "there was no error";
    return ErrorClass::statement;
  }

  // One that grants the server a second: on a machine that stands still that is too little.
  static std::unique_ptr<YdbBackend> opened_in_the_end(const BackendSettings& settings) {
    YdbDatabase hurried = database->database();
    hurried.client.opening_timeout = 1s;
    for (int left = 50;; --left) {
      auto backend = std::make_unique<YdbBackend>(hurried, settings);
      try {
        database->run(backend->open());
        return backend;
      } catch (const Error&) {
        if (left == 0) throw;
      }
    }
  }

  static std::shared_ptr<SmallYdbDatabase> database;
};

std::shared_ptr<SmallYdbDatabase> YdbBackendTest::database;

const StockLevelInput level{.w_id = 1, .d_id = 1, .threshold = 10};
const DeliveryInput first_delivery{.w_id = 1, .carrier_id = 1};

const PaymentInput small_payment = payment_of(1, 1, 1, 100);

TEST_F(YdbBackendTest, SaysWhatMayBeTriedAgain) {
  YdbBackend backend(database->database(), settings(1));
  run(backend.open());
  for (const char* fault : {"aborted", "overloaded", "unavailable", "late_error"}) {
    SCOPED_TRACE(fault);
    database->server().set_faults(fmt::format(R"({{"{}": {{"count": 1}}}})", fault));
    EXPECT_EQ(class_of(backend, small_payment), ErrorClass::retryable);
    EXPECT_TRUE(run(execute_once(backend, small_payment)).committed) << "the session goes on";
  }
  EXPECT_EQ(database->value("SELECT count(*) FROM history WHERE h_data <> 'at the load'"), "4");
}

// Nothing is in doubt where there was nothing to commit.
TEST_F(YdbBackendTest, ReadingIsNeverInDoubt) {
  YdbBackend backend(database->database(), settings(2));
  run(backend.open());
  database->server().set_faults(R"({"undetermined_lost": {"count": 1}})");
  EXPECT_EQ(class_of(backend, level), ErrorClass::retryable);
  database->server().set_faults(
      R"({"transport_after": {"count": 1, "methods": ["ExecuteQuery"]}})");
  EXPECT_EQ(class_of(backend, level), ErrorClass::connection_lost);
}

// The next attempt of the same transaction has another session, though nothing was given back.
TEST_F(YdbBackendTest, GoesOnWithAnotherSessionWhenTheServerHasEndedIts) {
  YdbBackend backend(database->database(), settings(1));
  run(backend.open());
  SessionTally sessions;
  const Input input = small_payment;
  auto body = [&]() -> Task<void> {
    for (const char* fault : {"bad_session", "session_expired", "session_busy"}) {
      database->server().set_faults(
          fmt::format(R"({{"{}": {{"count": 1, "methods": ["ExecuteQuery"]}}}})", fault));
      database::Session* session = co_await backend.acquire();
      const SessionLease lease(backend, *session);
      Trace trace;
      ErrorClass failure = ErrorClass::statement;
      try {
        co_await lease->execute(input, trace);
      } catch (const Error& error) {
        failure = error.error_class();
      }
      EXPECT_EQ(failure, ErrorClass::retryable) << fault;
      const Outcome second = co_await lease->execute(input, trace);
      EXPECT_TRUE(second.committed) << fault;
    }
  };
  run(beside_keep_open(backend, sessions, body));
  EXPECT_EQ(sessions.lost, 3);
  EXPECT_EQ(sessions.opened, 3);
  EXPECT_EQ(sessions.refused, 0);
  EXPECT_EQ(database->value("SELECT count(*) FROM history WHERE h_data <> 'at the load'"), "3");
}

// Whoever waits in line is before the one whose session was lost: two are out with one session.
TEST_F(YdbBackendTest, WaitsInLineForAnotherSession) {
  YdbBackend backend(database->database(), settings(1));
  run(backend.open());
  database->server().set_faults(R"({"bad_session": {"count": 1, "methods": ["ExecuteQuery"]}})");
  SessionTally sessions;
  const Input input = small_payment;
  std::vector<std::string> committed;
  auto transact = [&](std::string who, int attempts) -> Task<void> {
    database::Session* session = co_await backend.acquire();
    const SessionLease lease(backend, *session);
    for (int left = attempts; left > 0; --left) {
      Trace trace;
      try {
        if ((co_await lease->execute(input, trace)).committed) committed.push_back(who);
        break;
      } catch (const Error& error) {
        EXPECT_EQ(error.error_class(), ErrorClass::retryable) << error.what();
      }
    }
  };
  auto body = [&]() -> Task<void> {
    auto both = [&](coro::Scope& scope) -> Task<void> {
      scope.start(transact("first", 2));
      scope.start(transact("second", 1));
      co_return;
    };
    co_await coro::with_scope(both);
  };
  run(beside_keep_open(backend, sessions, body));
  EXPECT_THAT(committed, testing::ElementsAre("second", "first"));
}

// A transport that fails says nothing of what the server has done: the transaction is lost.
TEST_F(YdbBackendTest, OpensALostSessionAgain) {
  YdbBackend backend(database->database(), settings(1));
  run(backend.open());
  database->server().set_faults(
      R"({"transport_before": {"count": 1, "methods": ["ExecuteQuery"]}})");
  SessionTally sessions;
  auto body = [&]() -> Task<void> {
    ErrorClass failure = ErrorClass::statement;
    try {
      co_await execute_once(backend, small_payment);
    } catch (const Error& error) {
      failure = error.error_class();
    }
    EXPECT_EQ(failure, ErrorClass::connection_lost);
    const Outcome second = co_await execute_once(backend, small_payment);
    EXPECT_TRUE(second.committed);
  };
  run(beside_keep_open(backend, sessions, body));
  EXPECT_EQ(sessions.lost, 1);
  EXPECT_EQ(sessions.opened, 1);
  EXPECT_EQ(sessions.refused, 0);
}

TEST_F(YdbBackendTest, OutlivesItsServer) {
  const auto backend = opened_in_the_end(settings(3));
  SessionTally sessions;
  auto body = [&]() -> Task<void> {
    database->server().act(R"({"action": "node_down", "node": 1})");
    while (sessions.lost < 3 || sessions.refused < 1) co_await coro::sleep_for(1ms);
    EXPECT_EQ(sessions.opened, 0);
    database->server().act(R"({"action": "node_up", "node": 1})");
    const Outcome outcome = co_await execute_once(*backend, first_delivery);
    EXPECT_EQ(outcome.districts_skipped, 0);
    while (sessions.opened < 3) co_await coro::sleep_for(1ms);
  };
  run(beside_keep_open(*backend, sessions, body));
  EXPECT_EQ(sessions.lost, sessions.opened) << "all of them are back, and not only the one in use";
}

TEST_F(YdbBackendTest, GivesUpAtTheFirstRefusalWhenItIsToldNotToWait) {
  BackendSettings impatient = settings(1);
  impatient.run.on_db_loss = "fail";
  const auto backend = opened_in_the_end(impatient);
  database->server().act(R"({"action": "node_down", "node": 1})");
  SessionTally sessions;
  try {
    run(backend->keep_open(sessions));
    ADD_FAILURE() << "it goes on";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable) << error.what();
  }
  database->server().act(R"({"action": "node_up", "node": 1})");
  EXPECT_EQ(sessions.refused, 1);
}

// Said once, before a run, and not of each of its transactions. The probe changes nothing.
TEST_F(YdbBackendTest, SnapshotsForWritesAreAskedForBeforeARun) {
  const auto sums = [] { return database->value("SELECT count(*), sum(w_ytd) FROM warehouse"); };
  const std::string before = sums();
  const std::unique_ptr<Database> on_ydb = make_database(database->database());
  run(on_ydb->choose_isolation(Isolation::snapshot, {}));
  EXPECT_EQ(sums(), before);

  database->server().change_settings(R"({"snapshot_writes": false})");
  run(on_ydb->choose_isolation(Isolation::serializable, {}));
  std::string refusal = "not refused";
  try {
    run(on_ydb->choose_isolation(Isolation::snapshot, {}));
  } catch (const Error& error) {
    refusal = error.what();
  }
  database->server().change_settings(R"({"snapshot_writes": true})");
  EXPECT_THAT(refusal, testing::HasSubstr("--tx-mode snapshot-rw: this server does not support "
                                          "snapshot isolation for transactions that write: "));
  EXPECT_THAT(refusal, testing::HasSubstr("Writes aren't supported for Snapshot Isolation"));
  EXPECT_THAT(refusal, testing::HasSubstr("--tx-mode serializable-rw"));
  EXPECT_THAT(refusal, testing::HasSubstr("enable_snapshot_isolation_rw"));
}

TEST(HistoryKeysTest, AreNeverTheSame) {
  HistoryKeys one;
  HistoryKeys other;
  std::set<std::int64_t> keys;
  for (int i = 0; i < 1000; ++i) {
    keys.insert(one.next());
    keys.insert(other.next());
  }
  EXPECT_EQ(keys.size(), 2000U);
  const std::int64_t before = one.next();
  EXPECT_LT(before, one.next());
}

}  // namespace
}  // namespace drover::tpcc::ydb
