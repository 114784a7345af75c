// Failures of scripts on a real server: repeated transactions and lost sessions.
#include <gmock/gmock.h>

#include "workload/sql/postgres/script_fixture_test.h"

namespace drover::sql::postgres {
namespace {

using database::ErrorClass;
using testing::HasSubstr;

class ScriptFailures : public ScriptFixture {
 protected:
  struct KeptOpen final : database::SessionObserver {
    void on_session_lost() noexcept override {}
    void on_session_refused(const database::Error& error) noexcept override {
      refusal = error.what();
    }
    void on_session_opened() noexcept override { ++opened; }

    std::uint64_t opened = 0;
    std::string refusal;
  };

  // Replaces the lost session. Returns after the first attempt.
  KeptOpen keep_open(ScriptClient& made) {
    KeptOpen kept;
    auto body = [&]() -> Task<void> {
      coro::CancelSource& source = co_await coro::current_source();
      coro::Scope scope(source);
      scope.start(made.backend->keep_open(kept));
      while (kept.refusal.empty() && kept.opened == 0) {
        co_await coro::sleep_for(std::chrono::milliseconds(5));
      }
      scope.cancel();
      co_await scope.join();
    };
    run(body());
    return kept;
  }

  // A function that fails with a serialization failure as often as its argument says.
  void make_fail_first() {
    query(
        "DROP SEQUENCE IF EXISTS calls; CREATE SEQUENCE calls; "
        "CREATE OR REPLACE FUNCTION fail_first(times int) RETURNS void LANGUAGE plpgsql AS $$ "
        "BEGIN "
        "IF nextval('calls') <= times THEN RAISE EXCEPTION 'once more' USING ERRCODE = '40001'; "
        "END IF; END $$; "
        "DROP TABLE IF EXISTS noted; CREATE TABLE noted (part int, n int)");
  }
};

TEST_F(ScriptFailures, ATransactionIsRepeatedWithItsVariablesAndNumbers) {
  make_fail_first();
  const auto made = client(
      "\\set drawn random(1, 1000000000)\nBEGIN;\n\\set inner random(1, 1000000000)\n\\set n :n + "
      "1\n"
      "INSERT INTO noted VALUES (:inner, :n);\nSELECT fail_first(3);\nEND;\n");
  made->set("n", 0);
  std::vector<std::string> drawn;
  ScriptTransaction transaction(*made->client, 0);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const database::Error error = error_of(made->attempt(transaction));
    EXPECT_EQ(error.error_class(), ErrorClass::retryable);
    EXPECT_STREQ(error.what(), "test.sql:6: SELECT fail_first(3);: once more [SQLSTATE 40001]");
    EXPECT_FALSE(transaction.commit_sent());
    drawn.push_back(made->variable("drawn") + " " + made->variable("inner"));
  }
  run(made->attempt(transaction));
  drawn.push_back(made->variable("drawn") + " " + made->variable("inner"));
  EXPECT_EQ(drawn, std::vector<std::string>(4, drawn[0]));
  EXPECT_EQ(made->variable("n"), "1");
  EXPECT_EQ(query("SELECT count(*), max(n) FROM noted"), "1,1");
  EXPECT_TRUE(transaction.commit_sent());
}

TEST_F(ScriptFailures, WhatAScriptHasCommittedIsNotCommittedTwice) {
  make_fail_first();
  const auto made = client(
      "\\set n 1\nINSERT INTO noted VALUES (1, :n);\nBEGIN;\n\\set n :n + 1\nINSERT INTO noted "
      "VALUES (2, :n);\n"
      "SELECT fail_first(1);\nCOMMIT;\nINSERT INTO noted SELECT 3, :n FROM fail_first(3);\n"
      "INSERT INTO noted VALUES (4, :n);");
  EXPECT_EQ(run(made->repeat()), 3);
  EXPECT_EQ(query("SELECT part, n FROM noted ORDER BY part"), "1,1\n2,2\n3,2\n4,2");
}

TEST_F(ScriptFailures, WhatCannotBeRepeatedByItselfIsNot) {
  make_fail_first();
  const auto chained = client(
      "BEGIN;\nINSERT INTO noted VALUES (1, 1);\nCOMMIT AND CHAIN;\nSELECT fail_first(100);\nEND;");
  const database::Error error = error_of(chained->execute());
  EXPECT_EQ(error.error_class(), ErrorClass::statement);
  EXPECT_EQ(error.sqlstate(), "40001");
  EXPECT_THAT(error.what(),
              HasSubstr("not retried, because part of the script is already committed"));
  const auto piped = client(
      "\\startpipeline\nINSERT INTO noted VALUES (2, 1);\n\\syncpipeline\nSELECT "
      "fail_first(100);\n\\endpipeline",
      Protocol::extended);
  EXPECT_EQ(error_of(piped->execute()).error_class(), ErrorClass::statement);
  const auto left_open = client(
      "\\startpipeline\nINSERT INTO noted VALUES (3, 1);\n\\syncpipeline\nBEGIN;\n\\endpipeline\n"
      "SELECT fail_first(100);\nEND;",
      Protocol::extended);
  EXPECT_EQ(error_of(left_open->execute()).error_class(), ErrorClass::statement);
  for (const char* text :
       {"BEGIN;\nSELECT 1;\nCOMMIT \\; SELECT fail_first(100);",
        "INSERT INTO noted VALUES (4, 1) \\; COMMIT \\; SELECT fail_first(100);",
        "BEGIN \\; SELECT 1 \\; COMMIT AND CHAIN \\; SELECT fail_first(100) \\; END;"}) {
    const database::Error joined = error_of(client(text)->execute());
    EXPECT_EQ(joined.error_class(), ErrorClass::statement) << text;
    EXPECT_THAT(joined.what(),
                HasSubstr("not retried, because part of the script is already committed"))
        << text;
  }
  EXPECT_EQ(query("SELECT part FROM noted ORDER BY part"), "1\n2\n3\n4");
}

// Joined statements commit nothing before a COMMIT among them has succeeded.
TEST_F(ScriptFailures, JoinedStatementsAreRepeated) {
  for (const char* text :
       {"BEGIN \\; INSERT INTO noted VALUES (1, 1) \\; SELECT fail_first(2) \\; COMMIT;",
        "INSERT INTO noted VALUES (1, 1) \\; SELECT fail_first(2) \\; COMMIT;",
        "INSERT INTO noted VALUES (1, 1) \\; SELECT fail_first(2);",
        "BEGIN;\nINSERT INTO noted VALUES (1, 1);\nSELECT fail_first(2) \\; COMMIT;",
        "BEGIN;\nROLLBACK \\; INSERT INTO noted VALUES (1, 1) \\; BEGIN;\nSELECT "
        "fail_first(2);\nEND;",
        "BEGIN \\; INSERT INTO noted VALUES (1, 1);\nSELECT fail_first(2);\nEND;"}) {
    make_fail_first();
    EXPECT_EQ(run(client(text)->repeat()), 3) << text;
    EXPECT_EQ(query("SELECT part FROM noted"), "1") << text;
  }
}

// A failed COMMIT commits nothing.
TEST_F(ScriptFailures, AJoinedCommitThatFailsIsRepeated) {
  make_fail_first();
  query(
      "CREATE OR REPLACE FUNCTION fail_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "PERFORM fail_first(2); RETURN NULL; END $$; "
      "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON noted DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION fail_at_commit()");
  EXPECT_EQ(run(client("BEGIN \\; INSERT INTO noted VALUES (1, 1) \\; COMMIT;")->repeat()), 3);
  EXPECT_EQ(query("SELECT part FROM noted"), "1");
}

// A retry sends the values that variables had before the joined statements, not the values that
// these stored before they failed.
TEST_F(ScriptFailures, JoinedStatementsAreRepeatedWithTheirVariables) {
  make_fail_first();
  const auto made = client(
      "SELECT :n::int + 1 AS n \\; SELECT 1 AS one FROM fail_first(2) \\; "
      "INSERT INTO noted VALUES (1, :n) \\aset");
  made->set("n", 5);
  EXPECT_EQ(run(made->repeat()), 3);
  EXPECT_EQ(query("SELECT n FROM noted"), "5");
  EXPECT_EQ(made->variable("n"), "6");
}

TEST_F(ScriptFailures, SavepointsDoNotPartATransaction) {
  make_fail_first();
  const auto made = client(
      "BEGIN;\nINSERT INTO noted VALUES (1, 1);\nSAVEPOINT s;\nINSERT INTO noted VALUES (2, 1);\n"
      "ROLLBACK TO SAVEPOINT s;\nSELECT fail_first(2);\nINSERT INTO noted VALUES (3, 1);\nEND;");
  EXPECT_EQ(run(made->repeat()), 3);
  EXPECT_EQ(query("SELECT part FROM noted ORDER BY part"), "1\n3");
}

TEST_F(ScriptFailures, WhatWasRolledBackMayBeRepeatedWithTheRest) {
  make_fail_first();
  const auto made = client(
      "BEGIN;\nINSERT INTO noted VALUES (1, 1);\nROLLBACK AND CHAIN;\nINSERT INTO noted VALUES (2, "
      "1);\nSELECT fail_first(2);\nEND;");
  EXPECT_EQ(run(made->repeat()), 3);
  EXPECT_EQ(query("SELECT part FROM noted"), "2");
}

TEST_F(ScriptFailures, APipelineIsRepeatedAsAWhole) {
  make_fail_first();
  const auto made = client(
      "\\set n 1\n\\startpipeline\nINSERT INTO noted VALUES (1, :n::int);\n\\set n :n + 1\nSELECT "
      "fail_first(2);\n"
      "INSERT INTO noted VALUES (2, :n::int);\n\\endpipeline",
      Protocol::prepared);
  EXPECT_EQ(run(made->repeat()), 3);
  EXPECT_EQ(query("SELECT part, n FROM noted ORDER BY part"), "1,1\n2,2");
}

// A sync within BEGIN and COMMIT, or after statements that only read, commits nothing.
TEST_F(ScriptFailures, APipelineWithSyncsIsRepeated) {
  for (const char* text :
       {"\\startpipeline\nBEGIN;\nINSERT INTO noted VALUES (1, 1);\n\\syncpipeline\n"
        "SELECT fail_first(2);\nEND;\n\\endpipeline",
        "\\startpipeline\nSELECT 1;\n\\syncpipeline\nINSERT INTO noted VALUES (1, 1);\n"
        "SELECT fail_first(2);\n\\endpipeline",
        "\\startpipeline\nINSERT INTO noted VALUES (1, 1);\nBEGIN;\n\\syncpipeline\n"
        "SELECT fail_first(2);\nEND;\n\\endpipeline"}) {
    make_fail_first();
    EXPECT_EQ(run(client(text, Protocol::extended)->repeat()), 3) << text;
    EXPECT_EQ(query("SELECT part FROM noted"), "1") << text;
  }
}

// The sessions of this database are read-only from the start, as on a standby.
TEST_F(ScriptFailures, AServerThatTakesNoWritesIsOfNoUseToAScriptThatWrites) {
  query("DROP TABLE IF EXISTS noted; CREATE TABLE noted (part int)");
  query("ALTER DATABASE drover SET default_transaction_read_only = on");
  for (const auto& [text, protocol] :
       {std::pair("INSERT INTO noted VALUES (1);", Protocol::simple),
        {"INSERT INTO noted VALUES (1);", Protocol::prepared},
        {"\\startpipeline\nINSERT INTO noted VALUES (1);\n\\endpipeline", Protocol::prepared}}) {
    const auto made = client(text, protocol);
    const database::Error error = error_of(made->execute());
    EXPECT_EQ(error.error_class(), ErrorClass::unavailable) << text;
    EXPECT_EQ(error.sqlstate(), "25006");
    // The outage lasts until a session can write.
    const KeptOpen kept = keep_open(*made);
    EXPECT_EQ(kept.opened, 0U);
    EXPECT_THAT(kept.refusal, HasSubstr("the server accepts no writes"));
  }
  const auto reader = client("SELECT count(*) FROM noted;");
  run(reader->execute());
  run(reader->execute());
  query("ALTER DATABASE drover RESET default_transaction_read_only");
}

TEST_F(ScriptFailures, AReadOnlyTransactionOfTheScriptLeavesTheSession) {
  query("DROP TABLE IF EXISTS noted; CREATE TABLE noted (part int)");
  for (const Protocol protocol : all_protocols) {
    const auto made = client("BEGIN READ ONLY;\nINSERT INTO noted VALUES (1);\nEND;", protocol);
    const database::Error error = error_of(made->execute());
    EXPECT_EQ(error.error_class(), ErrorClass::statement);
    EXPECT_EQ(error.sqlstate(), "25006");
    EXPECT_TRUE(run(made->session_is_idle()));
  }
}

// A foreign table reports this error if its own server is unreachable.
TEST_F(ScriptFailures, AnErrorAboutAConnectionOfTheServerLeavesTheSession) {
  const auto made = client("INSERT INTO noted SELECT 1 FROM broken();");
  query(
      "DROP TABLE IF EXISTS noted; CREATE TABLE noted (part int); "
      "CREATE OR REPLACE FUNCTION broken() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN "
      "RAISE EXCEPTION 'could not connect to server \"far\"' USING ERRCODE = '08001'; END $$");
  const database::Error error = error_of(made->execute());
  EXPECT_EQ(error.error_class(), ErrorClass::statement);
  EXPECT_EQ(error.sqlstate(), "08001");
  EXPECT_TRUE(run(made->session_is_idle()));
}

// A server of several nodes may report XX000 of a transaction that it has committed.
TEST_F(ScriptFailures, AnErrorOfSeveralNodesLeavesTheCommitUnknown) {
  query(
      "DROP TABLE IF EXISTS noted; CREATE TABLE noted (part int); "
      "CREATE OR REPLACE FUNCTION broken() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN "
      "RAISE EXCEPTION 'a node failed' USING ERRCODE = 'XX000'; END $$");
  struct Case {
    Protocol protocol;
    const char* text;
    ErrorClass expected;
  };
  for (const Case& c :
       {Case{Protocol::simple, "INSERT INTO noted SELECT 1 FROM broken();",
             ErrorClass::ambiguous_commit},
        Case{Protocol::prepared, "INSERT INTO noted SELECT 1 FROM broken();",
             ErrorClass::ambiguous_commit},
        Case{Protocol::extended,
             "\\startpipeline\nINSERT INTO noted SELECT 1 FROM broken();\n\\endpipeline",
             ErrorClass::ambiguous_commit},
        Case{Protocol::simple, "BEGIN;\nINSERT INTO noted SELECT 1 FROM broken();\nEND;",
             ErrorClass::statement},
        Case{Protocol::simple, "SELECT FROM broken();", ErrorClass::statement}}) {
    const auto made = client(c.text, c.protocol);
    const database::Error error = error_of(made->execute());
    EXPECT_EQ(error_class_name(error.error_class()), error_class_name(c.expected)) << c.text;
    EXPECT_EQ(error.sqlstate(), "XX000");
    EXPECT_TRUE(run(made->session_is_idle()));
  }
}

constexpr const char* somebody_waits_for_a_row =
    "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', "
    "'tuple')";
constexpr const char* somebody_waits_for_the_signal =
    "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'";

TEST_F(ScriptFailures, ASerializationFailureIsRepeated) {
  query(
      "DROP TABLE IF EXISTS rows; CREATE TABLE rows (id int PRIMARY KEY, n int); INSERT INTO rows "
      "VALUES (1, 0)");
  const auto made = client(
      "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT n FROM rows WHERE id = 1 \\gset\n"
      "UPDATE rows SET n = :n + 1 WHERE id = 1;\nEND;");
  const auto other = run(Connection::open(server->conninfo()));
  const auto observer = run(Connection::open(server->conninfo()));
  int attempts = 0;
  auto script = [&]() -> Task<void> { attempts = co_await made->repeat(); };
  auto interfere = [&]() -> Task<void> {
    co_await wait_until(*observer, somebody_waits_for_a_row);
    co_await other->script("COMMIT");
  };
  run(other->script("BEGIN"));
  run(other->script("UPDATE rows SET n = 10 WHERE id = 1"));
  run(side_by_side(script(), interfere()));
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(query("SELECT n FROM rows"), "11");
}

// The script's statement completes the deadlock. The other session does not check for deadlocks, so
// the server cancels the script's statement.
TEST_F(ScriptFailures, ADeadlockIsRepeated) {
  query(
      "DROP TABLE IF EXISTS rows; CREATE TABLE rows (id int, n int); INSERT INTO rows VALUES (1, "
      "0), (2, 0)");
  const auto made = client(
      "BEGIN;\nUPDATE rows SET n = n + 1 WHERE id = 1;\nSELECT pg_advisory_xact_lock(5);\n"
      "UPDATE rows SET n = n + 1 WHERE id = 2;\nEND;");
  const auto other = run(Connection::open(server->conninfo()));
  const auto observer = run(Connection::open(server->conninfo()));
  int attempts = 0;
  auto script = [&]() -> Task<void> { attempts = co_await made->repeat(); };
  const auto watcher = run(Connection::open(server->conninfo()));
  auto update_the_first = [&]() -> Task<void> {
    co_await wait_until(*watcher, somebody_waits_for_the_signal);
    co_await other->script("UPDATE rows SET n = n + 10 WHERE id = 1");
    co_await other->script("COMMIT");
  };
  auto give_the_signal = [&]() -> Task<void> {
    co_await wait_until(*observer, somebody_waits_for_a_row);
    co_await observer->query("SELECT pg_advisory_unlock(5)");
  };
  auto interfere = [&]() -> Task<void> {
    co_await side_by_side(update_the_first(), give_the_signal());
  };
  run(observer->query("SELECT pg_advisory_lock(5)"));
  run(other->script("SET deadlock_timeout = '1h'"));
  run(other->script("BEGIN"));
  run(other->script("UPDATE rows SET n = n + 10 WHERE id = 2"));
  run(side_by_side(script(), interfere()));
  EXPECT_GE(attempts, 2) << "it may be quicker than the other, and close the circle again";
  EXPECT_EQ(query("SELECT id, n FROM rows ORDER BY id"), "1,11\n2,11");
}

class LostSessions : public ScriptFailures {
 protected:
  // Ends the session of the client when it sleeps in the server, or waits for a table's lock.
  database::Error loss_of(const std::string& text, Protocol protocol = Protocol::simple,
                          bool locked = false) {
    query("DROP TABLE IF EXISTS written; CREATE TABLE written (n int)");
    if (locked) query("BEGIN; LOCK TABLE written");
    const auto made = client(text, protocol);
    const auto killer = run(Connection::open(server->conninfo()));
    std::optional<database::Error> error;
    ScriptTransaction transaction(*made->client, 0);
    auto script = [&]() -> Task<void> {
      try {
        co_await made->attempt(transaction);
      } catch (const database::Error& thrown) {
        error = thrown;
      }
    };
    auto kill = [&]() -> Task<void> {
      co_await wait_until(
          *killer,
          "SELECT coalesce(bool_or(pg_terminate_backend(pid, 5000)), false) FROM pg_stat_activity "
          "WHERE wait_event IN ('PgSleep', 'relation') AND backend_type = 'client backend'");
    };
    run(side_by_side(script(), kill()));
    if (locked) query("ROLLBACK");
    EXPECT_TRUE(error);
    if (!error) return {ErrorClass::statement, "", "there was no error"};
    EXPECT_EQ(transaction.commit_sent(), error->error_class() == ErrorClass::ambiguous_commit);
    return *error;
  }
};

TEST_F(LostSessions, WithinATransactionHaveCommittedNothing) {
  const database::Error error =
      loss_of("BEGIN;\nINSERT INTO written VALUES (1);\nSELECT pg_sleep(600);\nEND;");
  EXPECT_EQ(error.error_class(), ErrorClass::connection_lost);
  EXPECT_THAT(error.what(), HasSubstr("test.sql:3: SELECT pg_sleep(600);: terminating connection"));
}

TEST_F(LostSessions, ThatOnlyReadHaveCommittedNothing) {
  EXPECT_EQ(loss_of("SELECT pg_sleep(600);").error_class(), ErrorClass::connection_lost);
  EXPECT_EQ(loss_of("SELECT 1 \\; SELECT pg_sleep(600);").error_class(),
            ErrorClass::connection_lost);
}

// The server reports the end of the session before it has answered the statement.
TEST_F(LostSessions, WithinALoneStatementHaveCommittedNothing) {
  for (const Protocol protocol : {Protocol::simple, Protocol::prepared}) {
    EXPECT_EQ(loss_of("INSERT INTO written SELECT 1 FROM pg_sleep(600);", protocol).error_class(),
              ErrorClass::connection_lost);
  }
}

// The server waits for the table when it prepares the statement.
TEST_F(LostSessions, WhileTheyPrepareALoneStatementHaveCommittedNothing) {
  EXPECT_EQ(loss_of("INSERT INTO written VALUES (1);", Protocol::prepared, true).error_class(),
            ErrorClass::connection_lost);
}

// The server reports an idle timeout only before it executes a part of the message.
TEST_F(LostSessions, AtAnIdleTimeoutLeaveNoCommitInDoubt) {
  query("CREATE TABLE IF NOT EXISTS written (n int)");
  query("CREATE OR REPLACE PROCEDURE fill() LANGUAGE sql AS 'INSERT INTO written VALUES (1)'");
  struct Case {
    std::vector<Protocol> protocols;
    const char* text;
    const char* sqlstate = "57P05";
  };
  const std::vector<Protocol> all(all_protocols.begin(), all_protocols.end());
  const std::vector<Protocol> piped = {Protocol::extended, Protocol::prepared};
  const std::vector<Protocol> simple = {Protocol::simple};
  for (const Case& c : std::vector<Case>{
           {all, "\\sleep 40 ms\nINSERT INTO written VALUES (1);"},
           {all, "\\sleep 40 ms\nCALL fill();"},
           {all, "\\sleep 40 ms\nDO 'BEGIN CALL fill(); END';"},
           {{Protocol::simple, Protocol::extended},
            "\\sleep 40 ms\nINSERT INTO written VALUES (1)\\;"},
           {simple, "\\sleep 40 ms\nBEGIN \\; INSERT INTO written VALUES (1) \\; COMMIT;"},
           {simple, "\\sleep 40 ms\nSELECT 1 \\; INSERT INTO written VALUES (1);"},
           {simple, "\\sleep 40 ms\nINSERT INTO written VALUES (1) \\; CALL fill();"},
           {simple, "BEGIN;\n\\sleep 40 ms\nCALL fill() \\; COMMIT \\; CALL fill();", "25P03"},
           {all, "BEGIN;\nCALL fill();\n\\sleep 40 ms\nCOMMIT;", "25P03"},
           {piped, "\\sleep 40 ms\n\\startpipeline\nCALL fill();\n\\endpipeline"},
           {piped,
            "\\startpipeline\nSELECT 1;\n\\syncpipeline\n\\sleep 40 ms\nCALL fill();\n"
            "\\endpipeline"},
           {piped,
            "\\startpipeline\nCALL fill();\n\\syncpipeline\n\\sleep 40 ms\nCALL fill();\n"
            "\\endpipeline"}}) {
    for (const Protocol protocol : c.protocols) {
      SCOPED_TRACE(fmt::format("{}: {}", protocol_name(protocol), c.text));
      query("DROP TABLE IF EXISTS written; CREATE TABLE written (n int)");
      const auto made =
          client(std::string("SELECT set_config('idle_session_timeout', '10', false), "
                             "set_config('idle_in_transaction_session_timeout', '10', false);\n") +
                     c.text,
                 protocol);
      ScriptTransaction transaction(*made->client, 0);
      const database::Error error = error_of(made->attempt(transaction));
      EXPECT_EQ(error_class_name(error.error_class()), "connection_lost") << error.what();
      // On a slow server, the session may also end before the pause.
      EXPECT_THAT(error.sqlstate(), testing::AnyOf("57P05", c.sqlstate));
      EXPECT_EQ(query("SELECT count(*) FROM written"), transaction.commit_sent() ? "1" : "0");
    }
  }
}

TEST_F(LostSessions, MayHaveCommitted) {
  for (const char* text : {"BEGIN \\; SELECT pg_sleep(600) \\; COMMIT;",
                           "DO $$ BEGIN COMMIT; PERFORM pg_sleep(600); END $$;"}) {
    EXPECT_EQ(loss_of(text).error_class(), ErrorClass::ambiguous_commit) << text;
  }
  for (const char* text :
       {"\\startpipeline\nINSERT INTO written VALUES (1);\nSELECT pg_sleep(600);\n\\endpipeline",
        "BEGIN;\n\\startpipeline\nSELECT pg_sleep(600);\nEND;\n\\endpipeline"}) {
    EXPECT_EQ(loss_of(text, Protocol::prepared).error_class(), ErrorClass::ambiguous_commit)
        << text;
  }
}

}  // namespace
}  // namespace drover::sql::postgres
