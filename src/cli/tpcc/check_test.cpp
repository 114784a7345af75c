#include "cli/tpcc/check.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "report/document/result_json.h"

namespace drover::cli {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;
using tpcc::CheckReport;
using tpcc::Condition;
using tpcc::Verdict;

CheckReport example_report() {
  CheckReport report;
  report.warehouses = 10;
  report.server_version = "15.18";
  Verdict holds{.number = 1, .name = "1", .clause = "3.3.2.1", .title = "w_ytd = sum(d_ytd)"};
  holds.server_time = std::chrono::milliseconds(1500);
  Verdict violated{.number = 10, .name = "10", .clause = "3.3.2.10", .title = "balances"};
  violated.offenders = 7;
  violated.first_offenders = {{"w_id=1 d_id=2 c_id=3", "5.00", "5.01"}, {"key", "a", "b"}};
  Verdict unknown{.number = 0, .name = "stock.values", .clause = "1.3", .title = "stock"};
  unknown.error = "column \"s_data\" does not exist";
  report.verdicts = {holds, violated, unknown};
  report.left_out = {Condition{.number = 11, .name = "11", .clause = "3.3.2.11", .title = "fresh"}};
  return report;
}

json parsed(const CheckReport& report) {
  return json::parse(report::document_text(check_document(report, {.database = "host=db",
                                                                   .kind = "PostgreSQL",
                                                                   .schema = "tpcc",
                                                                   .seconds = 2.5,
                                                                   .finished = "now"})));
}

TEST(CheckDocument, HasEveryConditionWithItsStatus) {
  const json document = parsed(example_report());
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["document"], "drover tpcc check");
  EXPECT_EQ(document["warehouses"], 10);
  EXPECT_EQ(document["money"], "exact");
  EXPECT_EQ(document["after_import"], false);
  EXPECT_EQ(document["seconds"], 2.5);
  EXPECT_EQ(document["holds"], false);
  EXPECT_EQ(document["database"], (json{{"description", "host=db"},
                                        {"kind", "PostgreSQL"},
                                        {"schema", "tpcc"},
                                        {"server_version", "15.18"}}));
  EXPECT_EQ(document["snapshot"], (json{{"shared", true}, {"refusal", nullptr}}));
  EXPECT_EQ(document["counts"],
            (json{{"holds", 1}, {"violated", 1}, {"not_judged", 1}, {"not_checked", 1}}));
  const json& conditions = document["conditions"];
  ASSERT_EQ(conditions.size(), 4U);
  EXPECT_EQ(conditions[0]["number"], 1);
  EXPECT_EQ(conditions[0]["status"], "holds");
  EXPECT_EQ(conditions[0]["seconds"], 1.5);
  EXPECT_EQ(conditions[0]["error"], nullptr);
  EXPECT_EQ(conditions[1]["status"], "violated");
  EXPECT_EQ(conditions[1]["offenders"], 7);
  EXPECT_EQ(conditions[1]["first_offenders"],
            json::parse(R"([{"key": "w_id=1 d_id=2 c_id=3", "expected": "5.00", "found": "5.01"},
                            {"key": "key", "expected": "a", "found": "b"}])"));
  EXPECT_EQ(conditions[2]["number"], nullptr);
  EXPECT_EQ(conditions[2]["name"], "stock.values");
  EXPECT_EQ(conditions[2]["status"], "not_judged");
  EXPECT_EQ(conditions[2]["error"], "column \"s_data\" does not exist");
  EXPECT_EQ(conditions[3]["status"], "not_checked");
  EXPECT_EQ(conditions[3]["clause"], "3.3.2.11");
}

TEST(CheckDocument, HoldsWhereAllThatWasCheckedHolds) {
  CheckReport report = example_report();
  report.verdicts.resize(1);
  report.money = tpcc::Money::floating;
  report.snapshot_refusal = "no such function";
  const json document = parsed(report);
  EXPECT_EQ(document["holds"], true);
  EXPECT_EQ(document["money"], "floating");
  EXPECT_EQ(document["snapshot"], (json{{"shared", false}, {"refusal", "no such function"}}));
}

