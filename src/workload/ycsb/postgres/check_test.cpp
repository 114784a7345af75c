#include "workload/ycsb/postgres/check.h"

#include <gtest/gtest.h>

#include <string>

#include "workload/ycsb/postgres/served_table_test.h"

namespace drover::ycsb::postgres {
namespace {

class CheckOnPostgres : public ServedTable {
 protected:
  CheckOnPostgres() { load(properties); }

  CheckReport check_in_pieces(std::uint64_t blocks_of_piece, std::size_t connections) {
    CheckOptions options;
    options.properties = properties;
    options.connections = connections;
    options.conninfo = server->conninfo();
    options.schema = schema;
    options.blocks_of_piece = blocks_of_piece;
    options.on_progress = [this](const CheckProgress& progress) { seen = progress; };
    return run(postgres::check(options));
  }

  const Properties properties = properties_of("a", {"recordcount=1000"});
  CheckProgress seen;
};

TEST_F(CheckOnPostgres, SeveralSessionsReadEachRowOnce) {
  for (const std::uint64_t blocks : {1, 7, 50, 100'000}) {
    const CheckReport report = check_in_pieces(blocks, 3);
    EXPECT_TRUE(report.holds());
    EXPECT_EQ(report.rows, 1000U) << blocks;
    EXPECT_EQ(report.values, 10'000U);
    EXPECT_FALSE(report.snapshot_refusal);
    EXPECT_FALSE(report.server_version.empty());
    EXPECT_EQ(seen.rows, 1000U);
    EXPECT_EQ(seen.part, 1.0);
  }
}

TEST_F(CheckOnPostgres, CountsAllThatIsWrongAndNamesSome) {
  query("UPDATE usertable SET field2 = field3, field4 = NULL WHERE ycsb_key < 'user2'");
  const std::string rows = query("SELECT count(*) FROM usertable WHERE ycsb_key < 'user2'");
  const CheckReport report = check_in_pieces(10, 2);
  EXPECT_FALSE(report.holds());
  EXPECT_EQ(report.values_wrong, 2 * std::stoull(rows));
  ASSERT_EQ(report.first_wrong.size(), wrong_values_kept);
  for (const WrongValue& wrong : report.first_wrong) {
    EXPECT_LT(wrong.key, "user2");
    EXPECT_TRUE(wrong.field == "field2" || wrong.field == "field4") << wrong.field;
    EXPECT_FALSE(wrong.what.empty());
  }
}

TEST_F(CheckOnPostgres, AKeyThatIsNoneOfOursIsWrong) {
  query("INSERT INTO usertable (ycsb_key) VALUES ('guest7')");
  const CheckReport report = check_in_pieces(100, 1);
  EXPECT_EQ(report.values_wrong, 1U);
  ASSERT_EQ(report.first_wrong.size(), 1U);
  EXPECT_EQ(report.first_wrong[0].key, "guest7");
  EXPECT_EQ(report.first_wrong[0].field, "");
}

TEST_F(CheckOnPostgres, AddsUpTheVersions) {
  query(
      "UPDATE usertable SET field5 = '0000000042' || substr(field5, 11) "
      "WHERE ycsb_key = (SELECT min(ycsb_key) FROM usertable)");
  const CheckReport report = check_in_pieces(100, 2);
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.versions, 42U);
  EXPECT_EQ(report.version_max, 42U);
  const TableSums sums = run(database->read_sums(properties, ValueKind::counted));
  EXPECT_EQ(sums.rows, 1000U);
  EXPECT_EQ(sums.versions, 42U);
}

}  // namespace
}  // namespace drover::ycsb::postgres
