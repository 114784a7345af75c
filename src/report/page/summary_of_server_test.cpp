#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "report/document/example_result_test.h"
#include "report/page/report.h"
#include "report/page/summary_parts.h"

namespace drover::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string lines_of_server(const Result& result, std::size_t width = 100) {
  std::string out;
  append_server_stats(out, result, width);
  return out;
}

TEST(SummaryOfServer, SessionsByWaitEvent) {
  const std::string text = lines_of_server(example_result());
  EXPECT_THAT(text, HasSubstr("server, by wait event  sessions     share     ms/tx\n"));
  EXPECT_THAT(text, HasSubstr("  IO:WALSync               2.50     62.5%      1091\n"));
  EXPECT_THAT(text, HasSubstr("  all                      4.00    100.0%"));
  EXPECT_THAT(summary_text(example_result()), HasSubstr(text));
}

TEST(SummaryOfServer, StatementsByTheirTime) {
  const std::string text = lines_of_server(example_result());
  EXPECT_THAT(text, HasSubstr("server, by statement"));
  EXPECT_THAT(text, HasSubstr("  UPDATE stock SET s_quantity = $1 WHERE s_i_id = $2"));
  EXPECT_THAT(text, HasSubstr(" 1000       1.2      1.25\n"));
  Result result = example_result();
  result.server_stats->statements->resize(9, result.server_stats->statements->front());
  EXPECT_THAT(lines_of_server(result), HasSubstr("  and 4 more: see the result file\n"));
  result.server_stats->statements.reset();
  EXPECT_THAT(lines_of_server(result), Not(HasSubstr("by statement")));
}

TEST(SummaryOfServer, ManyEventsAreOthers) {
  Result result = example_result();
  for (int i = 0; i < 10; ++i) {
    result.server_stats->wait_events.push_back({"LWLock:" + std::to_string(i), 0.1});
  }
  const std::string text = lines_of_server(result);
  EXPECT_THAT(text, HasSubstr("  LWLock:4 "));
  EXPECT_THAT(text, Not(HasSubstr("LWLock:5")));
  EXPECT_THAT(text, HasSubstr("  others                   0.50 "));
}

TEST(SummaryOfServer, IsNothingWhereNobodyLooked) {
  Result result = example_result();
  result.server_stats->wait_events.clear();
  EXPECT_THAT(lines_of_server(result), HasSubstr("no active session in 4 samples\n"));
  result.server_stats.reset();
  EXPECT_EQ(lines_of_server(result), "");
}

TEST(SummaryOfServer, FitsAnyWidthAndActsUponNoTerminal) {
  Result result = example_result();
  result.server_stats->wait_events[0].name = "\x1b[2J" + std::string(150, 'x');
  result.server_stats->statements->front().text = "\x1b[2J\n" + std::string(500, 'x');
  for (const std::size_t width : {60U, 80U, 100U}) {
    const std::string text = lines_of_server(result, width);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

}  // namespace
}  // namespace drover::report
