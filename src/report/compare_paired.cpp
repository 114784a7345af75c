#include "report/compare_paired.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "report/student_distribution.h"

namespace drover::report {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Probabilities are sums of roundings, and compared with some room.
constexpr double rounding = 1e-9;

// The rank of each difference by its size, times two, since equal ones share the mean of their
// places, which is a half at times. Zeros take the first places, and nobody else does.
std::vector<std::size_t> doubled_size_ranks(std::span<const double> differences) {
  std::vector<double> sorted;
  for (const double difference : differences) sorted.push_back(std::abs(difference));
  std::ranges::sort(sorted);
  std::vector<std::size_t> ranks;
  for (const double difference : differences) {
    const auto [first, last] = std::ranges::equal_range(sorted, std::abs(difference));
    ranks.push_back(
        static_cast<std::size_t>((first - sorted.begin()) + 1 + (last - sorted.begin())));
  }
  return ranks;
}

// The probability of each sum of those ranks whose sign is plus, all patterns of signs being
// equally likely.
std::vector<double> sum_distribution(const std::vector<std::size_t>& ranks) {
  const std::size_t sum_most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<double> distribution(sum_most + 1);
  distribution[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks) {
    reached += rank;
    for (std::size_t sum = reached + 1; sum-- > 0;) {
      const double with_plus = sum >= rank ? distribution[sum - rank] : 0;
      distribution[sum] = (distribution[sum] + with_plus) / 2;
    }
  }
  return distribution;
}

std::vector<double> walsh_averages(std::span<const double> differences) {
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) {
      averages.push_back((differences[i] + differences[j]) / 2);
    }
  }
  std::ranges::sort(averages);
  return averages;
}

// How many of the ordered averages are cut off at either end of the interval: as many as the
// statistic has values that are too rare; -1 if none is.
std::ptrdiff_t cut_off(std::size_t pairs, double tail) {
  std::vector<std::size_t> ranks(pairs);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  double below = 0;
  std::ptrdiff_t cut = -1;
  for (const double probability : sum_distribution(ranks)) {
    below += probability;
    if (below > tail + rounding) break;
    ++cut;
  }
  return cut;
}

void test_by_signed_ranks(std::span<const double> differences, Shift& shift) {
  const std::vector<std::size_t> ranks = doubled_size_ranks(differences);
  std::vector<std::size_t> ranks_with_sign;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (differences[i] == 0) continue;
    ranks_with_sign.push_back(ranks[i]);
    if (differences[i] > 0) sum += ranks[i];
  }
  const std::vector<double> distribution = sum_distribution(ranks_with_sign);
  double lower = 0;
  double higher = 0;
  for (std::size_t s = 0; s < distribution.size(); ++s) {
    if (s <= sum) lower += distribution[s];
    if (s >= sum) higher += distribution[s];
  }
  shift.p_lower = std::min(lower, 1.0);
  shift.p_higher = std::min(higher, 1.0);
}

}  // namespace

double signed_rank_p_least(std::size_t pairs) {
  return std::pow(0.5, static_cast<double>(pairs));
}

Shift signed_rank_shift(std::span<const double> differences, double confidence) {
  const std::vector<double> averages = walsh_averages(differences);
  Shift shift;
  shift.estimate = median_of(averages);
  const std::ptrdiff_t cut = cut_off(differences.size(), (1 - confidence) / 2);
  const bool bounded = cut >= 0 && 2 * cut < std::ssize(averages);
  shift.low = bounded ? averages[static_cast<std::size_t>(cut)] : -infinity;
  shift.high = bounded ? averages[averages.size() - 1 - static_cast<std::size_t>(cut)] : infinity;
  test_by_signed_ranks(differences, shift);
  return shift;
}

Shift paired_student_shift(std::span<const double> differences, double confidence,
                           double resolution) {
  const auto count = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  double squares = 0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  const double degrees = count - 1;
  const double variance = squares / degrees + 2 * resolution * resolution;
  const double error = std::sqrt(variance / count);
  Shift shift;
  shift.estimate = mean;
  const double reach = student_quantile((1 - confidence) / 2, degrees) * error;
  shift.low = shift.estimate - reach;
  shift.high = shift.estimate + reach;
  if (shift.estimate == 0 && error == 0) return shift;
  shift.p_higher = student_tail(shift.estimate / error, degrees);
  shift.p_lower = student_tail(-shift.estimate / error, degrees);
  return shift;
}

}  // namespace drover::report
