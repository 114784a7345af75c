// A connection each of whose transactions begins with its setup, as behind a pooler, on a real
// server.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/connection.h"
#include "database/postgres/server_facts.h"
#include "database/postgres/session_setup.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;

const Statement begin_statement{"begin", "BEGIN"};
const Statement begin_read_only{"begin_ro", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
const Statement commit_statement{"commit", "COMMIT"};
const Statement add_statement{"add", "INSERT INTO added VALUES ($1::int4)"};
const Statement timeout{"timeout", "SELECT current_setting('statement_timeout')"};
const Statement isolation{"isolation", "SELECT current_setting('transaction_isolation')"};

class EachTransaction : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  void SetUp() override {
    plain = run(Connection::open(server->conninfo()));
    run(plain->script("DROP TABLE IF EXISTS added; CREATE TABLE added (number int4 PRIMARY KEY)"));
    connection = run(Connection::open(server->conninfo()));
    connection->set_up_each_transaction({.begin = "BEGIN ISOLATION LEVEL SERIALIZABLE"});
    run(set(*connection, "SET statement_timeout = '7s'"));
  }

  template <class T>
  T run(Task<T> task) {
    return coro::block_on(worker, std::move(task));
  }

  template <class T>
  Error error_of(Task<T> task) {
    try {
      run(std::move(task));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorClass::statement, "", "there was no error"};
  }

  // What the session itself has: of SQL that is not ours nothing is set up.
  std::string of_session(const std::string& sql) {
    const auto ask = [&]() -> Task<std::string> {
      connection->ask(sql);
      std::string text;
      for (;;) {
        if (!connection->answer_is_here()) co_await connection->wait_for_answer();
        const Result result = connection->take_answer();
        if (result.get() == nullptr) co_return text;
        text = result.text(0, 0);
      }
    };
    return run(ask());
  }

  std::int64_t rows() {
    return run(plain->query("SELECT count(*) FROM added")).number<std::int64_t>(0, 0);
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::unique_ptr<Connection> plain;
  std::unique_ptr<Connection> connection;
};

std::unique_ptr<test::TestServer> EachTransaction::server;

TEST_F(EachTransaction, BeginsWithTheSetupAndAnswersWhatWasAsked) {
  connection->send(begin_statement);
  connection->send(timeout);
  connection->send(isolation);
  connection->send(add_statement, std::int32_t{1});
  const Results first = run(connection->run());
  ASSERT_EQ(first.size(), 4U);
  EXPECT_EQ(first[1].text(0, 0), "7s");
  EXPECT_EQ(first[2].text(0, 0), "serializable");
  EXPECT_TRUE(connection->in_transaction());
  connection->send(timeout);
  connection->send(commit_statement);
  const Results second = run(connection->run(Commits::yes));
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].text(0, 0), "7s");
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(rows(), 1);
}

// prepare() gets the dialect's text of a statement, and send() gets the text for PostgreSQL.
TEST_F(EachTransaction, SendsTheTextThatWasPrepared) {
  const Statement ours{"answer", "SELECT 'ours'"};
  const std::array<Statement, 1> theirs = {Statement{"answer", "SELECT 'theirs'"}};
  const auto prepare_and_ask = [&](Connection& asked) -> Task<std::string> {
    co_await asked.prepare(theirs);
    const Result answer = co_await asked.execute(ours);
    co_return std::string(answer.text(0, 0));
  };
  EXPECT_EQ(run(prepare_and_ask(*connection)), "theirs");
  EXPECT_EQ(run(prepare_and_ask(*plain)), "theirs");
}

TEST_F(EachTransaction, OfAKindOfItsOwnKeepsThat) {
  connection->send(begin_read_only);
  connection->send(isolation);
  connection->send(timeout);
  connection->send(commit_statement);
  const Results results = run(connection->run());
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[1].text(0, 0), "repeatable read");
  EXPECT_EQ(results[2].text(0, 0), "7s");
}

TEST_F(EachTransaction, AStatementAloneIsOne) {
  EXPECT_EQ(run(connection->execute(isolation)).text(0, 0), "serializable");
  EXPECT_EQ(run(connection->query("SELECT current_setting('statement_timeout')")).text(0, 0), "7s");
  connection->send(add_statement, std::int32_t{1});
  const Results results = run(connection->run(Commits::yes));
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].affected(), 1);
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(rows(), 1);
}

TEST_F(EachTransaction, AStatementAloneThatFailsLeavesNone) {
  run(connection->execute(add_statement, std::int32_t{1}));
  const Error error = error_of(connection->execute(add_statement, std::int32_t{1}));
  EXPECT_EQ(error.sqlstate(), "23505");
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_FALSE(connection->broken());
  run(connection->execute(add_statement, std::int32_t{2}));
  EXPECT_EQ(rows(), 2);
}

