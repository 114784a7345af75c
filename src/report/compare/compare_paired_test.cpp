#include "report/compare/compare_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace drover::report {
namespace {

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
  // Nothing but zeros tells nothing.
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

}  // namespace
}  // namespace drover::report
