#include "report/history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/compared_run.h"
#include "support/run_noise.h"

namespace drover::report {
namespace {

using testing::HasSubstr;
using testing::Not;

const Metric tpmc = Metric::parse("tpmC");

// Twenty runs, and ten that are 5% slower.
std::vector<Result> runs_with_a_loss() {
  RunSeries series({.deviation = 0.008}, 3000, 4);
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(series.next() * (i < 20 ? 1 : 0.95));
  return compared_results(values);
}

std::vector<HistoryEntry> entries_of(const std::vector<Result>& results,
                                     const Metric& metric = tpmc) {
  std::vector<HistoryEntry> entries;
  for (std::size_t i = 0; i < results.size(); ++i) {
    entries.push_back(history_entry("run-" + std::to_string(i) + ".json", results[i], metric));
  }
  return entries;
}

std::string reason_of(const History& history, const std::string& name) {
  for (const LeftOut& one : history.left_out) {
    if (one.name == name) return one.reason;
  }
  return "drawn";
}

TEST(HistoryTest, ALossIsMarkedBetweenTheRunsWhereItBegan) {
  std::vector<Result> results = runs_with_a_loss();
  for (std::size_t i = 20; i < 30; ++i) results[i].tool.commit = "def5678";
  std::vector<HistoryEntry> entries = entries_of(results);
  std::ranges::reverse(entries);  // the order of time is that of the results
  const History history = make_history(std::move(entries), tpmc, {});
  ASSERT_EQ(history.points.size(), 30u);
  EXPECT_EQ(history.points[0].name, "run-0.json");
  ASSERT_EQ(history.changes.size(), 1u);
  EXPECT_EQ(history.changes[0].first_after, 20u);
  EXPECT_NEAR(*history.changes[0].percent, -5, 1);
  EXPECT_FALSE(history.changes[0].is_better);
  const std::string sentence = change_sentence(history, 0);
  EXPECT_THAT(sentence, HasSubstr("A: between run-19.json (2025-11-21 "));
  EXPECT_THAT(sentence, HasSubstr("and run-20.json ("));
  EXPECT_THAT(sentence, HasSubstr("drover 0.1.0 (def5678), PostgreSQL 15.8"));
  EXPECT_THAT(sentence, HasSubstr("tpmC fell from "));
  EXPECT_THAT(sentence, HasSubstr("WORSE"));
  const std::string text = history_text(history);
  EXPECT_THAT(text, HasSubstr("A: between"));
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    EXPECT_LE(end - start, 100u) << text.substr(start, end - start);
    start = end + 1;
  }
  const std::size_t begin = text.find("\n\n");
  const std::string chart = text.substr(begin, text.find("30 results") - begin);
  EXPECT_EQ(std::ranges::count(chart, 'o'), 30);
}

TEST(HistoryTest, TheLargestComparableGroupIsDrawn) {
  std::vector<Result> results = runs_with_a_loss();
  for (std::size_t i = 0; i < 4; ++i) results[i].plan.warehouses = 20;
  results[5].interrupted = true;
  results[6].summary.time_seconds = 600;
  results.push_back(results[7]);
  History history = make_history(entries_of(results), tpmc, {});
  EXPECT_EQ(history.points.size(), 24u);
  EXPECT_THAT(
      reason_of(history, "run-0.json"),
      HasSubstr("with the other results: warehouses: other results have 10, this result has 20"));
  EXPECT_EQ(reason_of(history, "run-5.json"), "the run was interrupted");
  EXPECT_THAT(reason_of(history, "run-6.json"), HasSubstr("measured time"));
  EXPECT_EQ(reason_of(history, "run-30.json"), "drawn");
  EXPECT_EQ(reason_of(history, "run-7.json"), "the same run as run-30.json");
  const std::vector<std::string> allowed{"warehouses", "interrupted"};
  EXPECT_EQ(make_history(entries_of(results), tpmc, allowed).points.size(), 29u);
}

// One long run of the night, which began last, is no reason to hide the others.
TEST(HistoryTest, ALaterRunOfAnotherDurationHidesNothing) {
  std::vector<Result> results = runs_with_a_loss();
  results[29].summary.time_seconds = 600;
  History history = make_history(entries_of(results), tpmc, {});
  EXPECT_EQ(history.points.size(), 29u);
  EXPECT_EQ(history.changes.size(), 1u);
  EXPECT_THAT(reason_of(history, "run-29.json"), HasSubstr("measured time"));
  const std::vector<std::string> allowed{"duration"};
  EXPECT_EQ(make_history(entries_of(results), tpmc, allowed).points.size(), 30u);
  // Where two durations have as many runs, the latest run decides.
  for (std::size_t i = 15; i < 30; ++i) results[i].summary.time_seconds = 600;
  history = make_history(entries_of(results), tpmc, {});
  ASSERT_EQ(history.points.size(), 15u);
  EXPECT_EQ(history.points[0].name, "run-15.json");
  // A group of many durations is no larger than what can be drawn of it.
  for (std::size_t i = 0; i < 16; ++i) {
    results[i].summary.time_seconds = 10 * std::pow(2, static_cast<double>(i));
  }
  for (std::size_t i = 16; i < 30; ++i) results[i].plan.warehouses = 20;
  history = make_history(entries_of(results), tpmc, {});
  EXPECT_EQ(history.points.size(), 14u);
}

TEST(HistoryTest, AFewResultsCannotTellAChange) {
  // Five and five whose levels are far apart: never found, which is not to pass for a steady level.
  std::vector<double> values{3000, 3001, 3002, 3003, 3004, 2000, 2001, 2002, 2003, 2004};
  History history = make_history(entries_of(compared_results(values)), tpmc, {});
  EXPECT_TRUE(history.changes.empty());
  EXPECT_THAT(history_text(history), HasSubstr("10 results are too few"));
  const auto too_few = HasSubstr("11 results are too few to detect a change of level");
  const auto none = HasSubstr("No change of level was found.");
  values.assign(11, 3000);
  history = make_history(entries_of(compared_results(values)), tpmc, {});
  EXPECT_THAT(history_text(history), too_few);
  EXPECT_THAT(history_text(history), Not(none));
  EXPECT_THAT(history_html(history), too_few);
  EXPECT_THAT(history_html(history), Not(none));
  EXPECT_EQ(nlohmann::json::parse(history_json(history))["enough_points"], false);
  values.push_back(3000);
  history = make_history(entries_of(compared_results(values)), tpmc, {});
  EXPECT_THAT(history_text(history), none);
  EXPECT_THAT(history_html(history), none);
  EXPECT_EQ(nlohmann::json::parse(history_json(history))["enough_points"], true);
}

TEST(HistoryTest, ThePageHasAChartAndATableOfAllResults) {
  const std::string html = history_html(make_history(entries_of(runs_with_a_loss()), tpmc, {}));
  EXPECT_THAT(html, HasSubstr("<svg class=\"chart\""));
  EXPECT_THAT(html, HasSubstr("aria-labelledby=\"chart-title\""));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\" class=\"date\">2025-11-20 "));
  EXPECT_THAT(html, HasSubstr("run-0.json: "));  // under the pointer
}

