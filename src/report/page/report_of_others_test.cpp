// What the forms of a report show of benchmarks that are not TPC-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/document/example_result_test.h"
#include "report/page/report.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t widest_line_of(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

const auto nothing_of_tpcc =
    AllOf(Not(HasSubstr("tpmC")), Not(HasSubstr("fficiency")), Not(HasSubstr("arehouse")),
          Not(HasSubstr("NewOrder")), Not(HasSubstr("New-Order")), Not(HasSubstr("official TPC")),
          Not(HasSubstr("erminal")), Not(HasSubstr("Deliver")));

TEST(SummaryOfOthers, Ycsb) {
  const std::string text = summary_text(example_ycsb_result());
  EXPECT_THAT(text, StartsWith("YCSB by drover 0.1.0\n"));
  EXPECT_THAT(text, nothing_of_tpcc);
  EXPECT_THAT(text, HasSubstr("  throughput  100.0 tx/s   (6,000 committed)\n"));
  EXPECT_THAT(text, HasSubstr("  load        32 clients, 32 connections\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "  rate        100.0 of 100.0 scheduled tx/s completed, poisson arrivals; backlog of 3 "
          "transactions\n              at the end\n"));
  EXPECT_THAT(text, HasSubstr("  workload    recordcount=1000, requestdistribution=zipfian, "));
  EXPECT_THAT(text, HasSubstr("READ-MODIFY-WRITE      2700 "));
  EXPECT_THAT(
      text, HasSubstr("ms                            p50     p90     p95     p99   p99.9     max\n"
                      "READ              latency "));
  EXPECT_THAT(text, HasSubstr("                  service    2.01    3.59 "));
  EXPECT_THAT(text, HasSubstr("  ledger      updates: 2,950 committed, the data agree\n"));
  EXPECT_THAT(text, HasSubstr("  verified    30,000 values, none wrong\n"));
  EXPECT_LE(widest_line_of(text), 100u);
  EXPECT_LE(widest_line_of(summary_text(example_ycsb_result(), 60)), 60u);
}

TEST(SummaryOfOthers, WhatIsWrongIsSaid) {
  Result result = example_ycsb_result();
  result.accounts[0].in_data = 2'951;
  result.accounts[0].unresolved = 4;
  EXPECT_THAT(summary_text(result), HasSubstr("updates: 2,950 committed, the data agree; 4 "
                                              "unresolved commits, 1 of them in the data\n"));
  result.accounts[0].in_data = 2'949;
  result.accounts[1].in_data.reset();
  result.verification =
      Verification{.values = 10, .wrong = 1, .not_found = 2, .first_wrong = "user7 FIELD1\x1b[31m"};
  const std::string text = summary_text(result);
  EXPECT_THAT(text, HasSubstr("updates: 2,950 committed, the data DISAGREE: 2949"));
  EXPECT_THAT(text, HasSubstr("inserts: 310 committed, the data could not be read"));
  EXPECT_THAT(text, HasSubstr("10 values, 1 WRONG, first: user7 FIELD1 [31m; 2 rows NOT FOUND"));
}

TEST(SummaryOfOthers, Sql) {
  const std::string text = summary_text(example_sql_result());
  EXPECT_THAT(text, StartsWith("SQL scripts by drover 0.1.0\n"));
  EXPECT_THAT(text, nothing_of_tpcc);
  EXPECT_THAT(text, HasSubstr("throughput  66.7 tx/s   (4,000 committed)"));
  EXPECT_THAT(text, HasSubstr("32 clients, 32 connections, 4,000 transactions to execute"));
  EXPECT_THAT(
      text,
      HasSubstr("workload    transfer.sql=weight 3, look up.sql=weight 1, -D naccounts=1000"));
  EXPECT_THAT(text, HasSubstr("database    protocol prepared, isolation read committed"));
  EXPECT_THAT(text, Not(HasSubstr("service")));
  EXPECT_THAT(
      text,
      HasSubstr("statements of transfer.sql       ok  failed  p50 ms  p90 ms  p99 ms  max ms\n"
                "  1 UPDATE accounts SET        3000       0    0.50 "));
  EXPECT_LE(widest_line_of(summary_text(example_sql_result(), 60)), 60u);
}

