#include "workload/tpcc/ydb/check/check.h"

#include <gtest/gtest.h>

#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {
namespace {

TEST(CheckStatement, ShowsDecimalsToTheLastDigit) {
  EXPECT_EQ(decimal_text(money_of_cents(0), money_scale), "0.00");
  EXPECT_EQ(decimal_text(money_of_cents(-1), money_scale), "-0.01");
  EXPECT_EQ(decimal_text(money_of_cents(30000000), money_scale), "300000.00");
  EXPECT_EQ(decimal_text({1'234'500'000}, money_scale), "1.2345");
  EXPECT_EQ(decimal_text({-1}, money_scale), "-0.000000001");
  EXPECT_EQ(decimal_text({7}, 2), "0.07");
}

TEST(CheckStatement, DeclaresWhatItUses) {
  YqlCondition condition = conditions().front();
  condition.sql = "$judged = (SELECT w_id FROM warehouse WHERE w_id < $last);";
  YdbDatabase database;
  database.client.target.database = "/x";
  const StatementTexts texts = check_texts(database);
  const std::string text = offenders_text(condition, texts).text;
  EXPECT_TRUE(
      text.starts_with("PRAGMA TablePathPrefix(\"/x\");\nDECLARE $last AS Int32;\n"
                       "DECLARE $limit AS Uint64;\n"))
      << text;
  EXPECT_EQ(text.find("DECLARE $first"), text.npos);
  EXPECT_EQ(count_text(condition, texts).text.find("$limit"), std::string::npos);
}

TEST(CheckStatement, NamesAKeyByItsColumns) {
  EXPECT_EQ(key_of("w_id, d_id"), "w_id={w_id} d_id={d_id}");
}

}  // namespace
}  // namespace drover::tpcc::ydb
