// A connection on a real server: statements, pipelines, errors, loss, cancellation.
#include "database/postgres/connection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;

class OnServer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<test::TestServer>(
        std::vector<std::string>{"deadlock_timeout=20ms", "max_connections=100"});
  }
  static void TearDownTestSuite() { server.reset(); }

  template <class T>
  T run(Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  std::unique_ptr<Connection> open() { return run(Connection::open(server->conninfo())); }

  // The first column of the first row of a statement.
  std::string value(Connection& connection, std::string sql) {
    const Result result = run(connection.query(std::move(sql)));
    return result.rows() == 0 ? "no row" : std::string(result.text(0, 0));
  }

  void script(Connection& connection, std::string sql) { run(connection.script(std::move(sql))); }

  template <class T>
  Error error_of(Task<T> task) {
    try {
      run(std::move(task));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorClass::statement, "", "there was no error"};
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
};

std::unique_ptr<test::TestServer> OnServer::server;

#define EXPECT_ERROR(error, wanted_class, wanted_sqlstate)                          \
  do {                                                                              \
    const Error seen = (error);                                                     \
    EXPECT_EQ(error_class_name(seen.error_class()), error_class_name(wanted_class)) \
        << seen.what();                                                             \
    EXPECT_EQ(seen.sqlstate(), wanted_sqlstate) << seen.what();                     \
  } while (false)

const Statement begin{"begin", "BEGIN"};
const Statement commit{"commit", "COMMIT"};
const Statement rollback{"rollback", "ROLLBACK"};
const Statement add{"add", "INSERT INTO numbers VALUES ($1::int4)"};
const Statement count{"count", "SELECT count(*)::int4 FROM numbers"};
const Statement wait{"wait", "SELECT pg_sleep(60)"};
const std::array basic = {begin, commit, rollback, add, count, wait};
const std::array without_table = {begin, commit, rollback, wait};

// Keeps the error of a task, for tasks that run side by side.
template <class T>
Task<void> keep_error(Task<T> task, std::optional<Error>& kept) {
  try {
    co_await std::move(task);
  } catch (const Error& error) {
    kept = error;
  }
}

Task<void> side_by_side(Task<void> first, Task<void> second) {
  coro::CancelSource& source = co_await coro::current_source();
  coro::Scope scope(source);
  scope.start(std::move(first));
  scope.start(std::move(second));
  co_await scope.join();
}

TEST_F(OnServer, APipelineAnswersInOrder) {
  const auto connection = open();
  script(*connection, "CREATE TEMP TABLE numbers (n int PRIMARY KEY)");
  run(connection->prepare(basic));
  EXPECT_FALSE(connection->in_transaction());
  connection->send(begin);
  for (int i = 0; i < 100; ++i) {
    connection->send(add, i);
    connection->send(count);
  }
  const Results results = run(connection->run());
  ASSERT_EQ(results.size(), 201U);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(results[static_cast<std::size_t>(1 + 2 * i)].affected(), 1);
    EXPECT_EQ(results[static_cast<std::size_t>(2 + 2 * i)].int4(0, 0), i + 1);
  }
  EXPECT_TRUE(connection->in_transaction());
  connection->send(commit);
  run(connection->run(Commits::yes));
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(run(connection->run()).size(), 0U) << "an empty pipeline";
  EXPECT_FALSE(connection->broken());
}

TEST_F(OnServer, AnErrorInAPipelineIsTheFirstOneAndLeavesTheSession) {
  const auto connection = open();
  script(*connection, "CREATE TEMP TABLE numbers (n int PRIMARY KEY)");
  run(connection->prepare(basic));
  connection->send(begin);
  connection->send(add, 1);
  connection->send(add, 1);
  connection->send(add, 2);
  connection->send(commit);
  const Error error = error_of(connection->run(Commits::yes));
  EXPECT_ERROR(error, ErrorClass::statement, "23505");
  EXPECT_NE(std::string(error.what()).find("(n)=(1)"), std::string::npos) << error.what();
  EXPECT_FALSE(connection->broken());
  EXPECT_TRUE(connection->in_transaction());
  EXPECT_ERROR(error_of(connection->execute(count)), ErrorClass::statement, "25P02");
  run(connection->execute(rollback));
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(run(connection->execute(count)).int4(0, 0), 0);
}

// A statement outside of a transaction is committed at the end of its pipeline: after its result.
TEST_F(OnServer, AnErrorOfTheCommitItselfIsThrown) {
  const auto connection = open();
  script(*connection,
         "CREATE TEMP TABLE numbers (n int UNIQUE DEFERRABLE INITIALLY DEFERRED);"
         "INSERT INTO numbers VALUES (1)");
  run(connection->prepare(basic));
  connection->send(add, 1);
  EXPECT_ERROR(error_of(connection->run(Commits::yes)), ErrorClass::statement, "23505");
  EXPECT_FALSE(connection->broken());
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(run(connection->execute(count)).int4(0, 0), 1);
  connection->send(begin);
  connection->send(add, 1);
  connection->send(commit);
  EXPECT_ERROR(error_of(connection->run(Commits::yes)), ErrorClass::statement, "23505");
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(run(connection->execute(count)).int4(0, 0), 1);
}

