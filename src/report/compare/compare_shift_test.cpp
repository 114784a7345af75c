#include "report/compare/compare_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "measure/median.h"

namespace drover::report {
namespace {

using Values = std::vector<double>;

constexpr double shift_confidence = 0.95;

TEST(CompareShiftTest, FewRunsHaveFewOrders) {
  EXPECT_DOUBLE_EQ(rank_test_p_least(3, 3), 1.0 / 20);
  EXPECT_DOUBLE_EQ(rank_test_p_least(4, 4), 1.0 / 70);
  EXPECT_DOUBLE_EQ(rank_test_p_least(5, 5), 1.0 / 252);
  EXPECT_DOUBLE_EQ(rank_test_p_least(1, 9), 1.0 / 10);
  EXPECT_DOUBLE_EQ(rank_test_p_least(9, 1), 1.0 / 10);
}

TEST(CompareShiftTest, ThePOfTheRankTestIsCounted) {
  // All of the new are below: one order of 252.
  Shift shift = rank_shift(Values{6, 7, 8, 9, 10}, Values{1, 2, 3, 4, 5}, shift_confidence);
  EXPECT_NEAR(shift.p_lower, 1.0 / 252, 1e-12);
  EXPECT_NEAR(shift.p_higher, 1, 1e-12);
  EXPECT_EQ(shift.estimate, -5);
  // One pair is the other way round: two orders.
  shift = rank_shift(Values{5, 7, 8, 9, 10}, Values{1, 2, 3, 4, 6}, shift_confidence);
  EXPECT_NEAR(shift.p_lower, 2.0 / 252, 1e-12);
  // The same sample twice: half of the orders, and those that are equal.
  shift = rank_shift(Values{1, 2, 3}, Values{1, 2, 3}, shift_confidence);
  EXPECT_EQ(shift.estimate, 0);
  EXPECT_NEAR(shift.p_lower, shift.p_higher, 1e-12);
  EXPECT_GT(shift.p_lower, 0.5);
}

TEST(CompareShiftTest, TiesAreCountedExactly) {
  // Only one of the 10 choices of 2 out of {1, 1, 1, 2, 2} is {2, 2}.
  const Shift shift = rank_shift(Values{1, 1, 1}, Values{2, 2}, shift_confidence);
  EXPECT_NEAR(shift.p_higher, 0.1, 1e-12);
  EXPECT_NEAR(shift.p_lower, 1, 1e-12);
  // Nothing but ties tells nothing.
  const Shift none = rank_shift(Values{3, 3, 3, 3}, Values{3, 3, 3, 3}, shift_confidence);
  EXPECT_NEAR(none.p_lower, 1, 1e-12);
  EXPECT_NEAR(none.p_higher, 1, 1e-12);
}

TEST(CompareShiftTest, TheIntervalIsCutFromTheOrderedDifferences) {
  // With 5 and 5 runs, U of up to 2 is rarer than 2.5% (4 / 252): the third difference from either
  // end.
  const Values base{0, 1, 2, 3, 4};
  const Values other{10, 20, 30, 40, 50};
  const Shift shift = rank_shift(base, other, shift_confidence);
  EXPECT_EQ(shift.low, 8);    // 6, 7, 8
  EXPECT_EQ(shift.high, 48);  // 50, 49, 48
  // With 3 and 3 even the rarest is too frequent.
  const Shift open = rank_shift(Values{1, 2, 3}, Values{4, 5, 6}, shift_confidence);
  EXPECT_TRUE(std::isinf(open.low) && std::isinf(open.high));
}

TEST(CompareShiftTest, ManyRunsAgreeWithTheExactTest) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 1);
  Values base(30);
  Values other(30);
  for (double& value : base) value = normal(random);
  for (double& value : other) value = normal(random) - 0.6;
  const Shift exact = rank_shift(base, other, shift_confidence);
  base.push_back(100);  // the 61st: the approximation, and a rank that hardly matters
  other.push_back(100);
  const Shift approximate = rank_shift(base, other, shift_confidence);
  EXPECT_NEAR(approximate.p_lower, exact.p_lower, 0.3 * exact.p_lower);
  EXPECT_NEAR(approximate.low, exact.low, 0.1);
  EXPECT_NEAR(approximate.high, exact.high, 0.1);
}

// The tails of the test as its definition has them, for one new value.
TEST(CompareShiftTest, ManyRunsAgainstAFewAreCountedToo) {
  Values base(70);
  std::iota(base.begin(), base.end(), 100.0);
  const Shift one = rank_shift(base, Values{1}, shift_confidence);
  EXPECT_NEAR(one.p_lower, 1.0 / 71, 1e-12);
  EXPECT_NEAR(one.p_higher, 1, 1e-12);
  EXPECT_NEAR(rank_test_p_least(70, 1), 1.0 / 71, 1e-12);
  const Shift other_way = rank_shift(Values{1}, base, shift_confidence);
  EXPECT_NEAR(other_way.p_higher, 1.0 / 71, 1e-12);
  EXPECT_NEAR(other_way.p_lower, 1, 1e-12);
  // Two of 92: 4186 pairs, of which one lies below all others; bounded, since 1 / 4186 is rarer
  // than 2.5%.
  base.resize(90);
  std::iota(base.begin(), base.end(), 100.0);
  const Shift two = rank_shift(base, Values{1, 2}, shift_confidence);
  EXPECT_NEAR(two.p_lower, 1.0 / 4186, 1e-15);
  EXPECT_TRUE(std::isfinite(two.low) && std::isfinite(two.high));
  EXPECT_LT(two.high, 0);
  // The third from below of one side: 3 of the 71 places.
  base.resize(70);
  EXPECT_NEAR(rank_shift(base, Values{101.5}, shift_confidence).p_lower, 3.0 / 71, 1e-12);
}

