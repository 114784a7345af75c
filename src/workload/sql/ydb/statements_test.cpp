// Statements of YQL scripts: results, stored variables and errors.
#include <gmock/gmock.h>

#include "workload/sql/ydb/script_fixture_test.h"

namespace drover::sql::ydb {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class StatementsOfYql : public ScriptsOnYdb {
 protected:
  void make_entries() {
    change_scheme("CREATE TABLE entries (id Int64 NOT NULL, note Utf8, PRIMARY KEY (id));");
  }
};

TEST_F(StatementsOfYql, StoreTheirOnlyRow) {
  const auto made = executed(
      "DECLARE $sum AS Int64;\nDECLARE $note AS Utf8;\n"
      "SELECT 1 AS one, \"two words\"u AS two, CAST(\"x\" AS Int32) AS three, true AS four, "
      "Decimal(\"-1.50\", 22, 9) AS five, 6 AS unused \\gset p_\n"
      "\\set sum :p_one + 41\n\\if false\n\\set seen :p_two + :p_five\n\\endif\n"
      "\\if :p_three is null\nSELECT $sum * 2 AS twice \\gset\n\\else\nSELECT 1 AS "
      "twice;\n\\endif\n"
      "\\if :p_four\n\\set again :twice\n\\endif\n");
  EXPECT_EQ(made->variable("p_one"), "1");
  EXPECT_EQ(made->variable("p_two"), "two words") << "not to be computed with, and still a text";
  EXPECT_EQ(made->variable("p_three"), "NULL");
  EXPECT_EQ(made->variable("p_five"), "-1.500000000");
  EXPECT_EQ(made->variable("again"), "84");
  EXPECT_EQ(made->variable("p_unused"), "unset");
}

TEST_F(StatementsOfYql, WithGsetHaveOneRow) {
  make_entries();
  EXPECT_EQ(failure("SELECT 1;\nSELECT id FROM entries \\gset\n"),
            "test.yql:2: SELECT id FROM entries: expected one row, got 0");
  executed("UPSERT INTO entries (id) VALUES (1), (2);");
  EXPECT_THAT(failure("SELECT id FROM entries \\gset\n"), EndsWith("expected one row, got 2"));
  EXPECT_THAT(failure("UPSERT INTO entries (id) VALUES (3) \\gset\n"),
              EndsWith("expected one row, got 0"));
}

TEST_F(StatementsOfYql, WithAsetHaveAnyRows) {
  make_entries();
  executed("UPSERT INTO entries (id) VALUES (1), (3);");
  const auto made = executed(
      "DECLARE $x AS Int64;\n\\set x 7\nSELECT id AS x FROM entries WHERE id = 9 \\aset\n"
      "SELECT $x AS before \\aset\nSELECT id AS x FROM entries ORDER BY id \\aset\n"
      "\\set used :before\n");
  EXPECT_EQ(made->variable("before"), "7");
  EXPECT_EQ(made->variable("x"), "3");
}

TEST_F(StatementsOfYql, JoinedStoreTheLastOrEach) {
  const auto last =
      client("SELECT 1 AS a \\; SELECT 2 AS b \\gset\n\\set used :b\n\\set used :a\n");
  EXPECT_THAT(message_of(last->execute()), HasSubstr("undefined variable \"a\""));
  EXPECT_EQ(last->variable("used"), "2");
  const auto each = executed("SELECT 1 AS a \\; SELECT 2 AS b \\aset\n\\set used :a * 10 + :b\n");
  EXPECT_EQ(each->variable("used"), "12");
}

TEST_F(StatementsOfYql, TakeAndStoreNulls) {
  make_entries();
  const auto made = executed(
      "DECLARE $note AS Utf8?;\nDECLARE $other AS Optional<Utf8>;\n\\set note null\n"
      "UPSERT INTO entries (id, note) VALUES (1, $note), (2, $other);\n"
      "SELECT COUNT(*) AS nulls FROM entries WHERE note IS NULL \\gset\n"
      "SELECT note AS note FROM entries WHERE id = 1 \\gset\n\\set is_null :note is null\n"
      "\\set found :nulls\n");
  EXPECT_EQ(made->variable("found"), "2");
  EXPECT_EQ(made->variable("is_null"), "true");
  EXPECT_EQ(failure("DECLARE $id AS Int64;\n\\set id null\nSELECT $id;\n"),
            "test.yql:3: SELECT $id;: $id: the variable is null, and Int64 does not allow NULL. "
            "Set the variable, or declare Optional<Int64>");
}

TEST_F(StatementsOfYql, HavePragmasAndNamedExpressions) {
  make_entries();
  executed("UPSERT INTO entries (id) VALUES (1), (2), (3);");
  const auto made = executed(
      "PRAGMA AnsiInForEmptyOrNullableItemsCollections;\nDECLARE $least AS Int64;\n\\set least 2\n"
      "$rows = (SELECT id FROM entries WHERE id >= $least);\n"
      "SELECT COUNT(*) AS number FROM $rows \\gset\n\\set found :number\n");
  EXPECT_EQ(made->variable("found"), "2");
}

TEST_F(StatementsOfYql, FailWithTheirPlace) {
  EXPECT_THAT(failure("BEGIN;\n\nSELECT *\n  FROM   no_such_table;\nEND;"),
              AllOf(StartsWith("test.yql:3: SELECT * FROM no_such_table;: ExecuteQuery: "
                               "SCHEME_ERROR: "),
                    HasSubstr("no_such_table")));
  EXPECT_EQ(failure("SELECT 1;\n  \\set x 1 / 0\n"), "test.yql:2:3: division by zero");
  EXPECT_THAT(failure("SELECT 1;   SELECT 1 +;"), EndsWith("(line 1, column 23)"));
  EXPECT_THAT(failure("PRAGMA AnsiInForEmptyOrNullableItemsCollections;\nDECLARE $a AS Int64;\n"
                      "\\set a 1\n  SELECT $a;\n  SELECT $a,\n\n    $a + \"x\";\n"),
              AllOf(StartsWith("test.yql:5: SELECT $a, $a + \"x\";: ExecuteQuery: GENERIC_ERROR: "),
                    EndsWith("(line 7, column 8)")));
  EXPECT_EQ(failure("DECLARE $x AS Int32;\n\\set x 3000000000\nSELECT 1;\nSELECT $x;"),
            "test.yql:4: SELECT $x;: $x: the value 3000000000 does not have the type Int32");
}

TEST_F(StatementsOfYql, LeaveNoTransactionOpen) {
  make_entries();
  EXPECT_THAT(failure("BEGIN;\nUPSERT INTO entries (id) VALUES (1);\n"),
              AllOf(StartsWith("test.yql:2"),
                    EndsWith("end of script reached without completing the last transaction")));
  EXPECT_EQ(query("SELECT COUNT(*) FROM entries;"), "0");
  EXPECT_THAT(failure("BEGIN;\nBEGIN;\n"), EndsWith("a transaction is already open"));
}

TEST_F(StatementsOfYql, AreTransactionsByThemselvesOrTogether) {
  make_entries();
  const auto made = executed(
      "COMMIT;\nROLLBACK;\nBEGIN;\nEND;\n"
      "UPSERT INTO entries (id) VALUES (1);\nBEGIN;\nUPSERT INTO entries (id) VALUES (2);\n"
      "SELECT COUNT(*) AS within FROM entries \\gset\nROLLBACK;\n"
      "SELECT COUNT(*) AS behind FROM entries \\gset\nBEGIN READ WRITE;\n"
      "UPSERT INTO entries (id) VALUES (3);\nUPSERT INTO entries (id) VALUES (4) \\; UPSERT INTO "
      "entries (id) VALUES (5);\nCOMMIT;\n\\set within :within\n\\set behind :behind\n");
  EXPECT_EQ(made->variable("within"), "2");
  EXPECT_EQ(made->variable("behind"), "1");
  EXPECT_EQ(query("SELECT id FROM entries ORDER BY id;"), "1\n3\n4\n5");
  EXPECT_THAT(failure("BEGIN READ ONLY;\nSELECT 1;\nUPSERT INTO entries (id) VALUES (6);\nEND;"),
              StartsWith("test.yql:3: UPSERT INTO entries (id) VALUES (6);: ExecuteQuery: "));
  EXPECT_EQ(query("SELECT COUNT(*) FROM entries;"), "4");
}

TEST_F(StatementsOfYql, ThatChangeTheSchemeStandAlone) {
  const auto made = client(
      "CREATE TABLE made (id Int64 NOT NULL, PRIMARY KEY (id));\nUPSERT INTO made (id) VALUES "
      "(1);\n/* c */ DROP TABLE made;\n");
  for (int i = 0; i < 2; ++i) run(made->execute());
  EXPECT_THAT(failure("BEGIN;\nSELECT 1;\nCREATE TABLE made (id Int64 NOT NULL, PRIMARY KEY "
                      "(id));\nEND;"),
              AllOf(StartsWith("test.yql:3: CREATE TABLE made"),
                    EndsWith("YDB cannot create or drop tables in a transaction")));
}

TEST_F(StatementsOfYql, KeepTheirVariablesForTheNextScript) {
  make_entries();
  const auto made = client(
      "DECLARE $n AS Int64;\nUPSERT INTO entries (id) VALUES ($n);\n\\set n :n + 1\n\\set client "
      ":client_id\n");
  made->set("n", 0);
  for (int i = 0; i < 3; ++i) run(made->execute());
  EXPECT_EQ(made->variable("client"), "3");
  EXPECT_EQ(query("SELECT id FROM entries ORDER BY id;"), "0\n1\n2");
}

}  // namespace
}  // namespace drover::sql::ydb
