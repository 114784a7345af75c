#include "report/compare/metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "report/compare/compare.h"
#include "report/document/example_result_test.h"
#include "report/model/chart.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

double value_of(const char* name, const Result& result) {
  const auto value = Metric::parse(name).value(result);
  EXPECT_TRUE(value.has_value()) << name;
  return value.value_or(-1);
}

std::string metric_refusal(std::string_view name) {
  try {
    return "accepted as " + Metric::parse(name).name();
  } catch (const MetricError& error) {
    return error.what();
  }
}

TEST(MetricTest, NamesAreReadInAnyCaseAndAsResultsWriteThem) {
  EXPECT_EQ(Metric::parse("tpmc").name(), "tpmC");
  EXPECT_EQ(Metric::parse(" TPMC ").name(), "tpmC");
  EXPECT_EQ(Metric::parse("NewOrder.P99").name(), "new_order.p99");
  EXPECT_EQ(Metric::parse("new_order.p99.0").name(), "new_order.p99");
  EXPECT_EQ(Metric::parse("neworder.p99.950").name(), "new_order.p99.95");
  EXPECT_EQ(Metric::parse("ALL.MAX").name(), "all.max");
  EXPECT_EQ(Metric::parse("Client.CPU_us").name(), "client.cpu_us");
  EXPECT_EQ(Metric::parse("all.p100").percent(), 100);
}

TEST(MetricTest, EveryNameIsRead) {
  for (const std::string& name : metric_names()) EXPECT_EQ(Metric::parse(name).name(), name);
  for (const Metric& metric : default_metrics()) {
    EXPECT_EQ(Metric::parse(metric.name()), metric);
    EXPECT_FALSE(metric.meaning().empty());
  }
}