TEST_F(EachTransaction, OfWhichTheAnswerIsLostIsAmbiguous) {
  run(plain->script("BEGIN"));
  run(plain->script("LOCK TABLE added"));
  const auto kill = [&]() -> Task<void> {
    const auto killer = co_await Connection::open(server->conninfo());
    for (int killed = 0; killed == 0; co_await coro::sleep_for(10ms)) {
      const Result result = co_await killer->query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      killed = result.rows();
    }
  };
  const auto both = [&]() -> Task<void> {
    coro::Scope killing(co_await coro::current_source());
    killing.start(kill());
    connection->send(add_statement, std::int32_t{1});
    std::exception_ptr error;
    try {
      co_await connection->run(Commits::yes);
    } catch (const Error&) {
      error = std::current_exception();
    }
    co_await killing.join();
    if (error) std::rethrow_exception(error);
  };
  EXPECT_EQ(error_of(both()).error_class(), ErrorClass::ambiguous_commit);
  EXPECT_TRUE(connection->broken());
}

TEST_F(EachTransaction, NothingIsPreparedAndNothingStays) {
  const std::array statements = {add_statement, timeout};
  run(connection->prepare(statements));
  run(connection->execute(timeout));
  EXPECT_EQ(of_session("SELECT count(*) FROM pg_prepared_statements"), "0");
  EXPECT_EQ(of_session("SHOW statement_timeout"), "0");
  EXPECT_EQ(of_session("SHOW default_transaction_isolation"), "read committed");
}

TEST_F(EachTransaction, ScriptsBeginWithTheSetup) {
  EXPECT_EQ(run(connection->script("SHOW statement_timeout")).text(0, 0), "7s");
  run(connection->script("BEGIN"));
  EXPECT_EQ(run(connection->script("SHOW statement_timeout")).text(0, 0), "7s");
  EXPECT_EQ(run(connection->script("SHOW transaction_isolation")).text(0, 0), "serializable");
  run(connection->script("ROLLBACK"));
  run(connection->script("BEGIN;\nINSERT INTO added VALUES (1)"));
  EXPECT_EQ(run(connection->script("SHOW statement_timeout")).text(0, 0), "7s");
  run(connection->script("COMMIT"));
  EXPECT_EQ(rows(), 1);
  run(connection->script("VACUUM added"));
  EXPECT_EQ(of_session("SHOW statement_timeout"), "0");
}

TEST_F(EachTransaction, AScriptThatFailsLeavesNone) {
  EXPECT_EQ(error_of(connection->script("SELECT 1 / 0")).sqlstate(), "22012");
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(run(connection->script("SELECT 1")).text(0, 0), "1");
}

TEST_F(EachTransaction, WhatTheServerDoesNotKnowIsNotInTheSetup) {
  const std::size_t before = connection->setup()->settings.size();
  EXPECT_EQ(error_of(set(*connection, "SET there_is_none = 1")).error_class(),
            ErrorClass::statement);
  run(set_if_known(*connection, "SET there_is_none = 1"));
  EXPECT_EQ(connection->setup()->settings.size(), before);
  run(set_if_known(*connection, "SET lock_timeout = '3s'"));
  EXPECT_EQ(run(connection->query("SELECT current_setting('lock_timeout')")).text(0, 0), "3s");
}

// A transaction that was left behind is found by its name, whichever process has it.
TEST_F(EachTransaction, IsEndedByItsName) {
  const auto identity = run(identify_session(*connection));
  ASSERT_TRUE(identity);
  EXPECT_TRUE(identity->application_name.starts_with("drover "));
  const std::array sessions = {*identity};
  EXPECT_TRUE(run(end_sessions(*plain, sessions, 10s)));
  EXPECT_EQ(run(connection->query("SELECT 1")).text(0, 0), "1") << "it was in no transaction";
  run(connection->script("BEGIN"));
  EXPECT_TRUE(run(end_sessions(*plain, sessions, 60s)));
  EXPECT_EQ(error_of(connection->script("COMMIT")).error_class(), ErrorClass::connection_lost);
}

TEST_F(EachTransaction, NamesDiffer) {
  const auto one = run(identify_session(*connection));
  const auto other = run(identify_session(*connection));
  EXPECT_NE(one->application_name, other->application_name);
}

TEST_F(EachTransaction, WithoutAPoolerThereIsNone) {
  EXPECT_EQ(run(find_pooling(*plain, {server->conninfo()})), Pooling::none);
}

}  // namespace
}  // namespace drover::database::postgres
