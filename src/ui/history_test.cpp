#include "ui/history.h"

#include <gtest/gtest.h>

#include <numeric>

namespace drover::ui {
namespace {

History<int> history_of(int seconds) {
  History<int> history;
  for (int i = 1; i <= seconds; ++i) history.add(i);
  return history;
}

std::vector<double> sums(const History<int>& history, std::size_t most, const ChartSpan& span) {
  std::vector<double> sums;
  for (const ChartPoint& point : history.points(most, span, [](const auto& column) {
         return ChartPoint{.value = std::accumulate(column.begin(), column.end(), 0.0)};
       })) {
    sums.push_back(point.value.value_or(0));
  }
  return sums;
}

TEST(History, IsBounded) {
  const History<int> history = history_of(2000);
  EXPECT_EQ(history.samples().size(), History<int>::samples_most);
  EXPECT_EQ(history.samples().back(), 2000);
  EXPECT_EQ(sums(history, 5000, {}).size(), History<int>::samples_most);
}

TEST(History, APointIsMadeOfItsSeconds) {
  EXPECT_EQ(sums(history_of(7), 100, {.seconds_each = 3}), (std::vector<double>{6, 15, 7}));
  EXPECT_EQ(sums(history_of(7), 2, {.seconds_each = 3}), (std::vector<double>{15, 7}));
  EXPECT_EQ(sums(history_of(0), 2, {.seconds_each = 3}), std::vector<double>());
}

TEST(History, ASecondMayHaveSeveralPoints) {
  EXPECT_EQ(sums(history_of(2), 100, {.points_each = 3}), (std::vector<double>{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(sums(history_of(2), 4, {.points_each = 3}), (std::vector<double>{1, 2, 2, 2}));
}

TEST(History, PointsMoveAsAWhole) {
  History<int> history = history_of(static_cast<int>(History<int>::samples_most));
  const auto before = sums(history, 1000, {.seconds_each = 10});
  history.add(1);
  const auto after = sums(history, 1000, {.seconds_each = 10});
  // The oldest one has lost a second, and the others are what they were.
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_EQ(after[0], before[0] - 1);
  for (std::size_t i = 1; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]) << i;
}

}  // namespace
}  // namespace drover::ui