// A server in another encoding must not cost the document.
TEST(CheckDocument, SurvivesTextThatIsNotUtf8) {
  CheckReport report = example_report();
  report.verdicts[1].first_offenders[0].found = "b\xE4r";
  EXPECT_EQ(parsed(report)["conditions"][1]["first_offenders"][0]["found"], "b\uFFFDr");
}

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
  report.not_asked = {{tpcc::Condition{.name = "keys", .clause = "1.3", .title = "each row once"},
                       "the key has it once"}};
  const std::string text = check_text(report, {});
  EXPECT_THAT(text, HasSubstr("  1  3.3.2.1   w_ytd = sum(d_ytd)"));
  EXPECT_THAT(text, HasSubstr(" OK\n"));
  EXPECT_THAT(text, HasSubstr(" 11  3.3.2.11"));
  EXPECT_THAT(text, HasSubstr("not checked"));
  EXPECT_THAT(text, HasSubstr("each row once"));
  EXPECT_THAT(text, HasSubstr("not checked: the key has it once"));
  EXPECT_THAT(text, HasSubstr("All 2 conditions checked hold."));
  EXPECT_THAT(text, Not(HasSubstr("floating point")));
  EXPECT_THAT(text, Not(HasSubstr("its own snapshot")));
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
  const std::string text = check_text(report, {});
  EXPECT_THAT(text, HasSubstr("VIOLATED in 7 cases\n"));
  EXPECT_THAT(text, HasSubstr("w_id=1 d_id=2 c_id=3: expected 5.00; found 5.01\n"));
  EXPECT_THAT(text, HasSubstr("and 6 more\n"));
  EXPECT_THAT(text, HasSubstr("NOT JUDGED\n       column \"s_data\" does not exist\n"));
  EXPECT_THAT(text, Not(HasSubstr("not checked")));
  EXPECT_THAT(text, HasSubstr("floating point"));
  EXPECT_THAT(text, HasSubstr("Each connection used its own snapshot, because the server cannot "
                              "share a snapshot: unknown function pg_export_snapshot()\n"));
  EXPECT_THAT(text, HasSubstr("The check of 3 conditions did not pass: 1 violated, 1 not judged."));
}

TEST(CheckProgressLine, SaysHowFarItIs) {
  EXPECT_EQ(CheckProgressLine::text({0, 200, "100,000 items", {}}),
            "checked 0%, now: 100,000 items");
  EXPECT_EQ(CheckProgressLine::text({25, 200, "one row per warehouse", milliseconds(61'001)}),
            "checked 12%, 1:02 left, now: one row per warehouse");
  EXPECT_EQ(CheckProgressLine::text({200, 200, {}, seconds(3600)}), "checked 100%, 1:00:00 left");
  const std::string cut = CheckProgressLine::text({1, 2, std::string(100, 'x'), seconds(1)});
  EXPECT_EQ(cut.size(), 79U);
  EXPECT_TRUE(cut.ends_with("x...")) << cut;
}

// Until the other end is closed: a terminal hands on what is written to it a little later.
std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t size = read(descriptor, buffer.data(), buffer.size());
    if (size <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

// A terminal of its own: what is written to the inner end is read at the outer one.
TEST(CheckProgressLine, OverwritesItselfOnATerminalAndIsGoneAtTheEnd) {
  const int outer = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(outer, 0);
  ASSERT_EQ(grantpt(outer), 0);
  ASSERT_EQ(unlockpt(outer), 0);
  std::FILE* inner = std::fopen(ptsname(outer), "w");
  ASSERT_NE(inner, nullptr);
  {
    CheckProgressLine line(inner);
    line.show({0, 2, "ab", {}});
    line.show({1, 2, "c", {}});
  }
  std::fclose(inner);
  const std::string first = "checked 0%, now: ab";
  const std::string second = "checked 50%, now: c";
  EXPECT_EQ(all_of(outer), "\r" + first + "\r" + first + "\r" + second + "\r" + second + "\r" +
                               std::string(second.size(), ' ') + "\r");
  close(outer);
}

TEST(CheckProgressLine, WritesNothingElsewhere) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  std::FILE* in = fdopen(pipe_ends[1], "w");
  {
    CheckProgressLine line(in);
    line.show({0, 2, "ab", {}});
  }
  std::fclose(in);
  EXPECT_EQ(all_of(pipe_ends[0]), "");
  close(pipe_ends[0]);
}

}  // namespace
}  // namespace drover::cli
