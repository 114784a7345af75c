// Statements of scripts in each protocol: results, stored variables and errors.
#include <gmock/gmock.h>

#include "workload/sql/postgres/script_fixture_test.h"

namespace drover::sql::postgres {
namespace {

using database::ErrorClass;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class StatementsByProtocol : public ScriptFixture, public testing::WithParamInterface<Protocol> {
 protected:
  // Executes the script once.
  std::unique_ptr<ScriptClient> executed(std::string text) {
    auto made = client(std::move(text), GetParam());
    run(made->execute());
    return made;
  }
  std::string failure(std::string text) {
    const auto made = client(std::move(text), GetParam());
    const std::string message = message_of(made->execute());
    EXPECT_EQ(made->records->workers[0].first_failures[0], message);
    EXPECT_TRUE(run(made->session_is_idle()));
    return message;
  }
};

INSTANTIATE_TEST_SUITE_P(All, StatementsByProtocol, testing::ValuesIn(all_protocols),
                         [](const auto& info) { return std::string(protocol_name(info.param)); });

TEST_P(StatementsByProtocol, StoreTheirOnlyRow) {
  const auto made = executed(
      "SELECT 1 AS one, 'two words' AS two, NULL AS three, true AS four, 5 AS unused \\gset p_\n"
      "\\set sum :p_one + 41\n"
      "\\if :p_three is null\nSELECT :sum::int * 2 AS twice \\gset\n\\else\nSELECT 1/0;\n\\endif\n"
      "SELECT :twice::int;\n\\if :p_four\nSELECT 1;\n\\endif\n\\if false\nSELECT :p_two;\n\\endif");
  EXPECT_EQ(made->variable("p_one"), "1");
  EXPECT_EQ(made->variable("p_two"), "two words") << "not to be computed with, and still a text";
  EXPECT_EQ(made->variable("p_three"), "NULL");
  EXPECT_EQ(made->variable("twice"), "84");
  EXPECT_EQ(made->variable("p_unused"), "unset");
}

// As in pgbench, the text "null" is null in an expression, but a text as a parameter.
TEST_P(StatementsByProtocol, SendTheTextNullAsAText) {
  const auto made = executed(
      "SELECT 'null' AS a, NULL AS b \\gset\n"
      "SELECT coalesce(:a::text, 'a null') AS c, coalesce(:b::text, 'a null') AS d \\gset\n"
      "\\set e :a is null\n\\if false\nSELECT :c, :d, :e;\n\\endif\n");
  const bool is_text =
      GetParam() != Protocol::simple;  // in which it becomes a part of the statement
  EXPECT_EQ(made->variable("c"), is_text ? "null" : "a null");
  EXPECT_EQ(made->variable("d"), "a null");
  EXPECT_EQ(made->variable("e"), "true");
}

TEST_P(StatementsByProtocol, MayBeEmpty) {
  executed("\\;");
  executed("\\; -- nothing\n;");
  query("DROP TABLE IF EXISTS single; CREATE TABLE single (n int)");
  executed("INSERT INTO single VALUES (1) \\;");
  EXPECT_EQ(query("SELECT count(*) FROM single"), "1");
}

TEST_P(StatementsByProtocol, BetweenIfAndEndifMayNeedAnotherProtocol) {
  const auto made = executed(
      "\\if 0\n\\endpipeline\n\\endif\n\\if 0\n\\startpipeline\n\\endpipeline\nSELECT 1 \\; SELECT "
      "2;\n"
      "\\endif\nSELECT 7 AS n \\gset\nSELECT :n;");
  EXPECT_EQ(made->variable("n"), "7");
  if (GetParam() == Protocol::simple) {
    EXPECT_EQ(failure("\\if 1\n\\startpipeline\n\\endpipeline\n\\endif"),
              "test.sql:2:1: cannot use pipeline mode with the simple query protocol");
  } else {
    EXPECT_THAT(failure("\\if 1\nSELECT 1 \\; SELECT 2;\n\\endif"),
                HasSubstr("test.sql:2: SELECT 1 ; SELECT 2;: cannot insert multiple commands"));
  }
}

TEST_P(StatementsByProtocol, WithGsetHaveOneRow) {
  EXPECT_EQ(failure("SELECT 1;\nSELECT 1 AS x WHERE false \\gset\nSELECT :x;"),
            "test.sql:2: SELECT 1 AS x WHERE false: expected one row, got 0");
  EXPECT_THAT(failure("SELECT generate_series(1, 2) AS x \\gset\nSELECT :x;"),
              EndsWith("expected one row, got 2"));
  EXPECT_THAT(failure("SET work_mem = '4MB' \\gset"), EndsWith("expected one row, got 0"));
}

TEST_P(StatementsByProtocol, ThatAreStoredHaveColumnsThatNameVariables) {
  for (const char* text :
       {"SELECT 1 \\gset", "SELECT 1 AS a, 2 \\gset\nSELECT :a;", "SELECT 1 \\aset"}) {
    EXPECT_THAT(
        failure(text),
        EndsWith(
            "the column \"?column?\" does not have the name of a variable. Rename it with AS"));
  }
  EXPECT_THAT(failure("SELECT 1 AS \"two words\" \\gset p_"), HasSubstr("\"two words\""));
  const auto prefixed = executed("SELECT 1 AS \"1\" \\gset p_\nSELECT :p_1;");
  EXPECT_EQ(prefixed->variable("p_1"), "1");
}

TEST_P(StatementsByProtocol, WithAsetHaveAnyRows) {
  const auto made = executed(
      "\\set x 7\nSELECT 1 AS x WHERE false \\aset\nSELECT :x::int AS before \\aset\n"
      "SELECT generate_series(1, 3) AS x \\aset\nSELECT :x::int, :before::int;");
  EXPECT_EQ(made->variable("before"), "7");
  EXPECT_EQ(made->variable("x"), "3");
}

TEST_P(StatementsByProtocol, ChangeTheirColumns) {
  const auto made = executed("\\set n 0\nSELECT 1 AS a, 2 AS b \\gset\nSELECT :a, :b;");
  EXPECT_EQ(made->variable("a"), "1");
  // Stores columns of the same names repeatedly.
  for (int i = 0; i < 3; ++i) run(made->execute());
  EXPECT_EQ(made->variable("b"), "2");
}

TEST_P(StatementsByProtocol, KeepTheirVariablesForTheNextScript) {
  query("DROP TABLE IF EXISTS counted; CREATE TABLE counted (n int)");
  const auto made =
      client("INSERT INTO counted VALUES (:n) RETURNING n + 1 AS n \\gset\n\\set client :client_id",
             GetParam());
  made->set("n", 0);
  run(made->execute());
  EXPECT_EQ(made->variable("client"), "3");
  run(made->execute());
  run(made->execute());
  EXPECT_EQ(query("SELECT string_agg(n::text, ' ' ORDER BY n) FROM counted"), "0 1 2");
}

TEST_P(StatementsByProtocol, SleepByTheClock) {
  const coro::Instant before = worker.now();
  executed("\\sleep 20 ms\nSELECT 1;\n\\think 1 us");
  EXPECT_GE(worker.now() - before, std::chrono::milliseconds(20));
}

TEST_P(StatementsByProtocol, FailWithTheirPlace) {
  EXPECT_EQ(failure("BEGIN;\n\nSELECT *\n  FROM   no_such_table;\nEND;"),
            "test.sql:3: SELECT * FROM no_such_table;: relation \"no_such_table\" does not exist "
            "[SQLSTATE 42P01]");
  EXPECT_EQ(failure("SELECT 1;\n  \\set x 1 / 0\n"), "test.sql:2:3: division by zero");
  EXPECT_THAT(failure("BEGIN;\nSELECT 1 / (:client_id::int - 3);\nEND;"),
              HasSubstr("division by zero [SQLSTATE 22012]"));
  const auto copy = client("COPY pg_class TO STDOUT;\n", GetParam());
  EXPECT_THAT(message_of(copy->execute()),
              EndsWith("COPY FROM STDIN and COPY TO STDOUT are not supported in scripts"));
}

TEST_P(StatementsByProtocol, LeaveNoTransactionOpen) {
  EXPECT_THAT(
      failure("BEGIN;\nSELECT 1;\n"),
      testing::AllOf(StartsWith("test.sql:2"),
                     EndsWith("end of script reached without completing the last transaction")));
}

TEST_P(StatementsByProtocol, AreCountedByPlace) {
  const auto made =
      client("SELECT 1;\nSELECT 1 / :client_id;\nSELECT 1 / (:client_id - 3);", GetParam());
  const std::vector<Statement>& statements = made->plan.scripts->statements();
  ASSERT_EQ(statements.size(), 3U);
  EXPECT_EQ(statements[1].title, "SELECT 1 / :client_id;");
  EXPECT_EQ(statements[2].position.line, 3U);
}

TEST_P(StatementsByProtocol, RunAsPreparedAgainAfterAnError) {
  const auto made = client("SELECT 12 / :d::int AS q \\gset\n\\set d 4\nSELECT :q;", GetParam());
  made->set("d", 0);
  EXPECT_THAT(message_of(made->execute()), HasSubstr("division by zero"));
  made->set("d", 3);
  run(made->execute());
  EXPECT_EQ(made->variable("q"), "4");
  run(made->execute());
  EXPECT_EQ(made->variable("q"), "3");
}

// One execution fails. Then the session uses the changed table.
TEST_P(StatementsByProtocol, RunOnAfterTheirTableHasChanged) {
  query(
      "DROP TABLE IF EXISTS altered; CREATE TABLE altered (a int); INSERT INTO altered VALUES (1)");
  const auto made = client("SELECT * FROM altered \\gset\nSELECT :a, :b;", GetParam());
  made->client->variables.set(*made->plan.scripts->names().find("b"), Value::of(std::int64_t{0}));
  run(made->execute());
  query("ALTER TABLE altered ADD b int DEFAULT 2");
  if (GetParam() == Protocol::prepared) {
    EXPECT_EQ(error_of(made->execute()).sqlstate(), "0A000");
  }
  for (int i = 0; i < 2; ++i) run(made->execute());
  EXPECT_EQ(made->variable("b"), "2");
}

TEST_P(StatementsByProtocol, ArePreparedAnewWhenTheSessionHasGivenThemUp) {
  const auto made = client(
      "SELECT 1 AS one \\gset\nSELECT :one;\nDEALLOCATE ALL;\nSELECT "
      ":one;\nDISCARD ALL;",
      GetParam());
  for (int i = 0; i < 3; ++i) run(made->execute());
  if (GetParam() != Protocol::prepared) return;
  const auto single = client("SELECT 1;\nDEALLOCATE s0;", GetParam());
  run(single->execute());
  EXPECT_EQ(error_of(single->execute()).sqlstate(), "26000");
  run(single->execute());
}

class JoinedStatements : public ScriptFixture {};

TEST_F(JoinedStatements, StoreTheLastOrEach) {
  const auto last = client("SELECT 1 AS a \\; SELECT 2 AS b \\gset\n\\set used :a\nSELECT :b;");
  EXPECT_THAT(message_of(last->execute()), HasSubstr("undefined variable \"a\""));
  EXPECT_EQ(last->variable("b"), "2");
  const auto each = client(
      "SELECT 1 AS a \\; SELECT 2 AS b WHERE false \\; SELECT 3 AS c \\aset\nSELECT :a, :c, :b;");
  EXPECT_THAT(message_of(each->execute()), HasSubstr("syntax error"));
  EXPECT_EQ(each->variable("a") + each->variable("b") + each->variable("c"), "1unset3");
}

TEST_F(JoinedStatements, AreATransaction) {
  query("DROP TABLE IF EXISTS joined; CREATE TABLE joined (n int)");
  const auto made =
      client("BEGIN \\; INSERT INTO joined VALUES (1);\nINSERT INTO joined VALUES (2) \\; END;");
  run(made->execute());
  EXPECT_EQ(query("SELECT count(*) FROM joined"), "2");
  const auto half = client("INSERT INTO joined VALUES (3) \\; SELECT 1/0;");
  EXPECT_THAT(message_of(half->execute()), HasSubstr("division by zero"));
  EXPECT_EQ(query("SELECT count(*) FROM joined"), "2");
}

}  // namespace
}  // namespace drover::sql::postgres
