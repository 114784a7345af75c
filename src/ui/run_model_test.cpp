#include "ui/run_model.h"

#include <gtest/gtest.h>

#include "ui/example_snapshot_test.h"

namespace drover::ui {
namespace {

RunHistory history_of(int seconds) {
  RunHistory history;
  for (int i = 1; i <= seconds; ++i) {
    load::Sample sample = example_snapshot(1).second;
    sample.elapsed = std::chrono::seconds(i);
    sample.phase = i <= 10 ? load::Phase::warmup : load::Phase::measure;
    sample.ok[0] = static_cast<std::uint64_t>(i);
    sample.p90_ms = i;
    history.add(sample);
  }
  return history;
}

TEST(RunHistory, RatesAreOfTheLastSeconds) {
  EXPECT_DOUBLE_EQ(recent_rates(history_of(100), 5)[0], 95.5);
  EXPECT_DOUBLE_EQ(recent_rates(history_of(4), 5)[0], 2.5);
  EXPECT_DOUBLE_EQ(recent_rates(history_of(0), 5)[0], 0);
}

TEST(RunHistory, APointIsAMeanOrAMaximum) {
  const RunHistory history = history_of(30);
  const load::Headline headline = example_workload_info().headline;
  const auto tpmc = history.points(
      100, {.seconds_each = 10},
      [&](const RunHistory::Column& seconds) { return headline_point(headline, seconds); });
  ASSERT_EQ(tpmc.size(), 3u);
  EXPECT_DOUBLE_EQ(tpmc[1].value.value_or(0), 15.5 * 60);
  EXPECT_TRUE(tpmc[0].faint);
  EXPECT_FALSE(tpmc[1].faint);
  const auto p90 = history.points(2, {.seconds_each = 10}, p90_point);
  ASSERT_EQ(p90.size(), 2u);
  EXPECT_DOUBLE_EQ(p90[0].value.value_or(0), 20);
  EXPECT_DOUBLE_EQ(p90[1].value.value_or(0), 30);
}

TEST(RunHistory, ASecondWithoutTransactionsHasNoPercentile) {
  RunHistory history;
  load::Sample sample = example_snapshot(1).second;
  sample.p90_ms = 0;
  sample.away = std::chrono::seconds(2);
  history.add(sample);
  EXPECT_EQ(history.points(1, {}, p90_point)[0].value, std::nullopt);
  EXPECT_TRUE(history.points(1, {}, p90_point)[0].away);
}

TEST(RunModel, ThroughputIsOfTheMeasurementAndOfTheLastSeconds) {
  RunModel model;
  model.plan = example_plan();
  for (int second = 1; second <= 70; ++second) {
    model.take(example_snapshot(second), coro::Instant{});
  }
  const Throughput figures = model.throughput();
  EXPECT_DOUBLE_EQ(figures.headline_now, 6000);
  EXPECT_DOUBLE_EQ(figures.headline_measured.value_or(0), 6000);
  EXPECT_NEAR(figures.efficiency.value_or(0), 6000 / (20 * 12.605), 0.1);
  EXPECT_DOUBLE_EQ(figures.per_second, 222);
  EXPECT_DOUBLE_EQ(model.cores, 0.25);
  model.plan.workload.headline.most = 0;
  EXPECT_EQ(model.throughput().efficiency, std::nullopt);
}

TEST(RunModel, AHeadlineCanBeOfAllTypes) {
  RunModel model;
  model.plan = example_scripts(3);
  for (int second = 1; second <= 20; ++second) {
    model.take(example_snapshot_of(second, 3), coro::Instant{});
  }
  const Throughput figures = model.throughput();
  EXPECT_DOUBLE_EQ(figures.headline_now, 30);
  EXPECT_DOUBLE_EQ(figures.headline_measured.value_or(0), 30);
  EXPECT_EQ(figures.efficiency, std::nullopt);
  EXPECT_DOUBLE_EQ(figures.per_second, 30);
}

}  // namespace
}  // namespace drover::ui
