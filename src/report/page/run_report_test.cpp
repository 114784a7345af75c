#include "report/page/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

// A failure is not to print the page.
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string single(const Result& result) {
  return html_report({{"result", result}});
}

TEST(HtmlReport, HasEveryPart) {
  const std::string page = single(example_result());
  for (const char* heading : {"Over time", "Latency distribution", "Transactions", "Errors",
                              "Availability", "Server activity", "Audit", "The load generator",
                              "Ledger", "Settings of the run", "Environment"}) {
    EXPECT_TRUE(has(page, std::string("<h2>") + heading + "</h2>"))
        << std::string("<h2>") + heading + "</h2>";
  }
  EXPECT_TRUE(has(page, "<title>TPC-C, 10 warehouses, PostgreSQL 15.8 – Drover</title>"))
      << "<title>TPC-C, 10 warehouses, PostgreSQL 15.8 – Drover</title>";
  EXPECT_TRUE(has(page, "<html lang=\"en\">")) << "<html lang=\"en\">";
  EXPECT_TRUE(has(page, "Aborted: the database was away for longer than it may"))
      << "Aborted: the database was away for longer than it may";
  EXPECT_TRUE(has(page, "✗ over the limit of 20 s")) << "✗ over the limit of 20 s";
}

TEST(HtmlReport, HoldsNothingThatActs) {
  const std::string page = single(example_result());
  EXPECT_TRUE(has(page,
                  "content=\"default-src &#39;none&#39;; style-src "
                  "&#39;unsafe-inline&#39;; img-src data:;"))
      << "content=\"default-src &#39;none&#39;; style-src "
         "&#39;unsafe-inline&#39;; img-src data:;";
  for (const char* acting : {"<script", "<iframe", "<img", "<object", "<form", " src=", " onload",
                             " style=", "http://", "https://", "url(", "@import"}) {
    EXPECT_FALSE(has(page, acting)) << acting;
  }
}

TEST(HtmlReport, OutagesAndCheckpointsAreMarked) {
  Result result = example_result();
  result.plan.warmup_s = 5;
  result.time_series.clear();
  for (int i = 1; i <= 65; ++i) {
    result.time_series.push_back({{{10, 10, 1, 1, 1}, 0, 1, 2, 3, 4, 5, 0, 0.5},
                                  static_cast<double>(i),
                                  i <= 5 ? "warm-up" : "measure"});
  }
  const std::string page = single(result);
  EXPECT_TRUE(has(page, "<title>Outage of 10.8 s, from 0:16</title>"))
      << "<title>Outage of 10.8 s, from 0:16</title>";
  EXPECT_TRUE(has(page, "not ended at the end of the run, from 0:55</title>"))
      << "not ended at the end of the run, from 0:55</title>";
  EXPECT_TRUE(has(page, ">outage 10.8 s</text>")) << ">outage 10.8 s</text>";
  EXPECT_TRUE(has(page, ">checkpoint 12.5 s</text>")) << ">checkpoint 12.5 s</text>";
  EXPECT_TRUE(has(page, "<title>Warm-up, not measured</title>"))
      << "<title>Warm-up, not measured</title>";
}

TEST(HtmlReport, SaysWhichWarehousesWereAway) {
  Result result = example_result();
  EXPECT_FALSE(has(single(result), "warehouses' time"));
  result.warehouse_availability = {.away = {2, 3}, .away_s = 24, .available_percent = 62.5};
  const std::string page = single(result);
  EXPECT_TRUE(has(page, "62.50%"));
  EXPECT_TRUE(has(page, "(2, 3) were away for 12.0 s on average"));
  EXPECT_FALSE(has(page, "interruption"));
}

TEST(HtmlReport, SaysHowLongThePointsOfALongRunAre) {
  Result result = example_result();
  EXPECT_TRUE(has(single(result), "the 90th percentile of a second"));
  result.time_series_step_s = 8;
  EXPECT_TRUE(has(single(result), "the 90th percentile of 8 s"));
}

TEST(HtmlReport, OfAnEmptyResult) {
  const std::string page = single(Result{});
  EXPECT_TRUE(has(page, "The result has no time series.")) << "The result has no time series.";
  EXPECT_TRUE(has(page, "No transaction was committed.")) << "No transaction was committed.";
  EXPECT_EQ(count(page, "<path"), 0u);
}

TEST(HtmlReport, HostileTextAddsNoElement) {
  const std::string hostile =
      "<script>alert(1)</script>\"'></td></style>]]>--><img src=x onerror=y>";
  Result result = example_result();
  result.tool = {hostile, hostile, hostile, hostile};
  result.plan.benchmark = result.plan.statements = result.plan.schema = hostile;
  result.plan.isolation = result.plan.on_db_loss = hostile;
  result.environment.client = {hostile, hostile, 1, hostile};
  result.environment.server = Server{hostile, {{hostile, hostile}}, hostile};
  result.failure = hostile;
  for (Verdict& line : result.audit) line.name = line.clause = line.text = hostile;
  for (TransactionResult& one : result.transactions) {
    one.name = hostile + one.name;
    one.errors_by_class = one.errors_by_sqlstate = {{hostile, 1}};
  }
  for (Outage& outage : result.availability.outages) outage.first_error = hostile;
  result.server_stats->wait_events[0].name = hostile;
  result.server_stats->samples[0].sessions[hostile] = 1;
  result.server_stats->statements->at(0).text = hostile;
  const std::string page = html_report({{hostile, result}, {hostile, result}});
  EXPECT_EQ(count(page, "<script"), 0u);
  EXPECT_EQ(count(page, "<img"), 0u);
  EXPECT_EQ(count(page, "</style>"), 1u);
  EXPECT_GT(count(page, "&lt;script&gt;"), 20u);
}

