#include "report/compare_shift.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "report/student_distribution.h"

namespace drover::report {

namespace {

// Counting all choices of the smaller side takes the square of this, about.
constexpr std::size_t exact_most = 30 * 60;
constexpr double infinity = std::numeric_limits<double>::infinity();
// Sums of ranks are whole numbers of halves, so that probabilities are compared with some room.
constexpr double rounding = 1e-9;

bool is_exact(std::size_t base_count, std::size_t new_count) {
  return std::min(base_count, new_count) * (base_count + new_count) <= exact_most;
}

double normal_tail(double z) {
  return std::erfc(z / std::sqrt(2.0)) / 2;
}

// Ranks of all values, base first, times two: those of equal values are the mean of their places,
// which is a half at times.
std::vector<std::size_t> doubled_ranks(std::span<const double> base,
                                       std::span<const double> new_values) {
  std::vector<double> all(base.begin(), base.end());
  all.insert(all.end(), new_values.begin(), new_values.end());
  std::vector<double> sorted = all;
  std::ranges::sort(sorted);
  std::vector<std::size_t> ranks;
  ranks.reserve(all.size());
  for (const double value : all) {
    const auto [first, last] = std::ranges::equal_range(sorted, value);
    // The mean of the places first + 1 to last, doubled.
    ranks.push_back(
        static_cast<std::size_t>((first - sorted.begin()) + 1 + (last - sorted.begin())));
  }
  return ranks;
}

// The probability of each sum of `chosen` of the ranks, all choices being equally likely.
std::vector<double> sum_distribution(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  std::vector<std::size_t> largest = ranks;
  std::ranges::sort(largest, std::greater<>());
  const std::size_t sum_most = std::accumulate(
      largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(chosen), std::size_t{0});
  // ways[k][s]: of those seen so far, k that sum to s. Doubles hold C(60, 30) exactly enough.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(sum_most + 1));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t k = chosen; k > 0; --k) {
      for (std::size_t sum = sum_most; sum + 1 > rank; --sum) {
        ways[k][sum] += ways[k - 1][sum - rank];
      }
    }
  }
  std::vector<double> distribution = std::move(ways[chosen]);
  const double total = std::accumulate(distribution.begin(), distribution.end(), 0.0);
  for (double& probability : distribution) probability /= total;
  return distribution;
}

// By the sums of the smaller side: where it is low, that of the other is high.
Tails exact_tails(const std::vector<std::size_t>& ranks, std::size_t new_count) {
  const std::size_t base_count = ranks.size() - new_count;
  const auto new_begin = ranks.begin() + static_cast<std::ptrdiff_t>(base_count);
  const bool of_new = new_count <= base_count;
  const std::size_t sum = of_new ? std::accumulate(new_begin, ranks.end(), std::size_t{0})
                                 : std::accumulate(ranks.begin(), new_begin, std::size_t{0});
  const std::vector<double> distribution = sum_distribution(ranks, of_new ? new_count : base_count);
  double at_most = 0;
  double at_least = 0;
  for (std::size_t s = 0; s < distribution.size(); ++s) {
    if (s <= sum) at_most += distribution[s];
    if (s >= sum) at_least += distribution[s];
  }
  at_most = std::min(at_most, 1.0);
  at_least = std::min(at_least, 1.0);
  return of_new ? Tails{at_most, at_least} : Tails{at_least, at_most};
}

// With the variance of the ranks as they are, ties included, and half a step for continuity.
Tails approximate_tails(const std::vector<std::size_t>& ranks, std::size_t new_count) {
  const auto total = static_cast<double>(ranks.size());
  const auto n = static_cast<double>(new_count);
  const double mean_rank = (total + 1) / 2;
  double squares = 0;
  double sum = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double rank = static_cast<double>(ranks[i]) / 2;
    squares += (rank - mean_rank) * (rank - mean_rank);
    if (i >= ranks.size() - new_count) sum += rank;
  }
  const double variance = n * (total - n) / (total * (total - 1)) * squares;
  if (variance <= 0) return {1, 1};
  const double distance = sum - n * mean_rank;
  const double deviation = std::sqrt(variance);
  return {normal_tail(-(distance + 0.5) / deviation), normal_tail((distance - 0.5) / deviation)};
}

