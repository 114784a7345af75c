// Administrative sessions: limits of roles and databases, locks that other sessions hold, cancelled
// statements, and warnings of the server.
#include <gtest/gtest.h>
#include <atomic>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/dialect.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/session_setup.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;

class Administration : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<test::TestServer>();
    coro::Worker worker;
    const auto make = [&]() -> Task<void> {
      const auto connection = co_await Connection::open(server->conninfo());
      co_await connection->script(
          "CREATE ROLE hurried LOGIN; GRANT ALL ON SCHEMA public TO hurried; "
          "ALTER ROLE hurried SET statement_timeout = '1s'; "
          "ALTER ROLE hurried SET lock_timeout = '2s'; "
          "ALTER ROLE hurried SET idle_in_transaction_session_timeout = '3s'; "
          "ALTER ROLE hurried SET idle_session_timeout = '4s'; "
          "CREATE TABLE held (number int)");
    };
    coro::block_on(worker, make());
  }
  static void TearDownTestSuite() { server.reset(); }

  template <class T>
  T run(Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  static Task<std::string> limits_of(Connection& connection) {
    const Result limits = co_await connection.query(
        "SELECT concat_ws(' ', current_setting('statement_timeout'), "
        "current_setting('lock_timeout'), "
        "current_setting('idle_in_transaction_session_timeout'), "
        "current_setting('idle_session_timeout'))");
    co_return std::string(limits.text(0, 0));
  }

  static Task<std::int64_t> sessions_at_work() {
    const auto connection = co_await Connection::open(server->conninfo());
    const Result counted = co_await connection->query(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = "
        "'active' AND pid <> pg_backend_pid()");
    co_return counted.number<std::int64_t>(0, 0);
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
};

std::unique_ptr<test::TestServer> Administration::server;

TEST_F(Administration, HasNoLimitsThatARoleHas) {
  const auto body = [&]() -> Task<void> {
    const Access access{.conninfo = server->conninfo() + " user=hurried"};
    const auto administrative = co_await open_in_schema(access);
    EXPECT_EQ(co_await limits_of(*administrative), "0 0 0 0");
    const auto known = co_await open_connection(access, Pooling::none);
    EXPECT_EQ(co_await limits_of(*known), "0 0 0 0");
    const auto of_a_run = co_await open_for_run(access, Pooling::none);
    EXPECT_EQ(co_await limits_of(*of_a_run), "1s 2s 3s 4s");
  };
  run(body());
}

TEST_F(Administration, HasNoneInTransactionsOfAPooler) {
  const auto body = [&]() -> Task<void> {
    const Access access{.conninfo = server->conninfo() + " user=hurried"};
    const auto connection = co_await open_connection(access, Pooling::transaction);
    EXPECT_EQ(co_await limits_of(*connection), "0 0 0 4s");
  };
  run(body());
}

TEST_F(Administration, AStatementThatIsGivenUpIsCancelledInTheServer) {
  const auto body = [&]() -> Task<void> {
    for (const bool is_pipeline : {false, true}) {
      {
        const auto connection = co_await open_connection({.conninfo = server->conninfo()});
        const std::string sleep = "SELECT pg_sleep(3600)";
        Task<Result> statement = is_pipeline ? connection->query(sleep) : connection->script(sleep);
        const auto give_up = coro::Worker::current().now() + 100ms;
        try {
          co_await coro::with_deadline(give_up, std::move(statement));
          ADD_FAILURE() << "it has slept for an hour";
        } catch (const coro::DeadlineExceeded&) {
        }
      }
      std::int64_t at_work = 1;
      const auto latest = coro::Worker::current().now() + 60s;
      while (at_work > 0 && coro::Worker::current().now() < latest) {
        at_work = co_await sessions_at_work();
        co_await coro::sleep_for(10ms);
      }
      EXPECT_EQ(at_work, 0) << "pipeline: " << is_pipeline;
    }
  };
  run(body());
}

TEST_F(Administration, SaysWhoHoldsTheLock) {
  const auto body = [&]() -> Task<void> {
    const auto holder = co_await Connection::open(server->conninfo() + " application_name=nightly");
    co_await holder->script("BEGIN");
    co_await holder->script("LOCK TABLE held IN ACCESS EXCLUSIVE MODE");
    std::vector<std::string> lines;
    // The first line about the lock makes the test release it.
    coro::Scope scope(co_await coro::current_source());
    const auto let_go = [&]() -> Task<void> { co_await holder->script("ROLLBACK"); };
    const auto waiting = co_await open_connection(
        {.conninfo = server->conninfo(), .on_session_note = [&](std::string_view line) {
           lines.emplace_back(line);
           if (lines.size() == 1) scope.start(let_go());
         }});
    co_await waiting->query("SELECT count(*) FROM held");
    co_await scope.join();
    EXPECT_EQ(lines.size(), 1U);
    if (lines.empty()) co_return;
    EXPECT_TRUE(lines[0].starts_with(
        fmt::format("waiting for a lock that is held by session {} (application nightly, user ",
                    holder->backend_pid())))
        << lines[0];
    EXPECT_NE(lines[0].find("idle in transaction, its last statement began 20"), std::string::npos)
        << lines[0];
  };
  run(body());
}

// The gate's tests (test/dialect) see the note on each command.
TEST_F(Administration, NotesOnceThatADialectIsExperimental) {
  const auto body = [&]() -> Task<void> {
    std::vector<std::string> lines;
    Access access{.conninfo = server->conninfo(),
                  .dialect = Dialect::yugabyte,
                  .on_session_note = [&](std::string_view line) { lines.emplace_back(line); },
                  .support_told = std::make_shared<std::atomic_flag>()};
    co_await open_connection(access);
    co_await open_in_schema(access);
    const std::string note =
        "note: support for YugabyteDB is experimental and not tested against a server "
        "(docs/dialects.md)";
    EXPECT_EQ(lines, std::vector<std::string>{note});

    // PostgreSQL and Citus were tried.
    for (const Dialect tried : {Dialect::postgres, Dialect::citus}) {
      access.dialect = tried;
      access.support_told = std::make_shared<std::atomic_flag>();
      co_await open_connection(access);
    }
    EXPECT_EQ(lines.size(), 1U);
  };
  run(body());
}

TEST(OldServerNote, NamesTheVersion) {
  const auto note = old_server_note(100000, "10.0 OpenTenBase V2");
  ASSERT_TRUE(note.has_value());
  EXPECT_NE(note->find("PostgreSQL 10.0 OpenTenBase V2 is older than 14"), std::string::npos);
  EXPECT_TRUE(old_server_note(130022, "13.22").has_value());
  EXPECT_FALSE(old_server_note(140000, "14.0").has_value());
}

TEST_F(Administration, NeedsNoRightToTheViewsOfTheServer) {
  const auto body = [&]() -> Task<void> {
    const auto owner = co_await Connection::open(server->conninfo());
    const std::string views = "pg_settings, pg_stat_database, pg_stat_activity";
    co_await owner->script(fmt::format("REVOKE SELECT ON {} FROM PUBLIC", views));
    const auto connection =
        co_await open_in_schema({.conninfo = server->conninfo() + " user=hurried"});
    const ServerFacts facts = co_await read_server_facts(*connection);
    EXPECT_EQ(facts.settings.at("fsync"), "off");
    EXPECT_GT(facts.connections_max, 0);
    EXPECT_GE(facts.connections_used, 1);
    EXPECT_TRUE(facts.notes.empty());
    const auto identity = co_await identify_session(*connection);
    EXPECT_TRUE(identity.has_value());
    if (identity) EXPECT_EQ(identity->pid, connection->backend_pid());
    co_await owner->script(fmt::format("GRANT SELECT ON {} TO PUBLIC", views));

    // Settings that the role may not read are left out, with a note.
    co_await owner->script("REVOKE EXECUTE ON FUNCTION current_setting(text, boolean) FROM PUBLIC");
    const ServerFacts few = co_await read_server_facts(*connection);
    EXPECT_EQ(few.connections_max, 0);
    EXPECT_EQ(few.notes.size(), 1U);
    co_await owner->script("GRANT EXECUTE ON FUNCTION current_setting(text, boolean) TO PUBLIC");
  };
  run(body());
}

TEST_F(Administration, WarningsAreKept) {
  const auto body = [&]() -> Task<void> {
    const auto connection = co_await open_connection({.conninfo = server->conninfo()});
    EXPECT_TRUE(connection->take_warnings().empty());
    co_await connection->script("DO $$BEGIN RAISE NOTICE 'a'; RAISE WARNING 'b'; END$$");
    EXPECT_EQ(connection->take_warnings(), std::vector<std::string>{"b"});
    EXPECT_TRUE(connection->take_warnings().empty());
    co_await connection->script(
        "DO $$BEGIN FOR i IN 1..100 LOOP RAISE WARNING '%', i; END LOOP; END$$");
    EXPECT_EQ(connection->take_warnings().size(), Connection::warnings_most);
  };
  run(body());
}

// Citus refuses the generic plan of a statement that reads several shards, with 0A000.
TEST_F(Administration, ForcesGenericPlansWhereTheDialectCanExecuteThem) {
  struct Case {
    Dialect dialect;
    bool generic_plans;
    std::string_view mode;
  };
  const std::vector<Case> cases = {{Dialect::postgres, true, "force_generic_plan"},
                                   {Dialect::postgres, false, "auto"},
                                   {Dialect::yugabyte, true, "force_generic_plan"},
                                   {Dialect::citus, true, "auto"}};
  const auto body = [&]() -> Task<void> {
    for (const Case& one : cases) {
      const SessionSettings settings = {
          .access = {.conninfo = server->conninfo(), .dialect = one.dialect},
          .generic_plans = one.generic_plans};
      const OpenedSession opened = co_await open_session(settings, {});
      const Result mode = co_await opened.connection->query("SHOW plan_cache_mode");
      EXPECT_EQ(mode.text(0, 0), one.mode) << traits_of(one.dialect).name;
    }
  };
  run(body());
}

}  // namespace
}  // namespace drover::database::postgres