TEST(HtmlReport, SeveralHaveDifferencesAndSwitches) {
  std::vector<NamedResult> results;
  for (int i = 0; i < 12; ++i) results.push_back({"run", example_result()});
  const std::string page = html_report(results);
  EXPECT_TRUE(has(page, "<h1>12 results compared</h1>")) << "<h1>12 results compared</h1>";
  EXPECT_EQ(count(page, "type=\"checkbox\""), 12u);
  EXPECT_EQ(count(page, "<details class=\"result\">"), 12u);
  // Eleven beside the first, five in a table.
  EXPECT_EQ(count(page, ", compared with result 1</caption>"), 3u);
  EXPECT_TRUE(has(page, "class=\"curve r3 d1 of-12\"")) << "class=\"curve r3 d1 of-12\"";
}

// Single runs cannot tell a loss from chance.
TEST(HtmlReport, DifferencesAreNotJudged) {
  std::vector<NamedResult> results{{"old", example_result()}, {"new", example_result()}};
  results[1].result.summary.tpmc *= 0.5;
  const std::string page = html_report(results);
  EXPECT_TRUE(has(page, "<span class=\"change\">-50.0%</span>"));
  EXPECT_FALSE(has(page, "class=\"change "));
  EXPECT_FALSE(has(page, "% worse"));
  EXPECT_TRUE(has(page, "drover compare tests whether it is significant."));
}

TEST(HtmlReport, ALongRunIsSmall) {
  Result result = example_result();
  result.time_series.clear();
  for (int i = 1; i <= 86'400; ++i) {
    const auto noise = static_cast<std::uint64_t>(i * 7919 % 977);
    result.time_series.push_back({{{1000 + noise, 1000, 100, 100, 100},
                                   noise % 3,
                                   1.5,
                                   2.5,
                                   static_cast<double>(noise),
                                   noise,
                                   5,
                                   noise,
                                   0.5},
                                  static_cast<double>(i),
                                  "measure"});
  }
  EXPECT_LT(single(result).size(), 1'000'000u);
}

TEST(HtmlReport, WhatTheServerWasDoingIsShown) {
  const std::string page = single(example_result());
  EXPECT_TRUE(has(page, "Sessions in the server, by wait event</tspan>"));
  EXPECT_TRUE(has(page, "class=\"curve stack r0\""));
  EXPECT_TRUE(has(page, "<th scope=\"row\">IO:WALSync</th><td class=\"n\">2.50</td>"));
  EXPECT_TRUE(has(page, "UPDATE stock SET s_quantity = $1 WHERE s_i_id = $2"));
  Result result = example_result();
  result.server_stats.reset();
  const std::string without = single(result);
  EXPECT_FALSE(has(without, "wait event"));
  EXPECT_FALSE(has(without, "Server activity"));
  EXPECT_FALSE(has(without, "class=\"curve stack"));
}

TEST(HtmlReport, LongListsAreCut) {
  Result result = example_result();
  result.availability.outages.assign(300, Outage{1, 2, 3, std::string(100'000, 'x')});
  result.audit.assign(10'000, Verdict{"name", "1", Judgement::held, "text"});
  result.client.workers.assign(10'000, WorkerHealth{});
  const std::string page = single(result);
  EXPECT_TRUE(has(page, "100 more outages are in the result file."))
      << "100 more outages are in the result file.";
  EXPECT_TRUE(has(page, "9,800 more rules are in the result file."))
      << "9,800 more rules are in the result file.";
  EXPECT_LT(page.size(), 1'500'000u);
}

TEST(HtmlReport, NumbersOfAnySizeAreDrawn) {
  constexpr double huge = 1e18;
  Result result = example_result();
  for (TimePoint& point : result.time_series) {
    point.ok.assign(point.ok.size(), std::uint64_t{1} << 56);
    point.p50_ms = point.p90_ms = point.p99_ms = huge;
    point.in_flight = std::uint64_t{1} << 56;
    point.client_load = 1000;
  }
  result.time_series[0].t = 1e10;
  for (WaitEvent& one : result.server_stats->wait_events) one.sessions = huge;
  result.server_stats->samples[0] = {1e10, {{"CPU", std::uint64_t{1} << 56}}};
  result.summary.tpmc = huge;
  result.summary.efficiency = huge;
  result.summary.time_seconds = 1e10;
  const std::string page = single(result);
  for (const char* bad : {"nan", "NaN", "\"inf", "-inf"}) {
    EXPECT_FALSE(has(page, std::string("=\"") + bad)) << std::string("=\"") + bad;
  }
}

TEST(HtmlReport, AnIntroductionComesFirst) {
  const Introduction introduction{"A <search>", {Section{"42", {}, "answer"}}};
  const std::string page = html_report({{"run", example_result()}}, &introduction);
  EXPECT_TRUE(has(page, "<h1>A &lt;search&gt;</h1>")) << "<h1>A &lt;search&gt;</h1>";
  EXPECT_LT(page.find("id=\"answer\""), page.find("Over time</h2>"));
}

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
  EXPECT_THAT(
      summary_text(result),
      HasSubstr(
          "updates: 2,950 committed, the data agree; 4 unresolved commits (1 in the data)\n"));
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