TEST(HistoryTest, AWorthlessRunIsNoReferenceEvenIfItIsTheOnlyOne) {
  std::vector<Result> results = compared_results({3000});
  results[0].failure = "gone";
  const History history = make_history(entries_of(results), tpmc, {});
  EXPECT_TRUE(history.points.empty());
  EXPECT_EQ(reason_of(history, "run-0.json"), "the run was aborted: gone");
  EXPECT_THAT(history_text(history), HasSubstr("No result has this metric."));
  EXPECT_THAT(history_html(history), HasSubstr("No result has this metric."));
}

TEST(HistoryTest, WhatWasNotMeasuredIsLeftOut) {
  const Metric efficiency = Metric::parse("efficiency");
  const History history =
      make_history(entries_of(compared_results({1, 2}), efficiency), efficiency, {});
  EXPECT_EQ(reason_of(history, "run-1.json"), "efficiency was not measured");
}

TEST(HistoryTest, AChangeNamesTheSettingsThatDiffer) {
  std::vector<Result> results = runs_with_a_loss();
  EXPECT_THAT(change_sentence(make_history(entries_of(results), tpmc, {}), 0),
              Not(HasSubstr("also different")));
  for (std::size_t i = 20; i < 30; ++i) {
    results[i].tool.commit = "def5678";
    results[i].plan.max_attempts = 3;
    results[i].plan.warmup_s = 5;
  }
  EXPECT_THAT(change_sentence(make_history(entries_of(results), tpmc, {}), 0),
              HasSubstr(": WORSE; also different: warm-up: before 0.0 s, after 5.0 s; attempts per "
                        "transaction: before unknown, after at most 3"));
}

