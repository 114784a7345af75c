#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/merge/example_part_test.h"
#include "report/page/report.h"
#include "report/page/summary_parts.h"

namespace drover::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Result of_four_hosts() {
  static const Result result = merged(ExampleRun(1).parts);
  return result;
}

Result with_one_lost() {
  Result result = of_four_hosts();
  result.ranks[1].lost = "the host sent nothing for 10 s";
  result.ranks[1].lost_at_s = 192.5;
  result.ranks[1].clock_at_start = ClockOffset{3.0001, 0, 0.00025};
  result.ranks[1].start_ts += 3;
  result.incomplete = "host b was lost at 3:12: the host sent nothing for 10 s";
  return result;
}

TEST(LoadHosts, HaveALineEachInTheSummary) {
  std::string out;
  append_load_hosts(out, of_four_hosts(), 200);
  EXPECT_THAT(out, HasSubstr("\nload hosts  warehouses  ok/s failed"));
  EXPECT_THAT(out, HasSubstr("\n  a               1-10 "));
  EXPECT_THAT(out, HasSubstr("\n  d              31-40 "));
  EXPECT_THAT(out, HasSubstr(" 4.0 MiB "));
  EXPECT_THAT(out, HasSubstr(" +3.00 +0.00 +- 0.50\n"));
  EXPECT_THAT(out, Not(HasSubstr("lost at")));
}

TEST(LoadHosts, ThatWereLostSayWhen) {
  const std::string text = summary_text(with_one_lost());
  EXPECT_THAT(text,
              HasSubstr("  INCOMPLETE  host b was lost at 3:12: the host sent nothing for 10 s\n"));
  EXPECT_THAT(text, HasSubstr(" +3000 +- 0.25"));
  EXPECT_THAT(text, HasSubstr("lost at"));
  EXPECT_THAT(text, HasSubstr("\n  b            3:12 "));
}

TEST(LoadHosts, AreNotSpokenOfWhereThereIsOne) {
  const Result alone = ExampleRun(1).whole;
  for (const std::string& text :
       {summary_text(alone), html_report({{"r", alone}}), markdown_report({{"r", alone}})}) {
    EXPECT_THAT(text, Not(HasSubstr("load hosts")));
    EXPECT_THAT(text, Not(HasSubstr("that made the load")));
    EXPECT_THAT(text, Not(HasSubstr("drover merge")));
  }
}

TEST(LoadHosts, APartSaysThatItIsOne) {
  EXPECT_THAT(
      summary_text(ExampleRun(1).parts[2], 200),
      HasSubstr("  part        c, rank 2 of 4 (counted from 0), warehouses 21 to 30: one part of "
                "a run on several hosts. 'drover merge' combines the parts\n"));
}

TEST(LoadHosts, ARunOfOneHostIsNoPart) {
  Result result = ExampleRun(1).parts[0];
  result.ranks[0].ranks = 1;
  result.ranks[0].warehouse_last = result.plan.warehouses;
  EXPECT_THAT(summary_text(result), Not(HasSubstr("drover merge")));
}

TEST(LoadHosts, FitAnyWidthAndActUponNoTerminal) {
  Result result = with_one_lost();
  result.ranks[0].name = "evil\x1b[31m" + std::string(300, 'h');
  for (const std::size_t width : {60, 80, 100, 200}) {
    std::string out;
    append_load_hosts(out, result, width);
    EXPECT_THAT(out, Not(HasSubstr("\x1b")));
    for (std::size_t begin = 0; begin < out.size();) {
      const std::size_t end = out.find('\n', begin);
      EXPECT_LE(end - begin, width) << out;
      begin = end + 1;
    }
  }
}

TEST(LoadHosts, OfManyThoseThatMatterMostAreShown) {
  Result result = of_four_hosts();
  const RankResult usual = result.ranks[0];
  result.ranks.assign(100, usual);
  for (std::size_t i = 0; i < result.ranks.size(); ++i) {
    result.ranks[i].rank = i;
    result.ranks[i].name = "host" + std::to_string(i);
  }
  result.ranks[70].lost = "it was killed";
  result.ranks[80].valid = false;
  result.ranks[90].busiest_worker_load = 0.9;
  for (const std::string& text :
       {summary_text(result), html_report({{"r", result}}), markdown_report({{"r", result}})}) {
    for (const char* name : {"host70", "host80", "host90", "host0", "and 70 more hosts"})
      EXPECT_THAT(text, HasSubstr(name));
    EXPECT_THAT(text, Not(HasSubstr("host60")));
  }
}

TEST(LoadHosts, AreInPagesAndInMarkdown) {
  const Result result = with_one_lost();
  const std::string page = html_report({{"r", result}});
  EXPECT_THAT(page, HasSubstr("id=\"result-1-load-hosts\""));
  EXPECT_THAT(page, HasSubstr("Incomplete: host b was lost at 3:12"));
  EXPECT_THAT(page, HasSubstr("31-40"));
  EXPECT_THAT(page, HasSubstr(", on 4 hosts"));
  EXPECT_THAT(page, HasSubstr(">d 2<"));  // its second worker
  const std::string markdown = markdown_report({{"r", result}});
  EXPECT_THAT(markdown, HasSubstr("**incomplete**"));
  EXPECT_THAT(markdown, HasSubstr("| Host | lost at | warehouses | ok/s |"));
}

}  // namespace
}  // namespace drover::report
