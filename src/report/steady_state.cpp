#include "report/steady_state.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace drover::report {

namespace {

// Neighbouring seconds resemble each other; bins of so many seconds do so much less.
constexpr std::size_t bin_seconds_wanted = 3;

constexpr double throughput_shift_least = 0.1;  // of the higher level
constexpr double p90_shift_least = 1.0 / 3;
constexpr double shift_seconds_least = 2;

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The slope of Theil and Sen: the median of the slopes of all pairs.
double median_slope(const std::vector<double>& values) {
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  return median_of(std::move(slopes));
}

// How much a value resembles its neighbour once the trend is taken away; 0 where it does not.
double neighbour_correlation(const std::vector<double>& values, double slope) {
  std::vector<double> rest(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    rest[i] = values[i] - slope * static_cast<double>(i);
  }
  const auto count = static_cast<double>(rest.size());
  const double mean = std::accumulate(rest.begin(), rest.end(), 0.0) / count;
  double together = 0;
  double alone = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    alone += (rest[i] - mean) * (rest[i] - mean);
    if (i > 0) together += (rest[i] - mean) * (rest[i - 1] - mean);
  }
  // What is left of a straight line is rounding.
  if (alone <= 1e-12 * count * mean * mean) return 0;
  return std::clamp(together / alone, 0.0, 0.8);
}

// The variance of the number of rising pairs less that of falling ones, of n values in random
// order; those that are equal can neither rise nor fall.
double variance_of_pairs(std::vector<double> values) {
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5) / 18; };
  std::sort(values.begin(), values.end());
  double variance = term(static_cast<double>(values.size()));
  for (auto first = values.begin(); first != values.end();) {
    const auto next = std::upper_bound(first, values.end(), *first);
    variance -= term(static_cast<double>(next - first));
    first = next;
  }
  return variance;
}

// Seconds put together.
class Bin {
 public:
  void add(const TimePoint& point, double seconds) {
    for (const std::uint64_t count : point.ok) transactions_ += static_cast<double>(count);
    seconds_ += seconds;
    if (point.p90_ms > 0) p90s_.push_back(point.p90_ms);
  }
  double throughput() const { return seconds_ > 0 ? transactions_ / seconds_ : 0; }
  double p90_ms() const { return median_of(p90s_); }
  bool has_latencies() const { return !p90s_.empty(); }

 private:
  double transactions_ = 0;
  double seconds_ = 0;
  std::vector<double> p90s_;
};

}  // namespace

Trend find_trend(const std::vector<double>& values) {
  int score = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      score += (values[j] > values[i]) - (values[j] < values[i]);
    }
  }
  Trend trend;
  trend.median = median_of(values);
  const double slope = median_slope(values);
  trend.change = slope * static_cast<double>(values.size() - 1);
  // From the higher end to the lower one by more than half.
  const bool is_large = std::abs(trend.change) > (trend.median + std::abs(trend.change) / 2) / 2;
  const double correlation = is_large ? 0 : neighbour_correlation(values, slope);
  const double variance = variance_of_pairs(values) * (1 + correlation) / (1 - correlation);
  if (variance <= 0 || score == 0) return trend;
  // The score moves in steps of two: half a step towards the middle.
  trend.z = (score > 0 ? score - 1 : score + 1) / std::sqrt(variance);
  return trend;
}

bool throughput_has_trend(const Trend& trend) {
  return std::abs(trend.z) > trend_z_most &&
         std::abs(trend.change) > throughput_change_most * trend.median;
}

bool p90_has_trend(const Trend& trend) {
  return std::abs(trend.z) > trend_z_most &&
         std::abs(trend.change) > p90_change_most * trend.median &&
         std::abs(trend.change) > p90_change_most_ms;
}

SteadyStateBins make_steady_state_bins(const std::vector<TimePoint>& time_series) {
  std::vector<std::pair<const TimePoint*, double>> seconds;
  double last = 0;
  for (const TimePoint& point : time_series) {
    const double length = point.t - last;
    last = point.t;
    // The last second of a run that was interrupted is short, and says little.
    if (point.phase == "measure" && length > 0.5) seconds.emplace_back(&point, length);
  }
  SteadyStateBins bins;
  if (seconds.empty()) return bins;
  const std::size_t seconds_each = std::max(
      {(seconds.size() + steady_state_bins_most - 1) / steady_state_bins_most,
       std::min(bin_seconds_wanted, seconds.size() / steady_state_bins_least), std::size_t{1}});
  bins.seconds_each = static_cast<double>(seconds_each);
  bins.start_s = seconds.front().first->t - seconds.front().second;
  for (std::size_t first = 0; first + seconds_each <= seconds.size(); first += seconds_each) {
    Bin bin;
    for (std::size_t i = first; i < first + seconds_each; ++i) {
      bin.add(*seconds[i].first, seconds[i].second);
    }
    bins.throughput.push_back(bin.throughput());
    if (bin.has_latencies()) bins.p90_ms.push_back(bin.p90_ms());
  }
  return bins;
}

std::optional<LevelShift> find_throughput_shift(const SteadyStateBins& bins) {
  if (bins.throughput.empty()) return std::nullopt;
  const auto count = static_cast<double>(bins.throughput.size());
  const double mean = std::accumulate(bins.throughput.begin(), bins.throughput.end(), 0.0) / count;
  return find_level_shift(
      bins.throughput,
      {.share_least = throughput_shift_least,
       // Transactions that come independently of each other vary by this much.
       .noise_deviation = std::sqrt(mean / bins.seconds_each),
       // A single second may be anything: the server writes a checkpoint.
       .stretch_least = bins.seconds_each < shift_seconds_least ? std::size_t{2} : std::size_t{1}});
}

std::optional<LevelShift> find_p90_shift(const SteadyStateBins& bins) {
  if (bins.p90_ms.size() < small_shift_values_least) return std::nullopt;
  return find_level_shift(bins.p90_ms, {.share_least = p90_shift_least,
                                        .difference_least = p90_change_most_ms,
                                        .stretch_least = 2,
                                        .large_by_itself = false});
}

}  // namespace drover::report