// A character of several bytes is as wide as another.
TEST(SummaryOfOthers, NamesInAnyLanguageLeaveTheirLineWhole) {
  Result result = example_sql_result();
  for (int i = 0; i < 30; ++i) result.transactions[0].name.insert(0, "ö");
  const std::string text = summary_text(result);
  const std::size_t begin = text.find("\nö") + 1;
  const std::string line = text.substr(begin, text.find('\n', begin) - begin);
  EXPECT_GT(line.size(), 100u);
  EXPECT_EQ(std::count(line.begin(), line.end(), '.'), 6) << line;
}

TEST(SummaryOfOthers, ABenchmarkThatNobodyKnows) {
  Result result = example_sql_result();
  result.plan.benchmark = "mine\n";
  EXPECT_THAT(summary_text(result), AllOf(StartsWith("mine  by drover"), nothing_of_tpcc));
}

TEST(PageOfOthers, Ycsb) {
  const std::string page = html_report({{"a.json", example_ycsb_result()}});
  EXPECT_THAT(page, nothing_of_tpcc);
  EXPECT_THAT(
      page,
      HasSubstr("<title>YCSB, 32 clients, 100 tx/s scheduled, PostgreSQL 15.8 – Drover</title>"));
  EXPECT_THAT(page, HasSubstr("Service time of committed transactions, in ms"));
  EXPECT_THAT(page, HasSubstr("READ-MODIFY-WRITE"));
  EXPECT_THAT(page, HasSubstr("requestdistribution"));
  EXPECT_THAT(page, HasSubstr("backlog of 3 transactions at the end"));
  EXPECT_THAT(page, HasSubstr("Committed writes"));
  EXPECT_THAT(page, HasSubstr("30,000 values read and verified: 0 wrong, 0 rows not found."));
}

TEST(PageOfOthers, NamesOfScriptsAreText) {
  Result result = example_sql_result();
  result.transactions[0].name = "<script>alert(1)</script>";
  const std::string page = html_report({{"a.json", result}});
  EXPECT_THAT(page, nothing_of_tpcc);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("2 SELECT balance &lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("Statements, retried attempts included"));
}

TEST(PageOfOthers, TwentyTypesHaveCurvesThatCanBeToldApart) {
  Result result = example_of_others("sql", {});
  for (int i = 0; i < 20; ++i) {
    add_commits(result.transactions.emplace_back(), 100, 1'000);
    result.transactions.back().name = "script " + std::to_string(i + 1);
  }
  const std::string page = html_report({{"a.json", result}});
  for (const char* classes : {"t0 d0", "t4 d1", "t0 d2", "t4 d3"})
    EXPECT_THAT(page, HasSubstr(classes));
}

TEST(PageOfOthers, SeveralResults) {
  const std::string page =
      html_report({{"a.json", example_ycsb_result()}, {"b.json", example_ycsb_result()}});
  EXPECT_THAT(page, HasSubstr("read_modify_write.p99"));
  EXPECT_THAT(page, HasSubstr(" tx/s 100.0, YCSB"));
  EXPECT_THAT(page, Not(HasSubstr("tpmC")));
  const std::string mixed =
      html_report({{"a.json", example_result()}, {"b.json", example_ycsb_result()}});
  EXPECT_THAT(mixed, HasSubstr("100.0 tx/s"));
  EXPECT_THAT(mixed, HasSubstr("official TPC"));
}

TEST(MarkdownOfOthers, Both) {
  const std::string ycsb = markdown_report({{"a.json", example_ycsb_result()}});
  EXPECT_THAT(ycsb, nothing_of_tpcc);
  EXPECT_THAT(
      ycsb,
      HasSubstr(
          "**100.0 tx/s**, 6,000 committed, backlog of 3 transactions at the end, measured for"));
  EXPECT_THAT(ycsb, HasSubstr("Service time, from the first statement to the answer:"));
  EXPECT_THAT(markdown_report({{"a.json", example_sql_result()}, {"b.json", example_sql_result()}}),
              AllOf(nothing_of_tpcc, HasSubstr("`transfer.sql.p99` ms")));
}

}  // namespace
}  // namespace drover::report
