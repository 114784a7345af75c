#include "ui/run_history.h"

#include <gtest/gtest.h>

#include "ui/example_snapshot.h"

namespace drover::ui {
namespace {

RunHistory history_of(int seconds) {
  RunHistory history;
  for (int i = 1; i <= seconds; ++i) {
    load::Sample sample = example_snapshot(1).second;
    sample.elapsed = std::chrono::seconds(i);
    sample.phase = i <= 10 ? load::Phase::warmup : load::Phase::measure;
    sample.committed[0] = static_cast<std::uint64_t>(i);
    sample.p90_ms = i;
    history.add(sample);
  }
  return history;
}

TEST(RunHistory, IsBounded) {
  const RunHistory history = history_of(2000);
  EXPECT_EQ(history.size(), RunHistory::points_most);
  EXPECT_EQ(history.tpmc_points(5000, 1).size(), RunHistory::points_most);
}

TEST(RunHistory, RatesAreOfTheLastSeconds) {
  EXPECT_DOUBLE_EQ(history_of(100).recent_rates()[0], 95.5);
  EXPECT_DOUBLE_EQ(history_of(4).recent_rates()[0], 2.5);
  EXPECT_DOUBLE_EQ(history_of(0).recent_rates()[0], 0);
}

TEST(RunHistory, AColumnIsAMeanOrAMaximum) {
  const RunHistory history = history_of(30);
  const auto tpmc = history.tpmc_points(100, 10);
  ASSERT_EQ(tpmc.size(), 3u);
  EXPECT_DOUBLE_EQ(tpmc[1].value.value_or(0), 15.5 * 60);
  EXPECT_TRUE(tpmc[0].faint);
  EXPECT_FALSE(tpmc[1].faint);
  const auto p90 = history.p90_points(2, 10);
  ASSERT_EQ(p90.size(), 2u);
  EXPECT_DOUBLE_EQ(p90[0].value.value_or(0), 20);
  EXPECT_DOUBLE_EQ(p90[1].value.value_or(0), 30);
}

TEST(RunHistory, ColumnsMoveAsAWhole) {
  RunHistory history = history_of(static_cast<int>(RunHistory::points_most));
  const auto before = history.tpmc_points(1000, 10);
  load::Sample sample = example_snapshot(1).second;
  history.add(sample);
  const auto after = history.tpmc_points(1000, 10);
  // The oldest column has lost a second, and the others are what they were.
  for (std::size_t i = 1; i < before.size(); ++i) EXPECT_EQ(before[i].value, after[i].value) << i;
}

TEST(RunHistory, ASecondWithoutTransactionsHasNoPercentile) {
  RunHistory history;
  load::Sample sample = example_snapshot(1).second;
  sample.p90_ms = 0;
  sample.away = std::chrono::seconds(2);
  history.add(sample);
  EXPECT_EQ(history.p90_points(1, 1)[0].value, std::nullopt);
  EXPECT_TRUE(history.p90_points(1, 1)[0].away);
}

}  // namespace
}  // namespace drover::ui