TEST(MetricTest, ValuesOfAResult) {
  const Result result = example_result();
  EXPECT_DOUBLE_EQ(value_of("tpmC", result), 120 * 60 / 60.25);
  EXPECT_DOUBLE_EQ(value_of("efficiency", result), result.summary.efficiency);
  EXPECT_DOUBLE_EQ(value_of("throughput", result), 132 / 60.25);
  EXPECT_EQ(value_of("failed", result), 4);
  EXPECT_EQ(value_of("retries", result), 4);
  EXPECT_EQ(value_of("unavailable_s", result), 16.5);
  EXPECT_DOUBLE_EQ(value_of("client.cpu_us", result), 1.25e6 / 138);
  EXPECT_EQ(value_of("client.memory", result), 50);
  EXPECT_NEAR(value_of("new_order.p50", result), 60, 0.6);
  EXPECT_NEAR(value_of("new_order.p99", result), 119, 1);
  EXPECT_DOUBLE_EQ(value_of("new_order.mean", result), 60.5);
  EXPECT_DOUBLE_EQ(value_of("new_order.max", result), 120);
  EXPECT_DOUBLE_EQ(value_of("stock_level.p90", result), 30'000);
  EXPECT_DOUBLE_EQ(value_of("all.max", result), 30'000);
  EXPECT_DOUBLE_EQ(value_of("new_order.ok", result), 120 / 60.25);
  EXPECT_EQ(value_of("all.ok", result), value_of("throughput", result));
  EXPECT_EQ(value_of("new_order.failed", result), 4);
  EXPECT_EQ(value_of("stock_level.failed", result), 0);
  EXPECT_NEAR(value_of("deferred.p90", result), 1'000, 8);
  EXPECT_EQ(value_of("deferred.failed", result), 1);
}

TEST(MetricTest, WhatWasNotMeasuredHasNoValue) {
  Result result = example_result();
  EXPECT_FALSE(Metric::parse("payment.p99").value(result));
  EXPECT_TRUE(Metric::parse("payment.ok").value(result));
  result.plan.no_delays = true;
  EXPECT_FALSE(Metric::parse("efficiency").value(result));
  result.deferred_delivery.reset();
  EXPECT_FALSE(Metric::parse("deferred.p90").value(result));
  EXPECT_FALSE(Metric::parse("deferred.ok").value(result));
  result.summary.time_seconds = 0;
  EXPECT_FALSE(Metric::parse("tpmC").value(result));
  result.transactions.clear();
  EXPECT_FALSE(Metric::parse("new_order.failed").value(result));
  EXPECT_FALSE(Metric::parse("all.p99").value(result));
}

TEST(MetricTest, TheServersTimeATransaction) {
  Result result = example_result();
  const double ms_of_a_session = 60.25e3 / 138;
  EXPECT_DOUBLE_EQ(value_of("server.cpu_ms", result), 1.25 * ms_of_a_session);
  EXPECT_DOUBLE_EQ(value_of("server.wait_ms", result), 2.5 * ms_of_a_session)
      << "not for the client";
  const auto has_row = [](const Result& of) {
    const auto metrics = default_metrics(of);
    return std::ranges::find(metrics, Metric::parse("server.wait_ms")) != metrics.end();
  };
  EXPECT_TRUE(has_row(result));
  result.server_stats->samples_measured = 0;
  EXPECT_FALSE(Metric::parse("server.cpu_ms").value(result));
  result.server_stats.reset();
  EXPECT_FALSE(Metric::parse("server.cpu_ms").value(result));
  EXPECT_FALSE(has_row(result));
}

TEST(MetricTest, UnitsAndDirections) {
  EXPECT_TRUE(Metric::parse("tpmC").higher_is_better());
  EXPECT_TRUE(Metric::parse("payment.ok").higher_is_better());
  EXPECT_FALSE(Metric::parse("payment.p50").higher_is_better());
  EXPECT_FALSE(Metric::parse("failed").higher_is_better());
  EXPECT_EQ(Metric::parse("payment.p50").unit(), "ms");
  EXPECT_EQ(Metric::parse("payment.ok").unit(), "/s");
  EXPECT_EQ(Metric::parse("client.memory").unit(), "MiB");
  EXPECT_EQ(Metric::parse("retries").unit(), "");
}

TEST(MetricTest, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_THAT(metric_refusal("tpm"), HasSubstr("did you mean tpmC?"));
  EXPECT_THAT(metric_refusal("new_ordr.p99"), HasSubstr("did you mean new_order.p99?"));
  EXPECT_THAT(metric_refusal("payment.p0"), HasSubstr("did you mean payment.p50?"));
  EXPECT_THAT(metric_refusal("latency of everything"), testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(metric_refusal("all.p101"), HasSubstr("unknown metric 'all.p101'"));
  EXPECT_THAT(metric_refusal("all.pnan"), HasSubstr("unknown metric"));
  EXPECT_THAT(metric_refusal("all.p1e1"), HasSubstr("unknown metric"));
  EXPECT_THAT(metric_refusal("all.p-1"), HasSubstr("unknown metric"));
  EXPECT_THAT(metric_refusal(""), HasSubstr("unknown metric ''"));
  EXPECT_THAT(metric_refusal("\x1b[31m"), HasSubstr("\\x1b"));
  EXPECT_LT(metric_refusal(std::string(100'000, 'x')).size(), 600u);
}

TEST(MetricTest, AListNamesEachOnce) {
  const auto metrics = parse_metrics("tpmC, NewOrder.p99,tpmc");
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[1].name(), "new_order.p99");
  EXPECT_THROW(parse_metrics("tpmC,"), MetricError);
}

TEST(MetricTest, NumbersHaveTheDigitsThatMatter) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(3.14159), "3.14");
  EXPECT_EQ(number_text(123.456), "123.5");
  EXPECT_EQ(number_text(12857.6), "12858");
  EXPECT_EQ(number_text(-4.5), "-4.50");
}

std::vector<NamedResult> two_results() {
  NamedResult first{"first", example_result()};
  NamedResult second{"second", example_result()};
  second.result.summary.tpmc *= 0.9;
  second.result.client.peak_rss_bytes *= 20;
  return {first, second};
}

TEST(MetricTable, ChangesAreAgainstTheFirst) {
  const auto rows = make_metric_table(two_results(), parse_metrics("tpmC,client.memory"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(rows[0].cells[0].change);
  EXPECT_EQ(change_text(rows[0].cells[0]), "");
  EXPECT_EQ(change_text(rows[0].cells[1]), "-10.0%");
  EXPECT_EQ(change_text(rows[1].cells[1]), "x20");
}

TEST(MetricTable, RowsOfNothingAreLeftOut) {
  auto results = two_results();
  for (NamedResult& one : results) {
    one.result.plan.no_delays = true;
  }
  EXPECT_TRUE(make_metric_table(results, parse_metrics("efficiency")).empty());
}

TEST(MetricTable, AValueThatIsNotThere) {
  auto results = two_results();
  results[1].result.plan.no_delays = true;
  const auto rows = make_metric_table(results, parse_metrics("efficiency"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(value_text(rows[0].cells[1]), "n/a");
  EXPECT_EQ(change_text(rows[0].cells[1]), "");
}

TEST(MetricTable, TheAuditsSentenceIsWhole) {
  auto results = two_results();
  std::string text = "the figure";
  while (text.size() < 300) text += " and words";
  results[1].result.audit = {{"rate", "", Judgement::invalid, text + ". See the rules client.*"}};
  const auto rows = make_metric_table(results, parse_metrics("tpmC"));
  EXPECT_THAT(metric_table_text(results, rows), HasSubstr("See the rules client.*\n"));
}

TEST(MetricTable, TextIsNarrowHoweverManyResults) {
  std::vector<NamedResult> results;
  for (int i = 0; i < 12; ++i) results.push_back({std::string(300, 'x'), example_result()});
  const auto rows = make_metric_table(results, default_metrics());
  const std::string text = metric_table_text(results, rows);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 100u) << text.substr(start, end - start);
    start = end + 1;
  }
  EXPECT_THAT(text, HasSubstr(" 12  xxx"));
}

std::string message_of_metric(std::string_view text, const MetricVocabulary& vocabulary) {
  try {
    return "(it was read as " + Metric::parse(text, vocabulary).name() + ")";
  } catch (const MetricError& error) {
    return error.what();
  }
}

std::vector<std::string> names_of(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) names.push_back(metric.name());
  return names;
}

TEST(MetricOfOthers, HasTheNamesOfTheResult) {
  const MetricVocabulary ycsb = vocabulary_of(example_ycsb_result());
  for (const std::string& name : metric_names(ycsb))
    EXPECT_EQ(Metric::parse(name, ycsb).name(), name);
  EXPECT_EQ(Metric::parse("Read-Modify-Write.P99.90", ycsb).name(), "read_modify_write.p99.9");
  EXPECT_EQ(Metric::parse("readmodifywrite.ok", ycsb).name(), "read_modify_write.ok");
  EXPECT_EQ(Metric::parse("all.service.p99", ycsb).name(), "all.service.p99");
  EXPECT_EQ(
      message_of_metric("tpmC", ycsb),
      "unknown metric 'tpmC'. Expected one of throughput, failed, retries, unanswered, "
      "unavailable_s, stalled_s, client.cpu_us, client.memory, server.cpu_ms, server.wait_ms; or a "
      "transaction (read, read_modify_write, insert, all) and a suffix: .p50, .p99.9 (any "
      "percentile), .mean, .max, .ok, .failed, .service.p99, .service.mean, .service.max");
  EXPECT_THAT(message_of_metric("reed.p99", ycsb), HasSubstr("(did you mean read.p99?)"));
  EXPECT_THAT(message_of_metric("read.service.ok", ycsb), HasSubstr("unknown metric"));
  EXPECT_THAT(message_of_metric("new_order.p99", ycsb), HasSubstr("unknown metric"));
  EXPECT_THAT(message_of_metric("all.service.p99", {}), HasSubstr("unknown metric")) << "of TPC-C";
  EXPECT_THAT(message_of_metric("new-order.p99", {}), HasSubstr("unknown metric"));
}

TEST(MetricOfOthers, NamesOfScriptsMayHaveDots) {
  Result result = example_sql_result();
  const MetricVocabulary sql = vocabulary_of(result);
  EXPECT_EQ(Metric::parse("transfer.sql.p99", sql).name(), "transfer.sql.p99");
  EXPECT_EQ(Metric::parse("look up.sql.p99.9", sql).name(), "look_up.sql.p99.9");
  EXPECT_EQ(Metric::parse("look_up.sql.mean", sql).value(result),
            Metric::parse("Look-Up.sql.mean", sql).value(result));
  const MetricVocabulary nested{.has_tpmc = false, .transactions = {"a", "a.p50"}};
  EXPECT_EQ(Metric::parse("a.p50", nested).name(), "a.p50");
  EXPECT_EQ(Metric::parse("a.p50.p99", nested).name(), "a.p50.p99");
}

TEST(MetricOfOthers, HasTheirValues) {
  const Result result = example_ycsb_result();
  const MetricVocabulary ycsb = vocabulary_of(result);
  const auto value = [&](std::string_view name) { return Metric::parse(name, ycsb).value(result); };
  EXPECT_DOUBLE_EQ(value("throughput").value(), 100);
  EXPECT_DOUBLE_EQ(value("read_modify_write.ok").value(), 45);
  EXPECT_DOUBLE_EQ(value("read.max").value(), 8);
  EXPECT_DOUBLE_EQ(value("read.service.max").value(), 4);
  EXPECT_DOUBLE_EQ(value("all.service.max").value(), 4);
  EXPECT_FALSE(Metric::parse("all.service.p99", vocabulary_of(example_sql_result()))
                   .value(example_sql_result()));
  EXPECT_FALSE(Metric::parse("tpmC").value(result)) << "it was not measured";
  EXPECT_FALSE(Metric::parse("efficiency").value(result));
}

TEST(MetricOfOthers, TheDefaultIsOfTheResult) {
  EXPECT_THAT(
      names_of(default_metrics(example_ycsb_result())),
      AllOf(Contains("throughput"), Contains("read_modify_write.p99"), Contains("all.service.p99"),
            Not(Contains("tpmC")), Not(Contains("new_order.p50"))));
  EXPECT_THAT(names_of(default_metrics(example_sql_result())),
              AllOf(Contains("transfer.sql.p90"), Not(Contains("all.service.p99"))));
}

TEST(CompareOfOthers, HasItsOwnRows) {
  const std::vector<Result> base = {example_ycsb_result()};
  std::vector<Result> other = {example_ycsb_result()};
  other[0].summary.measure_start_ts += 100;
  add_commits(other[0].transactions[0], 3'000, 40'000);
  CompareOptions options;
  options.limits = {Limit::parse("read.p99 > +10%", vocabulary_of(base[0]))};
  const Comparison comparison = compare(base, other, options);
  EXPECT_THAT(comparison.obstacles, IsEmpty());
  EXPECT_TRUE(comparison.fails());
  EXPECT_THAT(compare_text(comparison), AllOf(HasSubstr("read_modify_write.p99"),
                                              HasSubstr("throughput"), Not(HasSubstr("tpmC"))));
}

TEST(CompareOfOthers, WhatItWasGivenHasToAgree) {
  const std::vector<Result> base = {example_ycsb_result()};
  const auto obstacles_of_change = [&](const auto& change) {
    std::vector<Result> other = {example_ycsb_result()};
    other[0].summary.measure_start_ts += 100;
    change(other[0]);
    return find_obstacles({{base, {}}, {other, {}}});
  };
  const auto expect_one = [&](const char* key, const char* text, const auto& change) {
    const std::vector<Obstacle> obstacles = obstacles_of_change(change);
    ASSERT_EQ(obstacles.size(), 1u) << key;
    EXPECT_EQ(obstacles[0].key, key);
    EXPECT_THAT(obstacles[0].text, HasSubstr(text));
    EXPECT_THAT(obstacle_keys(), Contains(key));
  };
  EXPECT_THAT(obstacles_of_change([](Result&) {}), IsEmpty());
  expect_one("rate", "base has 100 tx/s, new has 200 tx/s", [](Result& r) { r.plan.rate = 200; });
  expect_one("arrivals", "base has poisson, new has constant",
             [](Result& r) { r.plan.arrivals = "constant"; });
  expect_one("think_time", "base has none, new has 0.25 s",
             [](Result& r) { r.plan.think_time_s = 0.25; });
  expect_one("clients", "base has 32, new has 31", [](Result& r) { r.plan.clients = 31; });
  expect_one("operations", "new has 500", [](Result& r) { r.plan.operations = 500; });
  expect_one("workload", "requestdistribution: base has zipfian, new has uniform",
             [](Result& r) { r.plan.workload[1].value = "uniform"; });
  expect_one("workload", "maxscanlength: base has none, new has 100",
             [](Result& r) { r.plan.workload.push_back({"maxscanlength", "100"}); });
  expect_one("benchmark", "base has ycsb, new has sql",
             [](Result& r) { r.plan.benchmark = "sql"; });
  EXPECT_THAT(obstacles_of_change([](Result& r) { r.plan.warehouses = 5; }), IsEmpty());
  EXPECT_THAT(obstacles_of_change([](Result& r) { r.plan.connections = 8; }), IsEmpty())
      << "by the schedule";
}

using Kind = Limit::Kind;

std::string refusal_of(std::string_view text) {
  try {
    return "accepted as " + Limit::parse(text).text();
  } catch (const LimitError& error) {
    return error.what();
  } catch (const MetricError& error) {
    return error.what();
  }
}

void expect_limit(const char* text, const char* metric, bool above, Kind kind, double bound) {
  const Limit limit = Limit::parse(text);
  EXPECT_EQ(limit.metric.name(), metric) << text;
  EXPECT_EQ(limit.above, above) << text;
  EXPECT_EQ(limit.kind, kind) << text;
  EXPECT_EQ(limit.bound, bound) << text;
  const Limit again = Limit::parse(limit.text());
  EXPECT_EQ(again.text(), limit.text());
  EXPECT_EQ(again.kind, kind) << limit.text();
  EXPECT_EQ(again.bound, bound) << limit.text();
}

TEST(CompareLimitTest, PercentIsAChange) {
  expect_limit("tpmC < -3%", "tpmC", false, Kind::percent_change, -3);
  expect_limit("  tpmC<-3 %  ", "tpmC", false, Kind::percent_change, -3);
  expect_limit("new_order.p99 > +10%", "new_order.p99", true, Kind::percent_change, 10);
  expect_limit("NewOrder.p99 > 10%", "new_order.p99", true, Kind::percent_change, 10);
  expect_limit("efficiency < -2.5%", "efficiency", false, Kind::percent_change, -2.5);
  expect_limit("tpmC < 0%", "tpmC", false, Kind::percent_change, 0);
  EXPECT_FALSE(std::signbit(Limit::parse("tpmC < -0%").bound));
}

TEST(CompareLimitTest, ANumberWithASignIsAChangeAndOneWithoutAValue) {
  expect_limit("new_order.p99 > +5", "new_order.p99", true, Kind::change, 5);
  expect_limit("new_order.p99 > +5ms", "new_order.p99", true, Kind::change, 5);
  expect_limit("tpmC < -0", "tpmC", false, Kind::change, 0);
  expect_limit("new_order.p99 > 20", "new_order.p99", true, Kind::value, 20);
  expect_limit("new_order.p99 > 20 ms", "new_order.p99", true, Kind::value, 20);
  expect_limit("client.memory>512MiB", "client.memory", true, Kind::value, 512);
  expect_limit("failed > 0", "failed", true, Kind::value, 0);
  expect_limit("efficiency < 90", "efficiency", false, Kind::value, 90);
  expect_limit("tpmC < 0.000000125", "tpmC", false, Kind::value, 0.000000125);
}

TEST(CompareLimitTest, BeyondIsNotAt) {
  const Limit limit = Limit::parse("tpmC < -3%");
  EXPECT_TRUE(limit.is_beyond(-3.01));
  EXPECT_FALSE(limit.is_beyond(-3));
  EXPECT_TRUE(Limit::parse("failed > 0").is_beyond(1));
  EXPECT_FALSE(Limit::parse("failed > 0").is_beyond(0));
}

TEST(CompareLimitTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(refusal_of("tpmC"), HasSubstr("'tpmC' is not a limit: it has no < or >"));
  EXPECT_THAT(refusal_of("tpmC <= -3%"), HasSubstr("<= and >= are not supported"));
  EXPECT_THAT(refusal_of("tpmC <"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < inf"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < -nan"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < --3%"), HasSubstr("it has no number"));
  EXPECT_THAT(refusal_of("tpmC < 1e400"), HasSubstr("the unit of tpmC is /min"));
  EXPECT_THAT(refusal_of("tpmC < 9999999999999"), HasSubstr("not between -1e+12 and 1e+12"));
  EXPECT_THAT(refusal_of("all.p99 > 20s"), HasSubstr("the unit of all.p99 is ms"));
  EXPECT_THAT(refusal_of("failed > 3x"), HasSubstr("failed has no unit"));
  EXPECT_THAT(refusal_of("failed > 3 4"), HasSubstr("failed has no unit"));
  EXPECT_THAT(refusal_of("nothing < 3"), HasSubstr("unknown metric 'nothing'"));
  EXPECT_THAT(refusal_of("< 3"), HasSubstr("unknown metric ''"));
  EXPECT_THAT(refusal_of("tpmC \x1b[31m"), HasSubstr("\\x1b"));
}

TEST(CompareLimitTest, ALimitThatFailsWhatGotBetterIsRefused) {
  EXPECT_THAT(refusal_of("tpmC < 3%"), HasSubstr("Write -3%, or the number without %"));
  EXPECT_THAT(refusal_of("all.p99 > -10%"), HasSubstr("Write +10%"));
  EXPECT_THAT(refusal_of("all.p99 > -2"), HasSubstr("Write +2"));
  EXPECT_THAT(refusal_of("tpmC < +100"), HasSubstr("Write -100"));
}

}  // namespace
}  // namespace drover::report
