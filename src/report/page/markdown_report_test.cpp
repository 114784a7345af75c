#include "report/page/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

TEST(MarkdownReport, VerdictTableAndProblems) {
  const std::string text = markdown_report({{"result", example_result()}});
  EXPECT_THAT(text, HasSubstr("### TPC-C, 10 warehouses, PostgreSQL 15.8"));
  EXPECT_THAT(text, HasSubstr("**tpmC 119.5**"));
  EXPECT_THAT(text, HasSubstr("| NewOrder | 120 | 4 | 4 | 2.0 |"));
  EXPECT_THAT(text, HasSubstr("20 s ✗ over |"));
  EXPECT_THAT(text, HasSubstr("- **broken**: availability: 2 outages in the measurement interval"));
  EXPECT_THAT(text, HasSubstr("- **aborted**: the database was away"));
  EXPECT_THAT(text, Not(HasSubstr("<details>")));
}

TEST(MarkdownReport, SeveralHaveDifferences) {
  Result faster = example_result();
  faster.summary.tpmc *= 2;
  const std::string text = markdown_report({{"a.b", example_result()}, {"@you", faster}});
  EXPECT_THAT(text, HasSubstr("1. a.b: "));
  EXPECT_THAT(text, HasSubstr("2. `@you`: "));
  EXPECT_THAT(text, HasSubstr("| `tpmC` /min | 119.5 | 239.0 (+100.0%) |"));
}

TEST(MarkdownReport, WaitEventsWhereSomebodyLooked) {
  Result result = example_result();
  const std::string text = markdown_report({{"result", result}});
  EXPECT_THAT(text, HasSubstr("| Event | sessions | share | ms per transaction |"));
  EXPECT_THAT(text, HasSubstr("| `IO:WALSync` | 2.50 | 62.5% |"));
  EXPECT_THAT(text, HasSubstr("| CPU | 1.25 | 31.2% |"));
  result.server_stats.reset();
  EXPECT_THAT(markdown_report({{"result", result}}), Not(HasSubstr("| Event |")));
}

// Each row of a table has as many cells as its head, whatever the names are.
TEST(MarkdownReport, HostileTextStaysInItsCell) {
  const std::string hostile = "a | b `c` | <img src=x> @me #1 [x](http://y) \\|";
  Result result = example_result();
  result.transactions[0].name = hostile;
  result.plan.benchmark = hostile;
  result.failure = hostile;
  result.server_stats->wait_events[0].name = hostile;
  for (Verdict& line : result.audit) line.name = line.text = hostile;
  const std::string text = markdown_report({{hostile, result}, {hostile, example_result()}});
  std::ptrdiff_t expected = 0;
  for (const std::string& line : lines_of(text)) {
    const std::ptrdiff_t pipes = std::ranges::count(line, '|');
    if (!line.starts_with('|')) {
      EXPECT_EQ(pipes, 0) << line;
      expected = 0;
      continue;
    }
    if (expected == 0) expected = pipes;
    EXPECT_EQ(pipes, expected) << line;
  }
  for (const char* dangerous : {"<img", "@me", "#1 ", "[x]"}) {
    for (std::size_t at = 0; (at = text.find(dangerous, at)) != std::string::npos; ++at) {
      const std::size_t line_start = text.rfind('\n', at) + 1;
      EXPECT_EQ(std::ranges::count(text.substr(line_start, at - line_start), '`') % 2, 1)
          << dangerous << " is not within a code span";
    }
  }
}

TEST(MarkdownReport, OfNothing) {
  EXPECT_THAT(markdown_report({{"", Result{}}}), HasSubstr("**tpmC 0.0**"));
}

}  // namespace
}  // namespace drover::report
