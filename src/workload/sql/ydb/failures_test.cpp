// Failures of scripts on the test server: repeated transactions and lost sessions.
#include <gmock/gmock.h>

#include "database/postgres/connection.h"
#include "workload/sql/ydb/script_fixture_test.h"

namespace drover::sql::ydb {
namespace {

using database::Error;
using database::ErrorClass;
using database::postgres::Connection;
using testing::EndsWith;
using testing::HasSubstr;

class FailuresOnYdb : public ScriptsOnYdb {
 protected:
  void SetUp() override {
    ScriptsOnYdb::SetUp();
    if (server == nullptr) return;
    change_scheme("CREATE TABLE noted (part Int64 NOT NULL, n Int64, PRIMARY KEY (part));");
  }
  void TearDown() override {
    if (server != nullptr) server->set_faults("{}");
  }

  std::string noted() { return query("SELECT part, n FROM noted ORDER BY part;"); }

  // Returns the error of an attempt with the faults.
  Error failed_by(const std::string& faults, const std::string& text) {
    const auto made = client(text);
    server->set_faults(faults);
    ScriptTransaction transaction(*made->client, 0);
    const Error error = error_of(made->attempt(transaction));
    server->set_faults("{}");
    EXPECT_EQ(transaction.commit_sent(), error.error_class() == ErrorClass::ambiguous_commit);
    return error;
  }
};

constexpr const char* transfer =
    "DECLARE $inner AS Int64;\nDECLARE $n AS Int64;\n"
    "\\set drawn random(1, 1000000000)\nBEGIN;\n\\set inner random(1, 1000000000)\n\\set n :n + 1\n"
    "UPSERT INTO noted (part, n) VALUES ($inner, $n);\nSELECT COUNT(*) FROM noted;\nEND;\n";

TEST_F(FailuresOnYdb, ATransactionIsRepeatedWithItsVariablesAndNumbers) {
  const auto made = client(transfer);
  made->set("n", 0);
  std::vector<std::string> drawn;
  ScriptTransaction transaction(*made->client, 0);
  for (const char* method : {"CommitTransaction", "ExecuteQuery", "CommitTransaction"}) {
    server->set_faults(fmt::format(R"({{"aborted": {{"count": 1, "methods": ["{}"]}}}})", method));
    const Error error = error_of(made->attempt(transaction));
    EXPECT_EQ(error.error_class(), ErrorClass::retryable);
    EXPECT_EQ(error.sqlstate(), "ABORTED");
    EXPECT_FALSE(transaction.commit_sent());
    drawn.push_back(made->variable("drawn") + " " + made->variable("inner"));
  }
  run(made->attempt(transaction));
  drawn.push_back(made->variable("drawn") + " " + made->variable("inner"));
  EXPECT_EQ(drawn, std::vector<std::string>(4, drawn[0]));
  EXPECT_EQ(made->variable("n"), "1");
  EXPECT_EQ(noted(), made->variable("inner") + ",1");
  EXPECT_TRUE(transaction.commit_sent());
}

TEST_F(FailuresOnYdb, WhatAScriptHasCommittedIsNotCommittedTwice) {
  const auto made = client(
      "DECLARE $n AS Int64;\n\\set n 1\nINSERT INTO noted (part, n) VALUES (1, $n);\nBEGIN;\n"
      "\\set n :n + 1\nINSERT INTO noted (part, n) VALUES (2, $n);\nCOMMIT;\n"
      "INSERT INTO noted (part, n) VALUES (3, $n);\n");
  // The requests are INSERT, INSERT, a COMMIT that fails, INSERT, COMMIT, an INSERT that fails,
  // INSERT.
  server->set_faults(R"({"aborted": {"count": 1, "methods": ["CommitTransaction"]},
                         "unavailable": {"count": 1, "skip": 3, "methods": ["ExecuteQuery"]}})");
  EXPECT_EQ(run(made->repeat()), 3);
  EXPECT_EQ(noted(), "1,1\n2,2\n3,2");
}

// The other transaction has changed a row that this one has read. The PostgreSQL behind the test
// server refuses this at the write or the commit, as YDB would.
TEST_F(FailuresOnYdb, AConflictIsRepeated) {
  executed("UPSERT INTO noted (part, n) VALUES (1, 0);");
  const auto made = client(
      "DECLARE $n AS Int64;\nBEGIN;\nSELECT n FROM noted WHERE part = 1 \\gset\n\\sleep :pause ms\n"
      "UPSERT INTO noted (part, n) VALUES (1, $n + 1);\nCOMMIT;\n");
  made->set("pause", 0);
  auto session_of = [&]() { return made->backend->acquire(); };
  database::Session* const held = run(session_of());
  auto& session = static_cast<ScriptSession&>(*held);
  const std::vector<Statement>& statements = made->plan.scripts->statements();
  run(session.execute(statements[0], made->client->variables));
  run(session.execute(statements[1], made->client->variables));
  executed("UPDATE noted SET n = n + 10 WHERE part = 1;");
  auto rest = [&]() -> Task<void> {
    co_await session.execute(statements[2], made->client->variables);
    co_await session.execute(statements[3], made->client->variables);
  };
  EXPECT_EQ(error_of(rest()).error_class(), ErrorClass::retryable);
  run(session.roll_back());
  made->backend->release(*held);
  EXPECT_EQ(run(made->repeat()), 1);
  EXPECT_EQ(noted(), "1,11");
}

TEST_F(FailuresOnYdb, ALostSessionIsReplacedInTheMiddle) {
  int round = 0;
  for (const char* fault : {"bad_session", "session_expired", "session_busy", "attach_cut"}) {
    for (const char* method : {"ExecuteQuery", "CommitTransaction"}) {
      const auto made = client(transfer);
      made->set("n", ++round);
      server->set_faults(fmt::format(R"({{"{}": {{"count": 1, "skip": {}, "methods": ["{}"]}}}})",
                                     fault, std::string_view(method) == "ExecuteQuery" ? 1 : 0,
                                     method));
      const int attempts = run(made->repeat());
      // The answer to the commit may arrive before the client notices the end of the session.
      EXPECT_TRUE(attempts == 2 || std::string_view(fault) == "attach_cut") << fault << attempts;
      EXPECT_EQ(noted(), fmt::format("{},{}", made->variable("inner"), round + 1));
    }
  }
}

TEST_F(FailuresOnYdb, ASessionThatEndsInAPauseHasCommittedNothing) {
  const auto made = client("BEGIN;\nUPSERT INTO noted (part, n) VALUES (1, 1);\nCOMMIT;\n");
  database::Session* const held = run(made->backend->acquire());
  auto& session = static_cast<ScriptSession&>(*held);
  const std::vector<Statement>& statements = made->plan.scripts->statements();
  run(session.execute(statements[0], made->client->variables));
  run(session.execute(statements[1], made->client->variables));
  server->act(R"({"action": "attach_cut"})");
  EXPECT_EQ(error_of(session.execute(statements[2], made->client->variables)).error_class(),
            ErrorClass::retryable);
  run(session.roll_back());
  made->backend->release(*held);
  EXPECT_EQ(noted(), "");
}

TEST_F(FailuresOnYdb, ALostConnectionWithinATransactionHasCommittedNothing) {
  for (const char* fault : {"transport_before", "transport_after", "stream_cut"}) {
    const Error error = failed_by(
        fmt::format(R"({{"{}": {{"count": 1, "skip": 1, "methods": ["ExecuteQuery"]}}}})", fault),
        "BEGIN;\nUPSERT INTO noted (part, n) VALUES (1, 1);\nSELECT 1;\nCOMMIT;\n");
    EXPECT_EQ(error.error_class(), ErrorClass::connection_lost) << fault;
    EXPECT_THAT(error.what(), HasSubstr("test.yql:3: SELECT 1;: ExecuteQuery at 127.0.0.1"));
  }
  EXPECT_EQ(noted(), "");
}

TEST_F(FailuresOnYdb, ThatOnlyReadsHasCommittedNothing) {
  for (const char* fault : {"transport_before", "transport_after"}) {
    const std::string faults =
        fmt::format(R"({{"{}": {{"count": 1, "methods": ["ExecuteQuery"]}}}})", fault);
    for (const char* text : {"SELECT 1;", "$x = 1; SELECT $x;", "SELECT 1 \\; SELECT 2;"}) {
      EXPECT_EQ(failed_by(faults, text).error_class(), ErrorClass::connection_lost) << text;
    }
  }
}

TEST_F(FailuresOnYdb, ACommitWithoutAnAnswerIsAmbiguous) {
  constexpr const char* in_transaction =
      "BEGIN;\nINSERT INTO noted (part, n) VALUES (1, 1);\nEND;\n";
  constexpr const char* alone = "INSERT INTO noted (part, n) VALUES (2, 1);\n";
  const auto is_ambiguous = [&](const char* fault, const char* method, const char* text) {
    const Error error = failed_by(
        fmt::format(R"({{"{}": {{"count": 1, "methods": ["{}"]}}}})", fault, method), text);
    EXPECT_EQ(error.error_class(), ErrorClass::ambiguous_commit) << fault << error.what();
  };
  for (const char* fault : {"undetermined_lost", "transport_before"}) {
    is_ambiguous(fault, "CommitTransaction", in_transaction);
    is_ambiguous(fault, "ExecuteQuery", alone);
  }
  EXPECT_EQ(noted(), "");
  is_ambiguous("undetermined_committed", "CommitTransaction", in_transaction);
  is_ambiguous("transport_after", "ExecuteQuery", alone);
  EXPECT_EQ(noted(), "1,1\n2,1");
}

TEST_F(FailuresOnYdb, AStatementIsWaitedForAsLongAsItsTimeout) {
  executed("UPSERT INTO noted (part, n) VALUES (1, 0);");
  ScriptBackendSettings settings;
  settings.run.statement_timeout_s = 0.2;
  const auto reading = client("SELECT n FROM noted;", settings);
  const auto writing = client("UPSERT INTO noted (part, n) VALUES (2, 0);", settings);
  const auto within = client("BEGIN;\nSELECT n FROM noted;\nEND;", settings);
  const auto lock = run(Connection::open(server->postgres()));
  const auto named = run(lock->query(
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^t[0-9]+_noted$' "
      "ORDER BY oid DESC LIMIT 1"));
  run(lock->script("BEGIN"));
  run(lock->script(fmt::format("LOCK TABLE ydb_server.{}", named.text(0, 0))));
  const Error error = error_of(reading->execute());
  EXPECT_EQ(error.error_class(), ErrorClass::connection_lost);
  EXPECT_EQ(error.sqlstate(), "TRANSPORT_DEADLINE_EXCEEDED");
  EXPECT_EQ(error_of(writing->execute()).error_class(), ErrorClass::ambiguous_commit);
  EXPECT_EQ(error_of(within->execute()).error_class(), ErrorClass::connection_lost);
  run(lock->script("ROLLBACK"));
}

TEST_F(FailuresOnYdb, AnOverloadedServerIsGivenTime) {
  const Error error =
      failed_by(R"({"overloaded": {"count": 1, "methods": ["ExecuteQuery"]}})", "SELECT 1;");
  EXPECT_EQ(error.error_class(), ErrorClass::retryable);
  EXPECT_EQ(error.backoff(), database::Backoff::slow);
}

}  // namespace
}  // namespace drover::sql::ydb
