#include <gtest/gtest.h>

#include <string>

#include "support/over_the_wire.h"
#include "workload/ycsb/postgres/served_table_test.h"

namespace drover::ycsb::postgres {
namespace {

class CheckOnPostgres : public ServedTable {
 protected:
  CheckOnPostgres() { load(properties); }

  CheckReport check_in_pieces(std::uint64_t blocks_of_piece, std::size_t connections) {
    CheckSettings settings{.properties = properties, .connections = connections};
    settings.blocks_of_piece = blocks_of_piece;
    settings.on_progress = [this](const CheckProgress& progress) { seen = progress; };
    return run(database->check(settings));
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

// What is written after the first one began is seen by none of them.
TEST_F(CheckOnPostgres, SharesAreReadInOneSnapshot) {
  CheckSettings settings{.properties = properties};
  settings.blocks_of_piece = 7;
  CheckReport parts[2];
  settings.check_elsewhere = [&](const CheckPart& all, CheckReport& sums) -> coro::Task<void> {
    const auto writer = co_await database::postgres::open_in_schema({server->conninfo(), schema});
    co_await writer->script("UPDATE usertable SET field2 = field3; DELETE FROM drover_ycsb_loaded");
    EXPECT_FALSE(all.snapshot.empty());
    for (std::uint64_t i = 0; i < 2; ++i) {
      CheckPart part = test::over_the_wire(all);
      part.share = {i, 1, 2};
      CheckSettings of_part{.properties = properties};
      of_part.blocks_of_piece = 7;
      of_part.part = part;
      parts[i] = co_await database->check(of_part);
      sums.add(parts[i]);
    }
  };
  const CheckReport report = run(database->check(settings));
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.rows, 1000U);
  EXPECT_EQ(report.rows_loaded, 1000U);
  EXPECT_FALSE(report.snapshot_refusal);
  EXPECT_GT(parts[0].rows, 0U);
  EXPECT_GT(parts[1].rows, 0U);
}

TEST_F(CheckOnPostgres, GivesNoVerdictWithoutTheSnapshotOfTheFirst) {
  const CheckPart late{.snapshot = "00000003-0000001B-1", .table_size = 1};
  try {
    run(database->check({.properties = properties, .connections = 1, .part = late}));
    ADD_FAILURE() << "the snapshot may be of another server";
  } catch (const database::Error& error) {
    EXPECT_NE(std::string(error.what()).find("on different servers"), std::string::npos)
        << error.what();
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

// Neither the check nor a run calls hidden rows lost.
TEST_F(CheckOnPostgres, RowsThatPoliciesHideAreNotLost) {
  query("CREATE ROLE drover_half");
  query(
      fmt::format("GRANT USAGE ON SCHEMA {0} TO drover_half; "
                  "GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA {0} TO drover_half; "
                  "ALTER TABLE usertable ENABLE ROW LEVEL SECURITY; "
                  "CREATE POLICY half ON usertable USING (ycsb_key < 'user5')",
                  schema));
  const auto half = make_database({server->conninfo() + " options='-c role=drover_half'", schema});
  const std::string check = unfit(half->check({.properties = properties}));
  EXPECT_NE(check.find("BYPASSRLS"), std::string::npos) << check;
  const std::string part = unfit(half->prepare(properties));
  EXPECT_NE(part.find("does not exist, or row security hides it"), std::string::npos) << part;
  const std::string prepared = unfit(half->prepare(properties_of("a", {})));
  EXPECT_NE(prepared.find("1,000 rows were loaded into usertable, but this role sees"),
            std::string::npos)
      << prepared;
  query("ALTER POLICY half ON usertable USING (true)");
  EXPECT_EQ(run(half->prepare(properties)).before.rows, 1000U);
  EXPECT_TRUE(check_in_pieces(100, 1).holds()) << "by the owner";
  query("DROP OWNED BY drover_half; DROP ROLE drover_half");
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
