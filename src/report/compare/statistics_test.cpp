#include "report/compare/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "measure/median.h"
#include "report/compare/compare.h"
#include "report/compare/statistics.h"
#include "support/compared_run.h"

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

using Values = std::vector<double>;

constexpr double confidence = 0.95;

// The statistic as Tukey counts it: the means of any two differences that are above 0, those that
// are 0 by half. It needs no ranks, and shares nothing with the code.
double means_above_zero(const Values& differences) {
  double count = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) {
      const double sum = differences[i] + differences[j];
      count += sum > 0 ? 1 : sum == 0 ? 0.5 : 0;
    }
  }
  return count;
}

// Over all patterns of signs.
Tails brute_force(const Values& differences) {
  const double observed = means_above_zero(differences);
  const std::size_t patterns = std::size_t{1} << differences.size();
  Tails tails{0, 0};
  for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
    Values flipped = differences;
    for (std::size_t i = 0; i < flipped.size(); ++i) {
      if ((pattern >> i & 1) != 0) flipped[i] = -flipped[i];
    }
    const double count = means_above_zero(flipped);
    if (count <= observed) tails.p_lower += 1 / static_cast<double>(patterns);
    if (count >= observed) tails.p_higher += 1 / static_cast<double>(patterns);
  }
  return tails;
}

void expect_brute_force(const Values& differences) {
  const Shift shift = signed_rank_shift(differences, confidence);
  const Tails tails = brute_force(differences);
  EXPECT_NEAR(shift.p_lower, tails.p_lower, 1e-12) << testing::PrintToString(differences);
  EXPECT_NEAR(shift.p_higher, tails.p_higher, 1e-12) << testing::PrintToString(differences);
}

TEST(ComparePairedTest, FewPairsHaveFewPatternsOfSigns) {
  EXPECT_DOUBLE_EQ(signed_rank_p_least(1), 1.0 / 2);
  EXPECT_DOUBLE_EQ(signed_rank_p_least(5), 1.0 / 32);
  EXPECT_DOUBLE_EQ(signed_rank_p_least(12), 1.0 / 4096);
}

TEST(ComparePairedTest, ThePIsThatOfTheBooks) {
  const Shift all_below = signed_rank_shift(Values{-1, -2, -3, -4, -5, -6}, confidence);
  EXPECT_DOUBLE_EQ(all_below.p_lower, 1.0 / 64);
  EXPECT_DOUBLE_EQ(all_below.p_higher, 1);
  // Tables: with 10 pairs a sum of up to 10 has 4.2%, one of up to 11 has 5.3%.
  Values ten{-1, -2, -3, 4, -5, 6, -7, -8, -9, -10};
  EXPECT_NEAR(signed_rank_shift(ten, confidence).p_lower, 43.0 / 1024, 1e-12);
  ten = {1, -2, -3, 4, -5, 6, -7, -8, -9, -10};
  EXPECT_NEAR(signed_rank_shift(ten, confidence).p_lower, 54.0 / 1024, 1e-12);
}

TEST(ComparePairedTest, ThePIsThatOfAllPatternsOfSigns) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(-0.4, 1);
  for (std::size_t pairs = 1; pairs <= 11; ++pairs) {
    Values differences(pairs);
    for (double& difference : differences) difference = normal(random);
    expect_brute_force(differences);
  }
}

TEST(ComparePairedTest, TiesAndZerosAreCountedExactly) {
  expect_brute_force({1, 1, 1, -1});
  expect_brute_force({0, 0, 1, -2, 3, 3});
  expect_brute_force({0, -1, -1, -2, -2, -2, 2});
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    Values differences(1 + random() % 9);
    // Whole numbers from -2 to 2: mostly ties and zeros.
    for (double& difference : differences) difference = static_cast<double>(random() % 5) - 2;
    expect_brute_force(differences);
  }
  // Differences that are all zero give no evidence for either direction.
  const Shift none = signed_rank_shift(Values(8, 0.0), confidence);
  EXPECT_EQ(none.p_lower, 1);
  EXPECT_EQ(none.p_higher, 1);
  EXPECT_EQ(none.estimate, 0);
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 0);
}

