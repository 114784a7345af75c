// The check on a server of YDB's protocol: what it reports of valid, corrupted, incomplete and
// absent data, and beside failures.
#include "workload/tpcc/ydb/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "database/error.h"
#include "database/ydb/database_access.h"
#include "support/over_the_wire.h"
#include "workload/tpcc/ydb/check/checked_database_test.h"

namespace drover::tpcc::ydb {
namespace {

class YdbCheck : public testing::Test {
 protected:
  void SetUp() override {
    const std::string& reason = test::YdbTestServer::reason_to_skip();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  void TearDown() override {
    if (!IsSkipped()) checked().server().set_faults("{}");
  }

  static CheckedYdbDatabase& checked() { return CheckedYdbDatabase::instance(); }

  static std::string error_of(YdbDatabase database, CheckSettings settings = {}) {
    try {
      checked().run(check(std::move(database), std::move(settings)));
    } catch (const database::Error& error) {
      return error.what();
    }
    return "no error";
  }
};

const Verdict& verdict_named(const CheckReport& report, std::string_view name) {
  const auto found = std::find_if(report.verdicts.begin(), report.verdicts.end(),
                                  [&](const Verdict& verdict) { return verdict.name == name; });
  if (found == report.verdicts.end()) throw std::runtime_error("no verdict " + std::string(name));
  return *found;
}

TEST_F(YdbCheck, ReportsEveryCondition) {
  std::size_t last_done = 0;
  std::size_t last_total = 0;
  CheckSettings options;
  options.after_import = true;
  options.connections = 3;
  options.on_progress = [&](const CheckProgress& progress) {
    EXPECT_GE(progress.done, last_done);
    EXPECT_EQ(progress.condition.empty(), progress.done == progress.total);
    last_done = progress.done;
    last_total = progress.total;
  };
  const CheckReport report = checked().check(options);
  EXPECT_EQ(report.warehouses, 2);
  EXPECT_EQ(report.money, Money::exact);
  EXPECT_TRUE(report.holds());
  EXPECT_GT(last_total, 50U);
  EXPECT_EQ(last_done, last_total);
  EXPECT_TRUE(report.left_out.empty());
  ASSERT_TRUE(report.snapshot_refusal);
  std::vector<int> numbers;
  for (const Verdict& verdict : report.verdicts) {
    EXPECT_TRUE(verdict.holds()) << verdict.name << verdict.error.value_or("");
    for (const auto& [key, expected, found] : verdict.first_offenders)
      ADD_FAILURE() << verdict.name << ": " << key << " expected " << expected << " found "
                    << found;
    if (verdict.number != 0) numbers.push_back(verdict.number);
  }
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_F(YdbCheck, OthersJudgeItsPieces) {
  CheckSettings options{.connections = 3};
  options.judge_elsewhere = [&](const CheckPart& all, CheckWork& work) -> coro::Task<void> {
    for (const std::uint64_t half : {0, 1}) {
      CheckPart part = test::over_the_wire(all);
      std::erase_if(part.pieces, [&](std::uint64_t piece) { return piece % 2 != half; });
      auto refusal = co_await check_pieces(
          checked().database(), part, {.connections = 2},
          [&](const PieceVerdict& verdict) { work.add(test::over_the_wire(verdict)); });
      EXPECT_FALSE(refusal);
    }
  };
  const CheckReport report = checked().check(options);
  EXPECT_TRUE(report.holds());
  EXPECT_TRUE(report.snapshot_refusal);
  EXPECT_FALSE(report.left_out.empty());
}

TEST_F(YdbCheck, ReportsTheFirstOffenders) {
  checked().script(
      "UPDATE customer SET c_balance = c_balance + 0.01 "
      "WHERE c_id IN (1, 3000) AND c_d_id = 2");
  const CheckReport both = checked().check({});
  CheckSettings one;
  one.warehouses = 1;
  const CheckReport first = checked().check(one);
  CheckSettings more;
  more.warehouses = 3;
  const CheckReport three = checked().check(more);
  checked().script(
      "UPDATE customer SET c_balance = c_balance - 0.01 "
      "WHERE c_id IN (1, 3000) AND c_d_id = 2");

  EXPECT_FALSE(both.holds());
  const Verdict& balances = verdict_named(both, "10");
  EXPECT_EQ(balances.offenders, 4);
  ASSERT_EQ(balances.first_offenders.size(), 3U);
  EXPECT_EQ(balances.first_offenders[0].key, "w_id=1 d_id=2 c_id=1");
  EXPECT_EQ(balances.first_offenders[0].found, "-9.99");
  EXPECT_EQ(balances.first_offenders[2].key, "w_id=2 d_id=2 c_id=1");
  EXPECT_TRUE(verdict_named(both, "9").holds());

  EXPECT_EQ(verdict_named(first, "12").offenders, 2);
  EXPECT_THROW(verdict_named(first, "11"), std::runtime_error);
  EXPECT_EQ(first.left_out.front().number, 11);
  EXPECT_GT(first.left_out.size(), 10U);

  EXPECT_EQ(verdict_named(three, "1").first_offenders.at(0).key, "w_id=3");
  EXPECT_EQ(verdict_named(three, "district.rows").offenders, 10);
}

// Tables without the columns: nothing is known, and nothing holds.
TEST_F(YdbCheck, CallsWhatTheServerRefusesAnError) {
  std::string text;
  for (const Table table : all_tables)
    text += fmt::format("CREATE TABLE {} (w_id Int32 NOT NULL, PRIMARY KEY (w_id));\n",
                        table_name(table));
  auto make = [&](DatabaseAccess& access) -> coro::Task<void> {
    co_await access.make_folder();
    co_await access.change_scheme(text);
  };
  checked().run(DatabaseAccess::use(checked().database("odd"), make));
  EXPECT_NE(error_of(checked().database("odd"))
                .find("the database has no warehouse. Run 'drover tpcc import -w N', or give the "
                      "expected number with -w"),
            std::string::npos);
  const CheckReport report = checked().check({.warehouses = 2}, "odd");
  EXPECT_FALSE(report.holds());
  const Verdict& refused = verdict_named(report, "1");
  ASSERT_TRUE(refused.error);
  EXPECT_NE(refused.error->find("w_ytd"), std::string::npos) << *refused.error;
  EXPECT_EQ(refused.offenders, 0);
  EXPECT_FALSE(refused.holds());
  EXPECT_EQ(verdict_named(report, "warehouse.rows").offenders, 2);
}

TEST_F(YdbCheck, NamesTheTablesThatAreMissing) {
  EXPECT_EQ(error_of(checked().database("nowhere")),
            "tables warehouse, district, customer, history, new_order, oorder, order_line, item, "
            "stock not found in /Root/test/nowhere. Run 'drover tpcc init' and 'drover tpcc "
            "import', or name the folder with --schema");
}

TEST_F(YdbCheck, GoesOnWhereSessionsAreLost) {
  checked().server().set_faults(
      R"({"bad_session": {"count": 3}, "transport_before": {"count": 3, "skip": 20},
          "late_error": {"count": 3}, "attach_cut": {"count": 2}, "overloaded": {"count": 2}})");
  CheckSettings options;
  options.warehouses = 1;
  const CheckReport report = checked().check(options);
  for (const Verdict& verdict : report.verdicts)
    EXPECT_TRUE(verdict.holds()) << verdict.name << verdict.error.value_or("");
}

TEST_F(YdbCheck, ReportsAServerThatIsNotThere) {
  YdbDatabase database;
  database.folder = "checked";
  database.client.target = database::ydb::parse_target("ydb://127.0.0.1:1/Root/test");
  EXPECT_NE(error_of(std::move(database)), "no error");
}

}  // namespace
}  // namespace drover::tpcc::ydb
