#include "workload/tpcc/ydb/transactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query.pb.h"

namespace drover::tpcc::ydb {
namespace {

using testing::HasSubstr;
using testing::Not;

YdbDatabase database_in(std::string folder) {
  YdbDatabase database;
  database.client.target.database = "/Root/test";
  database.folder = std::move(folder);
  return database;
}

TEST(StatementTexts, DeclareTheParametersThatTheyName) {
  const StatementTexts text(database_in("tpcc"));
  EXPECT_EQ(text("SELECT d_tax FROM district ", "WHERE d_w_id = $w_id AND d_ytd < $amount;").text,
            "PRAGMA TablePathPrefix(\"/Root/test/tpcc\");\n"
            "DECLARE $amount AS Decimal(22,9);\n"
            "DECLARE $w_id AS Int32;\n"
            "SELECT d_tax FROM district WHERE d_w_id = $w_id AND d_ytd < $amount;");
}

TEST(StatementTexts, TellNamesApartThatBeginAlike) {
  const StatementTexts text(database_in("tpcc"));
  EXPECT_THAT(text("SELECT $c_id_of_nobody, $o_ids").text, Not(HasSubstr("DECLARE")));
}

TEST(StatementTexts, DoNotDeclareWhatTheyDefine) {
  const StatementTexts text(database_in("tpcc"));
  EXPECT_THAT(text("$next = (SELECT 1); SELECT $next;").text, Not(HasSubstr("DECLARE")));
  EXPECT_THAT(text("SELECT $next;").text, HasSubstr("DECLARE $next AS Int32;"));
}

TEST(StatementTexts, DeclareRowsByTheColumnsOfTheirTable) {
  const RowsParameter keys = keys_of("$keys", 2);
  const RowsParameter dates = rows_of("$dates", Table::OrderLine, {"ol_w_id", "ol_delivery_d"});
  const StatementTexts text(database_in("tpcc"), {&keys, &dates});
  const std::string both = text("SELECT * FROM AS_TABLE($dates) WHERE (a, b) IN $keys").text;
  EXPECT_THAT(both, HasSubstr("DECLARE $keys AS List<Tuple<Int32, Int32>>;\n"));
  EXPECT_THAT(both, HasSubstr("DECLARE $dates AS List<Struct<ol_w_id: Int32, "
                              "ol_delivery_d: Timestamp>>;\n"));
  EXPECT_THAT(text("SELECT $keys").text, Not(HasSubstr("$dates")));
}

TEST(StatementTexts, TakeOfTheValuesWhatTheyDeclare) {
  const StatementTexts text(database_in("tpcc"));
  Values values = {{"$d_id", 7}, {"$w_id", 1}, {"$o_id", 9}};
  values.set({{"$w_id", 2}});
  auto sent = values.of(text("SELECT $w_id, $d_id")).request().parameters();
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent["$w_id"].value().int32_value(), 2);
  EXPECT_EQ(sent["$d_id"].value().int32_value(), 7);
}

}  // namespace
}  // namespace drover::tpcc::ydb