TEST(ComparePairedTest, TheEstimateAndTheIntervalAreCutFromTheMeansOfTwo) {
  // The ten means of 0, 1, 2 and 10: 0, 0.5, 1, 1, 1.5, 2, 5, 5.5, 6, 10.
  const Shift shift = signed_rank_shift(Values{10, 0, 2, 1}, confidence);
  EXPECT_EQ(shift.estimate, 1.75);
  // 1 / 16 is too frequent for either end.
  EXPECT_TRUE(std::isinf(shift.low) && shift.low < 0);
  EXPECT_TRUE(std::isinf(shift.high) && shift.high > 0);
  // With six pairs, only all signs alike are rare enough: 1 / 64.
  const Shift six = signed_rank_shift(Values{1, 2, 3, 4, 5, 60}, confidence);
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 60);
}

// The interval holds the shifts that the tests do not reject, and no others.
TEST(ComparePairedTest, TheIntervalIsTheTestTurnedRound) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal(0, 1);
  for (std::size_t pairs = 6; pairs <= 30; pairs += 3) {
    Values differences(pairs);
    for (double& difference : differences) difference = normal(random);
    const Shift shift = signed_rank_shift(differences, confidence);
    const auto tested_against = [&](double value) {
      Values rest = differences;
      for (double& difference : rest) difference -= value;
      return signed_rank_shift(rest, confidence);
    };
    EXPECT_LE(tested_against(shift.low - 1e-9).p_higher, 0.025);
    EXPECT_GT(tested_against(shift.low + 1e-9).p_higher, 0.025);
    EXPECT_LE(tested_against(shift.high + 1e-9).p_lower, 0.025);
    EXPECT_GT(tested_against(shift.high - 1e-9).p_lower, 0.025);
  }
}

TEST(ComparePairedTest, TheTestsKeepTheirLevelAndTheIntervalsTheirConfidence) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, 1);
  constexpr int rounds = 4'000;
  constexpr double truth = 0.25;
  int alarms = 0;
  int rank_misses = 0;
  int student_misses = 0;
  for (int i = 0; i < rounds; ++i) {
    Values differences(8);
    for (double& difference : differences) difference = normal(random) + truth;
    const Shift ranks = signed_rank_shift(differences, confidence);
    rank_misses += ranks.low > truth || ranks.high < truth ? 1 : 0;
    const Shift student = paired_student_shift(differences, confidence, 0);
    student_misses += student.low > truth || student.high < truth ? 1 : 0;
    for (double& difference : differences) difference -= truth;
    alarms += signed_rank_shift(differences, confidence).p_lower <= 0.05 ? 1 : 0;
  }
  // Among the 256 patterns of 8 signs, 10 (sums up to 5) are not above 5%, and 5 (sums up to 3) not
  // above 2.5%, which is 10 at both ends. Four deviations of chance around it.
  const double expected = rounds * 10.0 / 256;
  EXPECT_NEAR(alarms, expected, 4 * std::sqrt(expected));
  EXPECT_NEAR(rank_misses, expected, 4 * std::sqrt(expected));
  EXPECT_NEAR(student_misses, rounds * 0.05, 4 * std::sqrt(rounds * 0.05));
}

TEST(ComparePairedTest, ASpoiltPairMovesTheRankTestByItsRankOnly) {
  const Shift far = signed_rank_shift(Values{-1, -2, -3, -4, -5, -6, -7, 1e9}, confidence);
  const Shift near = signed_rank_shift(Values{-1, -2, -3, -4, -5, -6, -7, 8}, confidence);
  EXPECT_EQ(far.p_lower, near.p_lower);
  EXPECT_LT(far.p_lower, 0.1);
  EXPECT_LT(far.estimate, -2);
}

TEST(ComparePairedTest, AHundredPairsAreExactToo) {
  Values differences;
  for (int i = 1; i <= 100; ++i) differences.push_back(i % 3 == 0 ? i : -i);
  const Shift shift = signed_rank_shift(differences, confidence);
  // The multiples of 3 sum to 1683; counted with whole numbers of any length.
  EXPECT_NEAR(shift.p_lower, 0.0017630019008252466, 1e-13);
  EXPECT_NEAR(shift.p_higher, 0.9982570239565839, 1e-13);
}

