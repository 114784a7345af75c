// Metrics and comparisons of benchmarks that are not TPC-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/compare/compare.h"
#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
      "unavailable_s, stalled_s, "
      "client.cpu_us, client.memory, server.cpu_ms, server.wait_ms, or one of read, "
      "read_modify_write, insert, all followed by "
      ".p50, .p99.9 "
      "(any percentile), .mean, .max, .ok, .failed, .service.p99, .service.mean, .service.max");
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
  const MetricVocabulary nested{.is_tpcc = false, .transactions = {"a", "a.p50"}};
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
    return find_obstacles({base, {}}, {other, {}});
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

}  // namespace
}  // namespace drover::report