TEST(HistoryTest, AResultThatDoesNotSayWhenItBeganHasNoPlace) {
  std::vector<Result> results = runs_with_a_loss();
  results[3].summary.measure_start_ts = 0;
  results[4].environment.server.reset();
  const History history = make_history(entries_of(results), tpmc, {});
  EXPECT_EQ(history.points.size(), 28u);
  EXPECT_EQ(reason_of(history, "run-3.json"),
            "its start time is missing (summary.measure_start_ts is 0)");
  EXPECT_EQ(reason_of(history, "run-4.json"), "the run does not name its database");
}

TEST(HistoryTest, AnyNumberOfResultsAndAnyValuesCanBeDrawn) {
  for (const std::size_t count : {1u, 2u, 7u, 100u, 500u}) {
    std::vector<double> values(count, 3000.0);
    History history = make_history(entries_of(compared_results(values)), tpmc, {});
    EXPECT_EQ(history.points.size(), count);
    EXPECT_THAT(history_text(history), HasSubstr("3002 |"));
    EXPECT_THAT(history_html(history), HasSubstr("<svg"));
    const Metric failed = Metric::parse("failed");
    history = make_history(entries_of(compared_results(values), failed), failed, {});
    EXPECT_TRUE(history.changes.empty());
    EXPECT_THAT(history_text(history), HasSubstr("o"));
    EXPECT_THAT(history_html(history), HasSubstr("<svg"));
  }
}

TEST(HistoryTest, HostileTextStaysText) {
  std::vector<Result> results = runs_with_a_loss();
  for (Result& result : results) {
    result.tool.commit = "</title><script>alert(1)</script>\x1b[31m";
    result.environment.server->version = "\" onload=\"alert(2)";
  }
  std::vector<HistoryEntry> entries = entries_of(results);
  for (HistoryEntry& entry : entries) entry.name += "<img src=x onerror=alert(3)>";
  const History history = make_history(std::move(entries), tpmc, {});
  const std::string html = history_html(history);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("\" onload")));
  EXPECT_THAT(html, HasSubstr("&lt;img"));
  EXPECT_THAT(html, HasSubstr("<g class=\"shift bad\">"));
  EXPECT_THAT(history_text(history), Not(HasSubstr("\x1b")));
}

TEST(HistoryTest, TheDocumentHasEverything) {
  std::vector<Result> results = runs_with_a_loss();
  results[3].interrupted = true;
  const nlohmann::json document =
      nlohmann::json::parse(history_json(make_history(entries_of(results), tpmc, {})));
  EXPECT_EQ(document["points"].size(), 29u);
  EXPECT_EQ(document["changes"].size(), 1u);
  EXPECT_EQ(document["changes"][0]["verdict"], "worse");
  EXPECT_EQ(document["changes"][0]["letter"], "A");
  EXPECT_EQ(document["left_out"][0]["name"], "run-3.json");
}

TEST(HistoryTest, LettersGoOnBehindZ) {
  EXPECT_EQ(change_letter(0), "A");
  EXPECT_EQ(change_letter(25), "Z");
  EXPECT_EQ(change_letter(26), "AA");
  EXPECT_EQ(change_letter(27 * 26), "AAA");
}

}  // namespace
}  // namespace drover::report