TEST(ComparePairedTest, StudentsTestIsThatOfTheBooks) {
  // Mean 2, deviation 1, so t = 2 / sqrt(1/3) with 2 degrees of freedom.
  const Shift shift = paired_student_shift(Values{1, 2, 3}, confidence, 0);
  EXPECT_DOUBLE_EQ(shift.estimate, 2);
  EXPECT_NEAR(shift.p_higher, 0.03709, 5e-6);
  EXPECT_NEAR(shift.p_lower, 1 - 0.03709, 5e-6);
  EXPECT_NEAR(shift.low, 2 - 4.3027 * std::sqrt(1.0 / 3), 1e-3);
  EXPECT_NEAR(shift.high, 2 + 4.3027 * std::sqrt(1.0 / 3), 1e-3);
}

TEST(ComparePairedTest, EqualDifferencesAreKnownToTheResolutionOnly) {
  const Values equal{0.01, 0.01, 0.01};
  EXPECT_EQ(paired_student_shift(equal, confidence, 0).p_higher, 0);
  EXPECT_GT(paired_student_shift(equal, confidence, 0.01).p_higher, 0.1);
  EXPECT_EQ(paired_student_shift(Values{0, 0, 0}, confidence, 0).p_higher, 1);
}

// Critical values of printed tables.
TEST(StudentDistributionTest, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.025, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_quantile(0.025, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_quantile(0.025, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_quantile(0.005, 8), 3.355, 5e-4);
  EXPECT_NEAR(student_quantile(0.05, 30), 1.697, 5e-4);
  EXPECT_NEAR(student_quantile(0.0005, 120), 3.373, 5e-4);
  EXPECT_NEAR(student_quantile(0.025, 1e9), 1.959964, 1e-6);
  EXPECT_NEAR(student_quantile(0.5, 7), 0, 1e-9);
}

TEST(StudentDistributionTest, TheTailIsTheCauchyDistributionsForOneDegree) {
  for (const double t : {-30.0, -2.0, -0.1, 0.0, 0.5, 1.0, 3.0, 100.0}) {
    EXPECT_NEAR(student_tail(t, 1), 0.5 - std::atan(t) / M_PI, 1e-12) << t;
  }
}

TEST(StudentDistributionTest, TheTailsSumToOneAndGoOnBeyondAllNumbers) {
  for (const double degrees : {0.7, 3.0, 19.5, 400.0, 1e5}) {
    for (const double t : {0.01, 0.7, 2.5, 9.0}) {
      EXPECT_NEAR(student_tail(t, degrees) + student_tail(-t, degrees), 1, 1e-12);
    }
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(student_tail(infinity, 3), 0);
  EXPECT_EQ(student_tail(-infinity, 3), 1);
  EXPECT_EQ(student_tail(std::nan(""), 3), 0.5);
  EXPECT_NEAR(student_tail(1.96, 999'999), student_tail(1.96, 1e6), 1e-6);
}

constexpr std::size_t grid = 100;
constexpr std::uint64_t transactions_a_point = 27;

// The middles of a hundred equal parts of a log-normal distribution around 5 ms.
const std::array<double, grid>& latencies_ms() {
  static const std::array<double, grid> values = [] {
    std::array<double, grid> all{};
    for (std::size_t i = 0; i < grid; ++i) {
      const double share = (static_cast<double>(i) + 0.5) / grid;
      const double side = share < 0.5 ? -1 : 1;
      const double z = student_quantile(share < 0.5 ? share : 1 - share, 1e9);
      all[i] = 5 * std::exp(0.5 * side * z);
    }
    return all;
  }();
  return values;
}

// As if each sample had been so many.
measure::HistogramSnapshot multiplied(const measure::HistogramSnapshot& histogram,
                                      std::uint64_t times) {
  measure::SparseHistogram sparse = histogram.to_sparse();
  for (auto& [index, count] : sparse.buckets) count *= times;
  sparse.sum_ns *= times;
  return measure::HistogramSnapshot::from_sparse(sparse).value();
}

// 2,700 New-Orders a second for 120 s, of which those of a second have a deviation in common:
// seconds are independent of each other, transactions are not.
Result run_with_common_seconds(std::mt19937_64& random, double deviation) {
  std::normal_distribution<double> normal(0, deviation);
  ComparedRun figures;
  figures.start_ts += static_cast<std::int64_t>(random() % 1'000'000);
  Result result = compared_result(figures);
  TransactionResult& new_order = result.transactions[0];
  new_order.latency = {};
  for (int second = 1; second <= 120; ++second) {
    const double factor = std::exp(normal(random)) * 1e6;
    for (const double ms : latencies_ms()) {
      new_order.latency.record(static_cast<std::uint64_t>(ms * factor));
    }
    TimePoint point;
    point.t = second;
    point.phase = "measure";
    point.ok = {grid * transactions_a_point, 0, 0, 0, 0};
    point.p50_ms = latencies_ms()[49] * factor * 1e-6;
    point.p90_ms = latencies_ms()[89] * factor * 1e-6;
    point.p99_ms = latencies_ms()[98] * factor * 1e-6;
    result.time_series.push_back(point);
  }
  new_order.latency = multiplied(new_order.latency, transactions_a_point);
  new_order.ok_count = new_order.latency.count();
  result.summary.time_seconds = 120;
  complete_summary(result);
  return result;
}

struct Tally {
  int alarms = 0;
  double half_intervals = 0;
  double squares = 0;  // of the changes found, of which the true one is 0
};

// Two runs of the same build, of which one is compared with the other.
std::map<std::string, Tally> tallies_of_equal_runs(int rounds, double deviation) {
  std::mt19937_64 random(11);
  CompareOptions options;
  options.metrics = parse_metrics("all.p50,all.p90,all.p99,all.mean,new_order.p50");
  std::map<std::string, Tally> tallies;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Result> base{run_with_common_seconds(random, deviation)};
    const std::vector<Result> same{run_with_common_seconds(random, deviation)};
    for (const MetricDifference& one : compare(base, same, options).differences) {
      EXPECT_EQ(one.method, Method::within_run) << one.metric.name();
      Tally& tally = tallies[one.metric.name()];
      tally.alarms += one.is_significant(0.95) ? 1 : 0;
      tally.half_intervals += (one.high - one.low) / 2;
      tally.squares += *one.change * *one.change;
    }
  }
  return tallies;
}

TEST(CompareWithinRunTest, EqualRunsOfManyTransactionsRarelyDiffer) {
  constexpr int rounds = 200;
  for (const double deviation : {0.05, 0.2}) {
    for (const auto& [name, tally] : tallies_of_equal_runs(rounds, deviation)) {
      // 5% are meant.
      EXPECT_LE(tally.alarms, rounds * 0.08) << name << " at " << deviation;
      // As wide as it has to be, and not much more.
      const double needed = 1.96 * std::sqrt(tally.squares / rounds);
      EXPECT_LE(tally.half_intervals / rounds, 1.5 * needed) << name << " at " << deviation;
    }
  }
}

TEST(CompareWithinRunTest, AMeanKnowsWhatSecondsHaveInCommon) {
  std::mt19937_64 random(3);
  const Result result = run_with_common_seconds(random, 0.2);
  const WithinRun mean = error_within_run(Metric::parse("all.mean"), result);
  ASSERT_TRUE(mean.error);
  // 120 independent seconds; the transactions alone would leave 0.1%.
  EXPECT_NEAR(mean.error->above, 0.2 / std::sqrt(120), 0.006);
  EXPECT_EQ(mean.error->above, mean.error->below);
}

TEST(CompareWithinRunTest, AFewRareTransactionsAreLessSureThanTheSecondsOfAll) {
  std::mt19937_64 random(5);
  Result result = run_with_common_seconds(random, 0.05);
  TransactionResult& stock_level = result.transactions[4];
  for (int i = 0; i < 150; ++i) {
    stock_level.latency.record(static_cast<std::uint64_t>(1e6 * (1 + i)));
  }
  stock_level.ok_count = 150;
  const auto error = [&](const char* name) {
    return error_within_run(Metric::parse(name), result);
  };
  // Order statistics of 150 values: a share of 0.5 is known to 0.041, which is 6 of 75.
  EXPECT_NEAR(error("stock_level.p50").error->above, 0.08, 0.02);
  EXPECT_LT(error("all.p50").error->above, 0.01);
  EXPECT_EQ(error("stock_level.p99").reason, "too few transactions");
}

}  // namespace
}  // namespace drover::report
