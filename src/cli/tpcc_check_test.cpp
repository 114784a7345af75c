#include "cli/tpcc_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using tpcc::CheckReport;
using tpcc::Verdict;

Verdict verdict(int number, std::string_view clause, std::string title) {
  Verdict made;
  made.number = number;
  made.clause = clause;
  made.title = std::move(title);
  return made;
}

TEST(CheckReportText, SaysThatAllHoldAndWhatWasNotChecked) {
  CheckReport report;
  report.verdicts = {verdict(1, "3.3.2.1", "w_ytd = sum(d_ytd)"),
                     verdict(12, "3.3.2.12", "customers")};
  report.left_out = {tpcc::Condition{.number = 11, .clause = "3.3.2.11", .title = "fresh"}};
  const std::string text = format_check_report(report);
  EXPECT_THAT(text, HasSubstr("  1  3.3.2.1   w_ytd = sum(d_ytd)"));
  EXPECT_THAT(text, HasSubstr(" OK\n"));
  EXPECT_THAT(text, HasSubstr(" 11  3.3.2.11"));
  EXPECT_THAT(text, HasSubstr("not checked"));
  EXPECT_THAT(text, HasSubstr("All 2 conditions checked hold."));
  EXPECT_THAT(text, Not(HasSubstr("floating point")));
  EXPECT_THAT(text, Not(HasSubstr("snapshot")));
}

TEST(CheckReportText, ShowsOffendersAndErrors) {
  CheckReport report;
  report.money = tpcc::Money::floating;
  report.snapshot_refusal = "unknown function pg_export_snapshot()";
  report.verdicts = {verdict(10, "3.3.2.10", "balances"), verdict(11, "3.3.2.11", "fresh"),
                     verdict(0, "4.3.3.1", "columns")};
  report.verdicts[0].offenders = 7;
  report.verdicts[0].first_offenders = {{"w_id=1 d_id=2 c_id=3", "5.00", "5.01"}};
  report.verdicts[2].error = "column \"s_data\" does not exist";
  const std::string text = format_check_report(report);
  EXPECT_THAT(text, HasSubstr("VIOLATED by 7\n"));
  EXPECT_THAT(text, HasSubstr("w_id=1 d_id=2 c_id=3: expected 5.00; found 5.01\n"));
  EXPECT_THAT(text, HasSubstr("and 6 more\n"));
  EXPECT_THAT(text, HasSubstr("ERROR\n       column \"s_data\" does not exist\n"));
  EXPECT_THAT(text, Not(HasSubstr("not checked")));
  EXPECT_THAT(text, HasSubstr("floating point"));
  EXPECT_THAT(text, HasSubstr("Each session saw its own snapshot, as the server shares none: "
                              "unknown function pg_export_snapshot()\n"));
  EXPECT_THAT(text, HasSubstr("Of 3 conditions 1 violated and 1 not judged, which is no pass."));
}

}  // namespace
}  // namespace drover::cli