// How many of the ordered differences are cut off at either end of the interval: as many as the
// statistic has values that are too rare. Nothing is cut if none is, which is -1.
std::ptrdiff_t cut_off(std::size_t base_count, std::size_t new_count, double tail) {
  if (!is_exact(base_count, new_count)) {
    const auto n = static_cast<double>(base_count);
    const auto m = static_cast<double>(new_count);
    const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
    const double cut = n * m / 2 - student_quantile(tail, 1e9) * deviation - 0.5;
    return static_cast<std::ptrdiff_t>(std::floor(std::max(cut, -1.0)));
  }
  // The same for either side: take the smaller.
  const std::size_t chosen = std::min(base_count, new_count);
  std::vector<std::size_t> ranks(base_count + new_count);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  const std::vector<double> distribution = sum_distribution(ranks, chosen);
  const std::size_t sum_least = chosen * (chosen + 1) / 2;
  double below = 0;
  std::ptrdiff_t cut = -1;
  for (std::size_t sum = sum_least; sum < distribution.size(); ++sum) {
    below += distribution[sum];
    if (below > tail + rounding) break;
    ++cut;
  }
  return cut;
}

}  // namespace

double median_of(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double rank_test_p_least(std::size_t base_count, std::size_t new_count) {
  if (!is_exact(base_count, new_count)) {
    std::vector<std::size_t> doubled(base_count + new_count);
    for (std::size_t i = 0; i < doubled.size(); ++i) doubled[i] = 2 * (i + 1);
    return approximate_tails(doubled, new_count).higher;
  }
  double orders = 1;
  for (std::size_t i = 1; i <= new_count; ++i) {
    orders *= static_cast<double>(base_count + i) / static_cast<double>(i);
  }
  return 1 / orders;
}

Tails rank_test(std::span<const double> base, std::span<const double> new_values) {
  const std::vector<std::size_t> ranks = doubled_ranks(base, new_values);
  return is_exact(base.size(), new_values.size()) ? exact_tails(ranks, new_values.size())
                                                  : approximate_tails(ranks, new_values.size());
}

Shift rank_shift(std::span<const double> base, std::span<const double> new_values,
                 double confidence) {
  std::vector<double> differences;
  differences.reserve(base.size() * new_values.size());
  for (const double from : base) {
    for (const double to : new_values) differences.push_back(to - from);
  }
  std::ranges::sort(differences);
  Shift shift;
  shift.estimate = median_of(differences);
  const std::ptrdiff_t cut = cut_off(base.size(), new_values.size(), (1 - confidence) / 2);
  const bool bounded = cut >= 0 && 2 * cut < std::ssize(differences);
  shift.low = bounded ? differences[static_cast<std::size_t>(cut)] : -infinity;
  shift.high =
      bounded ? differences[differences.size() - 1 - static_cast<std::size_t>(cut)] : infinity;
  const Tails tails = rank_test(base, new_values);
  shift.p_lower = tails.lower;
  shift.p_higher = tails.higher;
  return shift;
}

Shift student_shift(std::span<const double> base, std::span<const double> new_values,
                    double confidence, double resolution) {
  const auto mean = [](std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const auto squares = [&mean](std::span<const double> values) {
    const double middle = mean(values);
    double sum = 0;
    for (const double value : values) sum += (value - middle) * (value - middle);
    return sum;
  };
  const double degrees = static_cast<double>(base.size() + new_values.size()) - 2;
  const double variance = (squares(base) + squares(new_values)) / degrees + resolution * resolution;
  const double error = std::sqrt(variance * (1 / static_cast<double>(base.size()) +
                                             1 / static_cast<double>(new_values.size())));
  Shift shift;
  shift.estimate = mean(new_values) - mean(base);
  const double reach = student_quantile((1 - confidence) / 2, degrees) * error;
  shift.low = shift.estimate - reach;
  shift.high = shift.estimate + reach;
  if (shift.estimate == 0 && error == 0) return shift;
  shift.p_higher = student_tail(shift.estimate / error, degrees);
  shift.p_lower = student_tail(-shift.estimate / error, degrees);
  return shift;
}

}  // namespace drover::report
