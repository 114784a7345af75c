#include "report/compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "measure/median.h"

namespace drover::report {
namespace {

// Counting all choices of the smaller side takes about the square of this number of steps.
constexpr std::size_t exact_most = 30 * 60;
constexpr double infinity = std::numeric_limits<double>::infinity();
// Probabilities contain rounding errors and are compared with a tolerance.
constexpr double rounding = 1e-9;

bool is_exact(std::size_t base_count, std::size_t new_count) {
  return std::min(base_count, new_count) * (base_count + new_count) <= exact_most;
}

using Ranks = std::vector<std::size_t>;

Ranks ranks_without_ties(std::size_t count) {
  Ranks ranks(count);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  return ranks;
}

// Returns twice the rank of each value, because ranks of equal values are means and may be halves.
Ranks doubled_ranks(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  Ranks ranks;
  ranks.reserve(values.size());
  for (const double value : values) {
    const auto [first, last] = std::ranges::equal_range(sorted, value);
    // The mean of the places first + 1 to last, doubled.
    ranks.push_back(
        static_cast<std::size_t>((first - sorted.begin()) + 1 + (last - sorted.begin())));
  }
  return ranks;
}

// Returns the probability of each sum of `chosen` ranks if all choices are equally likely.
std::vector<double> sums_of_choices(const Ranks& ranks, std::size_t chosen) {
  Ranks largest = ranks;
  std::ranges::sort(largest, std::greater<>());
  const std::size_t sum_most = std::accumulate(
      largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(chosen), std::size_t{0});
  // ways[k][s]: choices of k of the ranks so far with the sum s. A double holds C(60, 30) well
  // enough.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(sum_most + 1));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t k = chosen; k > 0; --k)
      for (std::size_t sum = sum_most; sum + 1 > rank; --sum)
        ways[k][sum] += ways[k - 1][sum - rank];
  }
  std::vector<double> distribution = std::move(ways[chosen]);
  const double total = std::accumulate(distribution.begin(), distribution.end(), 0.0);
  for (double& probability : distribution) probability /= total;
  return distribution;
}

// Returns the probability of each sum of the ranks with a plus if all patterns of signs are equally
// likely.
std::vector<double> sums_of_signed(const Ranks& ranks) {
  std::vector<double> distribution(std::accumulate(ranks.begin(), ranks.end(), std::size_t{1}));
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

// Returns the probabilities of sums up to, and from, this one.
Tails tails_of(const std::vector<double>& distribution, std::size_t sum) {
  const auto at = distribution.begin() + static_cast<std::ptrdiff_t>(sum);
  return {std::min(std::accumulate(distribution.begin(), at + 1, 0.0), 1.0),
          std::min(std::accumulate(at, distribution.end(), 0.0), 1.0)};
}

// Returns how many of the ordered values are cut off at either end of the interval: one less than
// the number of the statistic's smallest values that together have a probability of at most `tail`.
// -1: the ends of the interval are infinite.
std::ptrdiff_t number_of_rare(std::span<const double> distribution, double tail) {
  double below = 0;
  std::ptrdiff_t cut = -1;
  for (const double probability : distribution) {
    below += probability;
    if (below > tail + rounding) break;
    ++cut;
  }
  return cut;
}

// Returns the shift whose interval contains all ordered values except the first and last `cut`.
Shift shift_between(const std::vector<double>& ordered, std::ptrdiff_t cut, const Tails& tails) {
  const bool bounded = cut >= 0 && 2 * cut < std::ssize(ordered);
  return {tails, measure::median_of(ordered), bounded ? *(ordered.begin() + cut) : -infinity,
          bounded ? *(ordered.end() - 1 - cut) : infinity};
}

// Uses the sums of the smaller side: if its sum is low, that of the other side is high.
Tails exact_tails(const Ranks& ranks, std::size_t new_count) {
  const std::size_t base_count = ranks.size() - new_count;
  const auto new_begin = ranks.begin() + static_cast<std::ptrdiff_t>(base_count);
  if (new_count <= base_count) {
    return tails_of(sums_of_choices(ranks, new_count),
                    std::accumulate(new_begin, ranks.end(), std::size_t{0}));
  }
  const Tails of_base = tails_of(sums_of_choices(ranks, base_count),
                                 std::accumulate(ranks.begin(), new_begin, std::size_t{0}));
  return {of_base.p_higher, of_base.p_lower};
}

// Uses the variance of the ranks, ties included, and a continuity correction of half a step.
Tails approximate_tails(const Ranks& ranks, std::size_t new_count) {
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

std::ptrdiff_t cut_of_ranks(std::size_t base_count, std::size_t new_count, double tail) {
  if (!is_exact(base_count, new_count)) {
    const auto n = static_cast<double>(base_count);
    const auto m = static_cast<double>(new_count);
    const double deviation = std::sqrt(n * m * (n + m + 1) / 12);
    const double cut = n * m / 2 - student_quantile(tail, 1e9) * deviation - 0.5;
    return static_cast<std::ptrdiff_t>(std::floor(std::max(cut, -1.0)));
  }
  // Both sides give the same result; the smaller one is faster.
  const std::size_t chosen = std::min(base_count, new_count);
  const auto distribution = sums_of_choices(ranks_without_ties(base_count + new_count), chosen);
  const std::size_t sum_least = chosen * (chosen + 1) / 2;
  return number_of_rare(std::span(distribution).subspan(sum_least), tail);
}

Tails test_by_signed_ranks(std::span<const double> differences) {
  std::vector<double> sizes;
  for (const double difference : differences) sizes.push_back(std::abs(difference));
  // Only zeros have the first ranks.
  const Ranks ranks = doubled_ranks(sizes);
  Ranks ranks_with_sign;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (differences[i] == 0) continue;
    ranks_with_sign.push_back(ranks[i]);
    if (differences[i] > 0) sum += ranks[i];
  }
  return tails_of(sums_of_signed(ranks_with_sign), sum);
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_around_mean(std::span<const double> values) {
  const double mean = mean_of(values);
  return std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
}

// Returns the shift of an estimate with a normal error of these degrees of freedom.
Shift student_shift_of(double estimate, double error, double degrees, double confidence) {
  const double reach = student_quantile((1 - confidence) / 2, degrees) * error;
  Shift shift{{}, estimate, estimate - reach, estimate + reach};
  if (estimate == 0 && error == 0) return shift;
  shift.p_higher = student_tail(estimate / error, degrees);
  shift.p_lower = student_tail(-estimate / error, degrees);
  return shift;
}

constexpr double normal_from_degrees = 1e6;
constexpr double tiny = 1e-300;

// The continued fraction of the incomplete beta function. Converges fast for x < (a + 1)/(a + b +
// 2).
double beta_fraction(double a, double b, double x) {
  const auto guarded = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / guarded(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    const double step = d * c;
    fraction *= step;
    if (std::abs(step - 1) < 1e-14) break;
  }
  return fraction;
}

double regularized_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // std::lgamma writes a global sign, which is not used: the arguments are positive.
  const double scale = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return scale * beta_fraction(a, b, x) / a;
  return 1 - scale * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double normal_tail(double z) {
  return std::erfc(z / std::sqrt(2.0)) / 2;
}

double student_tail(double t, double degrees_of_freedom) {
  if (std::isnan(t)) return 0.5;
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  if (degrees_of_freedom >= normal_from_degrees) return normal_tail(t);
  const double x = degrees_of_freedom / (degrees_of_freedom + t * t);
  const double beyond = regularized_beta(degrees_of_freedom / 2, 0.5, x) / 2;
  return t >= 0 ? beyond : 1 - beyond;
}

double student_quantile(double tail, double degrees_of_freedom) {
  double low = 0;
  double high = 1;
  while (student_tail(high, degrees_of_freedom) > tail && high < 1e300) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_tail(middle, degrees_of_freedom) > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

double rank_test_p_least(std::size_t base_count, std::size_t new_count) {
  if (!is_exact(base_count, new_count)) {
    Ranks doubled = ranks_without_ties(base_count + new_count);
    for (std::size_t& rank : doubled) rank *= 2;
    return approximate_tails(doubled, new_count).p_higher;
  }
  double orders = 1;
  for (std::size_t i = 1; i <= new_count; ++i)
    orders *= static_cast<double>(base_count + i) / static_cast<double>(i);
  return 1 / orders;
}

Tails rank_test(std::span<const double> base, std::span<const double> new_values) {
  std::vector<double> all(base.begin(), base.end());
  all.insert(all.end(), new_values.begin(), new_values.end());
  const Ranks ranks = doubled_ranks(all);
  return is_exact(base.size(), new_values.size()) ? exact_tails(ranks, new_values.size())
                                                  : approximate_tails(ranks, new_values.size());
}

Shift rank_shift(std::span<const double> base, std::span<const double> new_values,
                 double confidence) {
  std::vector<double> differences;
  differences.reserve(base.size() * new_values.size());
  for (const double from : base)
    for (const double to : new_values) differences.push_back(to - from);
  std::ranges::sort(differences);
  return shift_between(differences,
                       cut_of_ranks(base.size(), new_values.size(), (1 - confidence) / 2),
                       rank_test(base, new_values));
}

Shift student_shift(std::span<const double> base, std::span<const double> new_values,
                    double confidence, double resolution) {
  const double degrees = static_cast<double>(base.size() + new_values.size()) - 2;
  const double variance = (squares_around_mean(base) + squares_around_mean(new_values)) / degrees +
                          resolution * resolution;
  const double error = std::sqrt(variance * (1 / static_cast<double>(base.size()) +
                                             1 / static_cast<double>(new_values.size())));
  return student_shift_of(mean_of(new_values) - mean_of(base), error, degrees, confidence);
}

double signed_rank_p_least(std::size_t pairs) {
  return std::pow(0.5, static_cast<double>(pairs));
}

Shift signed_rank_shift(std::span<const double> differences, double confidence) {
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t j = i; j < differences.size(); ++j)
      averages.push_back((differences[i] + differences[j]) / 2);
  std::ranges::sort(averages);
  const auto distribution = sums_of_signed(ranks_without_ties(differences.size()));
  return shift_between(averages, number_of_rare(distribution, (1 - confidence) / 2),
                       test_by_signed_ranks(differences));
}

Shift paired_student_shift(std::span<const double> differences, double confidence,
                           double resolution) {
  const auto count = static_cast<double>(differences.size());
  const double variance =
      squares_around_mean(differences) / (count - 1) + 2 * resolution * resolution;
  return student_shift_of(mean_of(differences), std::sqrt(variance / count), count - 1, confidence);
}

namespace {

constexpr std::size_t batches_least = 20;
constexpr double samples_beyond_least = 10;
// The standard deviation within a bucket, which is at most 1/64 wide.
constexpr double bucket_deviation = 1.0 / 64 / 3.4641;

struct BatchMeans {
  double mean = 0;
  double error = 0;  // of the mean
  double degrees_of_freedom = 0;
};

// Requires: at least batches_least values.
BatchMeans batch_means(const std::vector<double>& seconds) {
  const std::size_t length = seconds.size() / batches_least;
  const std::size_t count = seconds.size() / length;
  std::vector<double> batches(count);
  for (std::size_t i = 0; i < count * length; ++i)
    batches[i / length] += seconds[i] / static_cast<double>(length);
  const auto n = static_cast<double>(count);
  BatchMeans result;
  result.mean = std::accumulate(batches.begin(), batches.end(), 0.0) / n;
  double alone = 0;
  double together = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double rest = batches[i] - result.mean;
    alone += rest * rest;
    if (i > 0) together += rest * (batches[i - 1] - result.mean);
  }
  const double correlation = alone > 0 ? std::clamp(together / alone, 0.0, 0.8) : 0;
  result.error = std::sqrt(alone / (n - 1) / n * (1 + correlation) / (1 - correlation));
  result.degrees_of_freedom = n - 1;
  return result;
}

constexpr WithinRun too_short{std::nullopt, "less than 20 s were measured"};
constexpr WithinRun too_few{std::nullopt, "too few transactions"};
constexpr WithinRun not_in_seconds{std::nullopt, "one run per side is not enough for this metric"};

WithinRun rate_error(const Metric& metric, const Result& result) {
  std::vector<double> rates;
  for (const MeasuredSecond& second : measured_seconds(result.time_series)) {
    const std::vector<std::uint64_t>& counts = second.point.ok;
    double count = 0;
    for (std::size_t i = 0; i < std::min(result.transactions.size(), counts.size()); ++i)
      if (metric.is_of(result.transactions[i])) count += static_cast<double>(counts[i]);
    rates.push_back(count / second.length_s);
  }
  if (rates.size() < batches_least) return too_short;
  const BatchMeans means = batch_means(rates);
  if (means.mean <= 0) return too_few;
  const double error = means.error / means.mean;
  return {OwnError{error, error, means.degrees_of_freedom}, {}};
}

// Returns the relative error of a quantile, as a logarithm. The position of the quantile among the
// sorted samples is known to within two standard deviations. The error is half the logarithm of the
// ratio of the values at both ends.
OwnError quantile_error(const measure::HistogramSnapshot& histogram, double share, double samples) {
  const double reach = 2 * std::sqrt(share * (1 - share) / samples);
  const auto value = [&histogram](double at) {
    return std::log(std::max(1.0, static_cast<double>(histogram.percentile_ns(at * 100))));
  };
  const double middle = value(share);
  const auto error = [](double distance) { return std::hypot(distance / 2, bucket_deviation); };
  return {error(middle - value(share - reach)), error(value(share + reach) - middle)};
}

// Returns the error of the logarithm from the seconds of the run, whose transactions are
// correlated. A percentile uses the nearest percentile that seconds have.
std::optional<double> error_of_seconds(const Result& result, double percent) {
  const auto figure = percent <= 70   ? &TimePoint::p50_ms
                      : percent <= 95 ? &TimePoint::p90_ms
                                      : &TimePoint::p99_ms;
  std::vector<double> logs;
  for (const MeasuredSecond& second : measured_seconds(result.time_series))
    if (second.point.*figure > 0) logs.push_back(std::log(second.point.*figure));
  if (logs.size() < batches_least) return std::nullopt;
  return batch_means(logs).error;
}

WithinRun percentile_error(const Metric& metric, const Result& result) {
  const measure::HistogramSnapshot histogram = metric.histogram(result);
  const std::optional<double> of_seconds = error_of_seconds(result, metric.percent());
  if (!of_seconds) return too_short;
  const auto samples = static_cast<double>(histogram.count());
  const double share = metric.percent() / 100;
  if (samples * std::min(share, 1 - share) < samples_beyond_least) return too_few;
  OwnError error = quantile_error(histogram, share, samples);
  error.below = std::hypot(error.below, *of_seconds);
  error.above = std::hypot(error.above, *of_seconds);
  error.degrees_of_freedom = static_cast<double>(batches_least - 1);
  return {error, {}};
}

// Returns the sampling error. The correlation within seconds moves the whole distribution, and is
// estimated best in its middle.
WithinRun mean_error(const Metric& metric, const Result& result) {
  const measure::HistogramSnapshot histogram = metric.histogram(result);
  const std::optional<double> of_seconds = error_of_seconds(result, 50);
  if (!of_seconds) return too_short;
  const auto count = static_cast<double>(histogram.count());
  const double mean = histogram.mean_ns();
  if (count < samples_beyond_least || mean <= 0) return too_few;
  double squares = 0;
  for (const auto& [index, samples] : histogram.to_sparse().buckets) {
    const double rest = static_cast<double>(measure::bucket_middle_ns(index)) - mean;
    squares += static_cast<double>(samples) * rest * rest;
  }
  const double error = std::hypot(std::sqrt(squares) / count / mean, *of_seconds);
  return {OwnError{error, error, static_cast<double>(batches_least - 1)}, {}};
}

}  // namespace

WithinRun error_within_run(const Metric& metric, const Result& result) {
  // The time series does not contain deferred Deliveries.
  if (metric.is_of_deferred()) return not_in_seconds;
  if (metric.kind() == Metric::Kind::rate) return rate_error(metric, result);
  if (metric.kind() == Metric::Kind::percentile) return percentile_error(metric, result);
  return metric.kind() == Metric::Kind::mean ? mean_error(metric, result) : not_in_seconds;
}

}  // namespace drover::report
