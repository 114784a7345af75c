#include "report/history/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace drover::report {
namespace {

// Runs of which each stretch has a level, with a deviation of 1%.
std::vector<double> series(std::uint64_t seed, const std::vector<std::pair<int, double>>& levels) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> values;
  for (const auto& [count, level] : levels) {
    for (int i = 0; i < count; ++i) values.push_back(level * std::exp(noise(random)));
  }
  return values;
}

TEST(ChangePointsTest, NothingIsFoundWhereNothingChanges) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    found += find_change_points(series(seed, {{40, 3000}})).empty() ? 0 : 1;
  }
  // One in a hundred by the level; four deviations of chance more.
  EXPECT_LE(found, 8);
}

TEST(ChangePointsTest, AStepIsFoundWhereItIs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto points = find_change_points(series(seed, {{20, 3000}, {15, 2850}}));
    ASSERT_GE(points.size(), 1u) << seed;
    EXPECT_NEAR(static_cast<double>(points[0].first_after), 20, 1) << seed;
    EXPECT_NEAR(points[0].before_median, 3000, 30);
    EXPECT_NEAR(points[0].after_median, 2850, 30);
    EXPECT_LE(points[0].p, 0.01);
  }
}

TEST(ChangePointsTest, AFewRunsOfANewLevelAreEnoughAfterALongPast) {
  const auto points = find_change_points(series(3, {{30, 3000}, {3, 2700}}));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].first_after, 30u);
}

TEST(ChangePointsTest, ADropThatIsMendedIsTwoChanges) {
  const auto points = find_change_points(series(5, {{20, 3000}, {8, 2700}, {20, 3000}}));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].first_after, 20u);
  EXPECT_EQ(points[1].first_after, 28u);
  EXPECT_LT(points[0].after_median, points[0].before_median);
  EXPECT_GT(points[1].after_median, points[1].before_median);
}

TEST(ChangePointsTest, ASpoiltRunIsNoChange) {
  std::vector<double> values = series(7, {{30, 3000}});
  values[14] = 100;
  values[15] = 1e9;
  EXPECT_TRUE(find_change_points(values).empty());
}

TEST(ChangePointsTest, TheAnswerIsTheSameEachTime) {
  const std::vector<double> values = series(9, {{12, 10}, {12, 10.2}, {12, 9.9}});
  const auto once = find_change_points(values);
  const auto again = find_change_points(values);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].p, again[i].p);
}

TEST(ChangePointsTest, FewAndEqualValuesTellNothing) {
  EXPECT_TRUE(find_change_points({}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>{1}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>{1, 1, 1, 9, 9, 9}).empty());
  EXPECT_TRUE(find_change_points(std::vector<double>(50, 3.0)).empty());
}

TEST(ChangePointsTest, EqualValuesOnTwoLevelsAreAChange) {
  std::vector<double> values(10, 0.0);
  values.resize(20, 5.0);
  const auto points = find_change_points(values);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].first_after, 10u);
}

}  // namespace
}  // namespace drover::report
