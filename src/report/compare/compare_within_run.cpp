#include "report/compare/compare_within_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace drover::report {
namespace {

using Kind = Metric::Kind;

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
  for (std::size_t i = 0; i < count * length; ++i) {
    batches[i / length] += seconds[i] / static_cast<double>(length);
  }
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
    for (std::size_t i = 0; i < std::min(result.transactions.size(), counts.size()); ++i) {
      if (metric.is_of(result.transactions[i])) count += static_cast<double>(counts[i]);
    }
    rates.push_back(count / second.length_s);
  }
  if (rates.size() < batches_least) return too_short;
  const BatchMeans means = batch_means(rates);
  if (means.mean <= 0) return too_few;
  const double error = means.error / means.mean;
  return {OwnError{error, error, means.degrees_of_freedom}, {}};
}

// Returns half the logarithmic difference of the quantiles at two standard deviations of the rank
// on either side, for this number of independent samples.
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
  for (const MeasuredSecond& second : measured_seconds(result.time_series)) {
    if (second.point.*figure > 0) logs.push_back(std::log(second.point.*figure));
  }
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
  if (metric.kind() == Kind::rate) return rate_error(metric, result);
  if (metric.kind() == Kind::percentile) return percentile_error(metric, result);
  return metric.kind() == Kind::mean ? mean_error(metric, result) : not_in_seconds;
}

}  // namespace drover::report