TEST(CompareShiftTest, TheLeastPIsThatOfTheTestThatIsTaken) {
  for (const auto& [n, m] : {std::pair{30, 30}, {31, 31}, {100, 17}, {17, 100}, {100, 100}}) {
    Values base(static_cast<std::size_t>(n));
    Values other(static_cast<std::size_t>(m));
    std::iota(base.begin(), base.end(), 1000.0);
    std::iota(other.begin(), other.end(), 0.0);
    const double least = rank_test_p_least(base.size(), other.size());
    EXPECT_NEAR(rank_test(base, other).p_lower / least, 1, 1e-6) << n << " and " << m;
    EXPECT_NEAR(rank_test(other, base).p_higher / least, 1, 1e-6) << n << " and " << m;
    EXPECT_LT(least, 1e-6);
  }
}

TEST(CompareShiftTest, TheTestsKeepTheirLevelAndTheIntervalsTheirConfidence) {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> skewed(0, 0.5);
  constexpr int rounds = 4'000;
  int rank_alarms = 0;
  int rank_misses = 0;
  int student_misses = 0;
  for (int i = 0; i < rounds; ++i) {
    Values base(5);
    Values other(5);
    for (double& value : base) value = std::log(skewed(random));
    for (double& value : other) value = std::log(skewed(random)) + 0.25;
    const Shift ranks = rank_shift(base, other, shift_confidence);
    rank_misses += ranks.low > 0.25 || ranks.high < 0.25 ? 1 : 0;
    const Shift student = student_shift(base, other, shift_confidence, 0);
    student_misses += student.low > 0.25 || student.high < 0.25 ? 1 : 0;
    for (double& value : other) value -= 0.25;
    rank_alarms += rank_shift(base, other, shift_confidence).p_lower <= 0.025 ? 1 : 0;
  }
  // 4 orders of 252 are rarer than 2.5% on a side; four deviations of chance around it.
  EXPECT_NEAR(rank_alarms, rounds * 4.0 / 252, 4 * std::sqrt(rounds * 4.0 / 252));
  EXPECT_NEAR(rank_misses, rounds * 8.0 / 252, 4 * std::sqrt(rounds * 8.0 / 252));
  EXPECT_NEAR(student_misses, rounds * 0.05, 4 * std::sqrt(rounds * 0.05));
}

TEST(CompareShiftTest, ASpoiltRunMovesTheRankTestByItsRankOnly) {
  const Values base{100, 101, 102, 103, 104};
  const Shift far = rank_shift(base, Values{90, 91, 92, 93, 1e9}, shift_confidence);
  const Shift near = rank_shift(base, Values{90, 91, 92, 93, 105}, shift_confidence);
  EXPECT_EQ(far.p_lower, near.p_lower);
  EXPECT_EQ(far.estimate, near.estimate);
}

TEST(CompareShiftTest, StudentsTestIsThatOfTheBooks) {
  // Means 2 and 5, pooled variance 1, so t = 3 / sqrt(2/3) with 4 degrees of freedom.
  const Shift shift = student_shift(Values{1, 2, 3}, Values{4, 5, 6}, shift_confidence, 0);
  EXPECT_DOUBLE_EQ(shift.estimate, 3);
  EXPECT_NEAR(shift.p_higher, 0.01066, 5e-6);
  EXPECT_NEAR(shift.low, 3 - 2.776 * std::sqrt(2.0 / 3), 1e-3);
  EXPECT_NEAR(shift.p_lower, 1 - 0.01066, 5e-6);
  // One new run is held against the scatter of the base.
  const Shift single = student_shift(Values{1, 2, 3, 4, 5}, Values{3}, shift_confidence, 0);
  EXPECT_EQ(single.estimate, 0);
  EXPECT_NEAR(single.p_higher, 0.5, 1e-12);
}

TEST(CompareShiftTest, EqualValuesAreKnownToTheirResolutionOnly) {
  const Values ones{1, 1, 1};
  const Values above{1.01, 1.01, 1.01};
  EXPECT_EQ(student_shift(ones, above, shift_confidence, 0).p_higher, 0);
  EXPECT_GT(student_shift(ones, above, shift_confidence, 0.01).p_higher, 0.1);
  EXPECT_EQ(student_shift(ones, ones, shift_confidence, 0).p_higher, 1);
}

TEST(CompareShiftTest, Medians) {
  EXPECT_EQ(measure::median_of(Values{}), 0);
  EXPECT_EQ(measure::median_of(Values{3, 1, 2}), 2);
  EXPECT_EQ(measure::median_of(Values{4, 1, 2, 3}), 2.5);
}

}  // namespace
}  // namespace drover::report
