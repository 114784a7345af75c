// Pipelines of scripts on a real server.
#include <gmock/gmock.h>

#include "workload/sql/postgres/script_fixture_test.h"

namespace drover::sql::postgres {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class Pipelines : public ScriptFixture, public testing::WithParamInterface<Protocol> {
 protected:
  void SetUp() override {
    query("DROP TABLE IF EXISTS piped; CREATE TABLE piped (n int PRIMARY KEY)");
  }
  std::string rows() { return query("SELECT string_agg(n::text, ' ' ORDER BY n) FROM piped"); }
};

INSTANTIATE_TEST_SUITE_P(All, Pipelines, testing::Values(Protocol::extended, Protocol::prepared),
                         [](const auto& info) { return std::string(protocol_name(info.param)); });

TEST_P(Pipelines, AreATransactionEach) {
  const auto made = client(
      "\\set a 1\n\\startpipeline\nINSERT INTO piped VALUES (:a);\n\\set a 2\nINSERT INTO piped "
      "VALUES (:a);\n"
      "\\endpipeline\nINSERT INTO piped VALUES (3);",
      GetParam());
  run(made->execute());
  EXPECT_EQ(rows(), "1 2 3");
  EXPECT_THAT(message_of(made->execute()),
              HasSubstr("test.sql:3: INSERT INTO piped VALUES (:a);: duplicate key"));
  query("DELETE FROM piped WHERE n = 1");
  EXPECT_THAT(message_of(made->execute()),
              HasSubstr("test.sql:5: INSERT INTO piped VALUES (:a);: duplicate key"));
  EXPECT_EQ(rows(), "2 3") << "the first statement is rolled back with the second";
}

TEST_P(Pipelines, HaveSeveralParts) {
  const auto made = client(
      "\\startpipeline\nINSERT INTO piped VALUES (1);\n\\syncpipeline\nINSERT INTO piped VALUES "
      "(2);\n"
      "INSERT INTO piped VALUES (2);\n\\syncpipeline\nINSERT INTO piped VALUES (3);\n\\endpipeline",
      GetParam());
  EXPECT_THAT(message_of(made->execute()), HasSubstr("test.sql:5:"));
  EXPECT_EQ(rows(), "1 3");
}

TEST_P(Pipelines, MayBeWithinATransaction) {
  const auto made = client(
      "BEGIN;\n\\startpipeline\nINSERT INTO piped VALUES (1);\nINSERT INTO piped VALUES "
      "(2);\n\\endpipeline\n"
      "ROLLBACK;\n\\startpipeline\nBEGIN;\nINSERT INTO piped VALUES (3);\nCOMMIT;\n\\endpipeline",
      GetParam());
  run(made->execute());
  EXPECT_EQ(rows(), "3");
}

TEST_P(Pipelines, ThatAreLeftInTheMiddleComeToNothing) {
  const auto made = client(
      "\\startpipeline\nINSERT INTO piped VALUES (1);\n\\set x 1 / (:client_id - "
      "3)\n\\endpipeline\n",
      GetParam());
  EXPECT_EQ(message_of(made->execute()), "test.sql:3:1: division by zero");
  EXPECT_EQ(rows(), "");
  const auto explicitly = client(
      "\\startpipeline\nBEGIN;\nINSERT INTO piped VALUES (1);\n\\set x 1 / (:client_id - "
      "3)\n\\endpipeline\nEND;",
      GetParam());
  EXPECT_EQ(message_of(explicitly->execute()), "test.sql:4:1: division by zero");
  EXPECT_EQ(message_of(explicitly->execute()), "test.sql:4:1: division by zero")
      << "the session goes on";
  EXPECT_EQ(rows(), "");
}

TEST_P(Pipelines, ThatDependOnConditionsAreCheckedWhenTheyHappen) {
  const std::string open = "\\if :client_id = 3\n\\startpipeline\n\\endif\n";
  const auto fails = [&](const std::string& rest) {
    const auto made = client(open + rest, GetParam());
    return message_of(made->execute());
  };
  EXPECT_THAT(fails("SELECT 1;\n"), EndsWith("end of script reached with pipeline open"));
  EXPECT_THAT(fails("SELECT 1 AS x \\gset\n\\if :client_id = 3\n\\endpipeline\n\\endif"),
              EndsWith("\\gset and \\aset are not allowed in pipeline mode"));
  EXPECT_THAT(fails("\\startpipeline\n\\endpipeline"), EndsWith("already in pipeline mode"));
  const auto closed =
      client("\\if :client_id <> 3\n\\startpipeline\n\\endif\n\\endpipeline", GetParam());
  EXPECT_THAT(message_of(closed->execute()), EndsWith("not in pipeline mode"));
}

TEST_P(Pipelines, NameTheStatementThatIsWrong) {
  const auto made =
      client("\\startpipeline\nINSERT INTO piped VALUES (1);\nSELEC 1;\n\\endpipeline", GetParam());
  EXPECT_EQ(message_of(made->execute()),
            "test.sql:3: SELEC 1;: syntax error at or near \"SELEC\" [SQLSTATE 42601]");
  EXPECT_EQ(rows(), "");
}

TEST_P(Pipelines, OfManyStatementsDoNotStop) {
  std::string text = "\\startpipeline\n";
  for (int i = 0; i < 200; ++i) text += "SELECT repeat('x', 100000);\n";
  const auto made = client(text + "\\endpipeline", GetParam());
  run(made->execute());
}

TEST_P(Pipelines, RunOnAfterTheirTableHasChanged) {
  const auto made = client(
      "\\startpipeline\nSELECT 1;\nSELECT * FROM piped;\nSELECT 2;\n\\endpipeline", GetParam());
  run(made->execute());
  query("ALTER TABLE piped ADD m int");
  if (GetParam() == Protocol::prepared) {
    EXPECT_EQ(error_of(made->execute()).sqlstate(), "0A000");
  }
  for (int i = 0; i < 2; ++i) run(made->execute());
}

TEST_P(Pipelines, FailAtTheirEnd) {
  query(
      "DROP TABLE IF EXISTS deferred; CREATE TABLE deferred (n int UNIQUE DEFERRABLE INITIALLY "
      "DEFERRED)");
  const auto made = client(
      "\\startpipeline\nINSERT INTO deferred VALUES (1);\nINSERT INTO deferred VALUES "
      "(1);\n\\endpipeline",
      GetParam());
  EXPECT_THAT(message_of(made->execute()), HasSubstr("duplicate key"));
  EXPECT_EQ(query("SELECT count(*) FROM deferred"), "0");
}

}  // namespace
}  // namespace drover::sql::postgres