TEST_F(OnServer, ErrorsHaveTheirClass) {
  const auto connection = open();
  EXPECT_ERROR(error_of(connection->query("SELECT * FROM nowhere")), ErrorClass::statement,
               "42P01");
  EXPECT_ERROR(error_of(connection->script("SELECT * FROM nowhere")), ErrorClass::statement,
               "42P01");
  EXPECT_ERROR(error_of(connection->query("SELECT 1/0")), ErrorClass::statement, "22012");
  const std::array broken_statement = {Statement{"broken", "SELEC 1"}};
  EXPECT_ERROR(error_of(connection->prepare(broken_statement)), ErrorClass::statement, "42601");
  EXPECT_ERROR(error_of(connection->execute(add, 1)), ErrorClass::statement, "26000");
  script(*connection,
         "DROP ROLE IF EXISTS nobody_much; CREATE ROLE nobody_much;"
         "CREATE TABLE IF NOT EXISTS secret (n int); SET ROLE nobody_much");
  EXPECT_ERROR(error_of(connection->query("SELECT * FROM secret")), ErrorClass::denied, "42501");
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(value(*connection, "SELECT 7"), "7");
}

TEST_F(OnServer, ASerializationFailureMayBeTriedAgain) {
  const auto first = open();
  const auto second = open();
  script(*first, "DROP TABLE IF EXISTS counter; CREATE TABLE counter AS SELECT 1 AS n");
  script(*first, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM counter");
  script(*second, "UPDATE counter SET n = n + 1");
  EXPECT_ERROR(error_of(first->query("UPDATE counter SET n = n + 1")), ErrorClass::retryable,
               "40001");
  EXPECT_FALSE(first->broken());
  EXPECT_TRUE(first->in_transaction());
}

TEST_F(OnServer, OneOfTwoInADeadlockMayTryAgain) {
  const auto first = open();
  const auto second = open();
  script(*first,
         "DROP TABLE IF EXISTS pair; CREATE TABLE pair AS SELECT 1 AS id, 0 AS n "
         "UNION ALL SELECT 2, 0");
  script(*first, "BEGIN; UPDATE pair SET n = 1 WHERE id = 1");
  script(*second, "BEGIN; UPDATE pair SET n = 2 WHERE id = 2");
  std::optional<Error> first_error;
  std::optional<Error> second_error;
  // Both roll back or commit, so that the one that is not chosen goes on.
  run(side_by_side(
      keep_error(first->script("UPDATE pair SET n = 1 WHERE id = 2; COMMIT"), first_error),
      keep_error(second->script("UPDATE pair SET n = 2 WHERE id = 1; COMMIT"), second_error)));
  ASSERT_NE(first_error.has_value(), second_error.has_value());
  EXPECT_ERROR(first_error ? *first_error : *second_error, ErrorClass::retryable, "40P01");
  EXPECT_FALSE(first->broken() || second->broken());
}

// A statement that cannot be sent throws where it is sent: here, inside of a task.
Task<void> ask(Connection& connection) {
  co_await connection.query("SELECT 1");
}

Task<void> terminate_when_it_waits(Connection& connection, std::string pid) {
  for (;;) {
    const Result waiting = co_await connection.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid = " + pid);
    if (waiting.rows() == 1) break;
    co_await coro::sleep_for(1ms);
  }
  co_await connection.query("SELECT pg_terminate_backend(" + pid + ")");
}

TEST_F(OnServer, ASessionThatIsEndedWhileItWaitsIsLost) {
  const auto killer = open();
  for (const Commits commits : {Commits::no, Commits::yes}) {
    const auto victim = open();
    run(victim->prepare(without_table));
    const std::string pid = value(*victim, "SELECT pg_backend_pid()");
    victim->send(begin);
    victim->send(wait);
    if (commits == Commits::yes) victim->send(commit);
    std::optional<Error> error;
    run(side_by_side(keep_error(victim->run(commits), error),
                     terminate_when_it_waits(*killer, pid)));
    ASSERT_TRUE(error);
    // The COMMIT came after the statement during which the server ended the session.
    EXPECT_ERROR(*error, ErrorClass::connection_lost, "57P01");
    EXPECT_TRUE(victim->broken());
    EXPECT_ERROR(error_of(ask(*victim)), ErrorClass::connection_lost, "");
    EXPECT_ERROR(error_of(victim->script("SELECT 1")), ErrorClass::connection_lost, "");
    EXPECT_TRUE(victim->broken());
  }
}

TEST_F(OnServer, ASessionThatWasEndedWhileIdleIsLostAtItsNextUse) {
  const auto killer = open();
  for (int use = 0; use < 3; ++use) {
    const auto victim = open();
    run(victim->prepare(without_table));
    const std::string pid = value(*victim, "SELECT pg_backend_pid()");
    run(killer->query("SELECT pg_terminate_backend(" + pid + ", 5000)"));
    EXPECT_FALSE(victim->broken()) << "nobody has looked yet";
    const Error error = use == 0   ? error_of(victim->execute(begin))
                        : use == 1 ? error_of(victim->script("SELECT 1"))
                                   : error_of(victim->copy_begin("COPY numbers FROM STDIN"));
    EXPECT_EQ(error.error_class(), ErrorClass::connection_lost) << error.what();
    EXPECT_NE(std::string(error.what()).find("administrator command"), std::string::npos)
        << error.what();
    EXPECT_TRUE(victim->broken());
  }
}

Task<void> pause() {
  co_await coro::sleep_for(2ms);
}

// The socket of the lost connection is closed, and its number is given to the new one.
TEST_F(OnServer, ALostConnectionDoesNotHarmTheNext) {
  const auto killer = open();
  for (int use = 0; use < 2; ++use) {
    auto lost = open();
    const std::string pid = value(*lost, "SELECT pg_backend_pid()");
    run(killer->query("SELECT pg_terminate_backend(" + pid + ", 5000)"));
    const Error error =
        use == 0 ? error_of(lost->query("SELECT 1")) : error_of(lost->script("SELECT 1"));
    EXPECT_EQ(error.error_class(), ErrorClass::connection_lost) << error.what();
    const auto next = open();
    EXPECT_EQ(value(*next, "SELECT 1"), "1");
    lost.reset();
    const coro::Instant late = worker.now() + 10s;
    const Result slept = run(coro::with_deadline(late, next->query("SELECT pg_sleep(0.05), 7")));
    EXPECT_EQ(slept.text(0, 1), "7");
  }
}

Task<void> pause_for(coro::Duration duration) {
  co_await coro::sleep_for(duration);
}

// Epoll reports a hang-up whether it was asked for or not.
TEST_F(OnServer, ASessionThatIsGoneLetsTheWorkerSleep) {
  const auto killer = open();
  const auto idle = open();
  const std::string pid = value(*idle, "SELECT pg_backend_pid()");
  run(killer->query("SELECT pg_terminate_backend(" + pid + ", 5000)"));
  const auto before = worker.statistics().sleeps.load();
  run(pause_for(100ms));
  EXPECT_LT(worker.statistics().sleeps.load() - before, 50U);
}

// Whatever the server calls it: a session that it ended is lost.
TEST_F(OnServer, ASessionThatTimedOutIsLost) {
  const auto connection = open();
  const auto other = open();
  const std::string pid = value(*connection, "SELECT pg_backend_pid()");
  script(*connection, "SET idle_in_transaction_session_timeout = '10ms'; BEGIN");
  for (int i = 0; i < 1000; ++i) {
    if (value(*other, "SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == "0") break;
    run(pause());
  }
  EXPECT_ERROR(error_of(connection->query("SELECT 1")), ErrorClass::connection_lost, "25P03");
  EXPECT_TRUE(connection->broken());
}

Task<void> stop_server(test::TestServer& server) {
  co_await coro::sleep_for(50ms);
  server.stop();
}

TEST_F(OnServer, ACrashOfTheServerIsALoss) {
  const auto waiting = open();
  const auto committing = open();
  const auto idle = open();
  run(waiting->prepare(without_table));
  run(committing->prepare(without_table));
  committing->send(wait);
  committing->send(commit);
  waiting->send(wait);
  std::optional<Error> lost;
  std::optional<Error> ambiguous;
  Task<void> both = side_by_side(keep_error(waiting->run(), lost),
                                 keep_error(committing->run(Commits::yes), ambiguous));
  run(side_by_side(std::move(both), stop_server(*server)));
  ASSERT_TRUE(lost && ambiguous);
  EXPECT_EQ(lost->error_class(), ErrorClass::connection_lost) << lost->what();
  EXPECT_EQ(ambiguous->error_class(), ErrorClass::ambiguous_commit) << ambiguous->what();
  EXPECT_TRUE(waiting->broken());
  EXPECT_TRUE(committing->broken());
  EXPECT_EQ(error_of(idle->query("SELECT 1")).error_class(), ErrorClass::connection_lost);
  EXPECT_TRUE(idle->broken());
  const Error refused = error_of(Connection::open(server->conninfo()));
  EXPECT_ERROR(refused, ErrorClass::unavailable, "");
  server->start();
  EXPECT_EQ(value(*open(), "SELECT 1"), "1");
}

TEST_F(OnServer, ADeadlineBreaksTheConnection) {
  const auto connection = open();
  const coro::Instant soon = worker.now() + 30ms;
  EXPECT_THROW(run(coro::with_deadline(soon, connection->query("SELECT pg_sleep(60)"))),
               coro::DeadlineExceeded);
  EXPECT_TRUE(connection->broken());
  const auto another = open();
  const coro::Instant later = worker.now() + 30ms;
  EXPECT_THROW(run(coro::with_deadline(later, another->script("SELECT pg_sleep(60)"))),
               coro::DeadlineExceeded);
  EXPECT_TRUE(another->broken());
}

Task<void> open_and_sleep(std::string conninfo, int& done) {
  const auto connection = co_await Connection::open(std::move(conninfo));
  co_await connection->query("SELECT pg_sleep(1)");
  ++done;
}

Task<void> many(std::string conninfo, int connections, int& done) {
  coro::CancelSource& source = co_await coro::current_source();
  coro::Scope scope(source);
  for (int i = 0; i < connections; ++i) scope.start(open_and_sleep(conninfo, done));
  co_await scope.join();
}

TEST_F(OnServer, SixtyFourConnectionsWaitAtOnceOnOneThread) {
  int done = 0;
  const coro::Instant started = worker.now();
  run(many(server->conninfo(), 64, done));
  EXPECT_EQ(done, 64);
  EXPECT_LT(worker.now() - started, 64 * 1s / 2);
}

TEST_F(OnServer, ALargeResultComesWhole) {
  const auto connection = open();
  const Result result =
      run(connection->query("SELECT repeat(chr(97 + n), 10000000) FROM generate_series(0, 4) n"));
  ASSERT_EQ(result.rows(), 5);
  for (int row = 0; row < 5; ++row) {
    EXPECT_TRUE(result.text(row, 0) == std::string(10'000'000, static_cast<char>('a' + row)));
  }
}

// Neither side reads unless the other one does.
TEST_F(OnServer, BothSidesMaySendAtOnce) {
  const auto connection = open();
  const Statement twice{"twice", "SELECT $1::text || $1::text"};
  run(connection->prepare(std::span(&twice, 1)));
  const std::string sent(1'000'000, 'x');
  for (int i = 0; i < 20; ++i) connection->send(twice, sent);
  const Results results = run(connection->run());
  ASSERT_EQ(results.size(), 20U);
  for (const Result& result : results) EXPECT_EQ(result.text(0, 0).size(), 2 * sent.size());
}

TEST_F(OnServer, AScriptGivesItsLastResultOrItsFirstError) {
  const auto connection = open();
  const Result last =
      run(connection->script("SELECT 1; CREATE TEMP TABLE t (n int); "
                             "INSERT INTO t VALUES (1), (2); SELECT sum(n) FROM t"));
  EXPECT_EQ(last.text(0, 0), "3");
  EXPECT_ERROR(error_of(connection->script("INSERT INTO t VALUES (3); SELECT 1/0; SELECT nowhere")),
               ErrorClass::statement, "22012");
  EXPECT_EQ(value(*connection, "SELECT count(*) FROM t"), "2") << "a script is one transaction";
  run(connection->script(""));
  EXPECT_EQ(value(*connection, "SELECT count(*) FROM t"), "2");
  EXPECT_EQ(run(connection->query("SELECT $1::int4 + $2::int4", 40, 2)).text(0, 0), "42");
  EXPECT_FALSE(connection->parameter_status("server_version").empty());
  EXPECT_EQ(connection->parameter_status("no_such_parameter"), "");
}

// Whoever runs a COPY as a script would wait for himself.
TEST_F(OnServer, ACopyWithoutCopyBeginIsAnError) {
  for (const char* sql :
       {"COPY pg_class TO STDOUT", "CREATE TEMP TABLE t (n int); COPY t FROM STDIN"}) {
    EXPECT_EQ(error_of(open()->script(sql)).error_class(), ErrorClass::statement) << sql;
  }
  EXPECT_EQ(error_of(open()->query("COPY pg_class TO STDOUT")).error_class(),
            ErrorClass::statement);
  EXPECT_EQ(error_of(open()->copy_begin("COPY pg_class TO STDOUT")).error_class(),
            ErrorClass::statement);
  const auto connection = open();
  EXPECT_EQ(error_of(connection->copy_begin("SELECT 1")).error_class(), ErrorClass::statement);
  EXPECT_FALSE(connection->broken());
}

}  // namespace
}  // namespace drover::database::postgres
