#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/document/example_result_test.h"
#include "report/page/report.h"
#include "report/page/summary_parts.h"

namespace drover::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Result without_hosts() {
  Result result = example_result();
  result.hosts.clear();
  result.availability.sessions_renewed.reset();
  return result;
}

TEST(HostsOfAResult, HaveALineEachInTheSummary) {
  const std::string text = summary_text(example_result());
  EXPECT_THAT(text, HasSubstr("server hosts    conns       ok failed  p50 ms  p90 ms  p99 ms\n"));
  EXPECT_THAT(text, HasSubstr("  db1:5432          9      150      1    7.50    13.4    14.9\n"));
  EXPECT_THAT(text, HasSubstr("  db2:5433          7      130      0    13.0    23.5    25.8\n"));
  EXPECT_THAT(text, HasSubstr("  renewed     5 connections (--connection-max-age)\n"));
}

TEST(HostsOfAResult, AreNotSpokenOfWhereThereIsOne) {
  const std::string text = summary_text(without_hosts());
  EXPECT_THAT(text, Not(HasSubstr("hosts")));
  EXPECT_THAT(text, Not(HasSubstr("renewed")));
  EXPECT_THAT(html_report({{"r", without_hosts()}}), Not(HasSubstr("id=\"result-1-hosts\"")));
}

TEST(HostsOfAResult, ThatNothingWasCommittedAtHaveNoTimes) {
  Result result = example_result();
  result.hosts[1].ok_count = 0;
  result.hosts[1].service = {};
  EXPECT_THAT(summary_text(result),
              HasSubstr("  db2:5433          7        0      0       -       -       -\n"));
}

TEST(HostsOfAResult, ActUponNoTerminalAndFitAnyWidth) {
  Result result = example_result();
  result.hosts[0].name = "evil\x1b[31m" + std::string(300, 'h') + ":5432";
  for (const std::size_t width : {60, 80, 100, 200}) {
    std::string out;
    append_hosts(out, result, width);
    EXPECT_THAT(out, Not(HasSubstr("\x1b")));
    for (std::size_t begin = 0; begin < out.size();) {
      const std::size_t end = out.find('\n', begin);
      EXPECT_LE(end - begin, width);
      begin = end + 1;
    }
  }
}

TEST(HostsOfAResult, AreInThePagesAndInMarkdown) {
  const std::string page = html_report({{"r", example_result()}});
  EXPECT_THAT(page, HasSubstr("id=\"result-1-hosts\""));
  EXPECT_THAT(page, HasSubstr("db2:5433"));
  EXPECT_THAT(page, HasSubstr("5 connections replaced because of their age"));
  EXPECT_THAT(markdown_report({{"r", example_result()}}),
              HasSubstr("| `db1:5432` | 9 | 150 | 1 | 7.50 |"));
}

}  // namespace
}  // namespace drover::report
