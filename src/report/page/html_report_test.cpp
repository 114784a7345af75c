#include "report/page/report.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

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
    result.time_series.push_back({static_cast<double>(i),
                                  i <= 5 ? "warm-up" : "measure",
                                  {10, 10, 1, 1, 1},
                                  0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  5,
                                  0,
                                  0.5});
  }
  const std::string page = single(result);
  EXPECT_TRUE(has(page, "<title>Outage of 10.8 s, from 0:16</title>"))
      << "<title>Outage of 10.8 s, from 0:16</title>";
  EXPECT_TRUE(has(page, "not ended when the run did, from 0:55</title>"))
      << "not ended when the run did, from 0:55</title>";
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
    result.time_series.push_back({static_cast<double>(i),
                                  "measure",
                                  {1000 + noise, 1000, 100, 100, 100},
                                  noise % 3,
                                  1.5,
                                  2.5,
                                  static_cast<double>(noise),
                                  noise,
                                  5,
                                  noise,
                                  0.5});
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
  const Introduction introduction{"A <search>", ".x { color: red; }", [](HtmlWriter& html) {
                                    html.line("section", {{"id", "answer"}}, "42");
                                  }};
  const std::string page = html_report({{"run", example_result()}}, &introduction);
  EXPECT_TRUE(has(page, "<h1>A &lt;search&gt;</h1>")) << "<h1>A &lt;search&gt;</h1>";
  EXPECT_TRUE(has(page, ".x { color: red; }")) << ".x { color: red; }";
  EXPECT_LT(page.find("id=\"answer\""), page.find("Over time</h2>"));
}

}  // namespace
}  // namespace drover::report
