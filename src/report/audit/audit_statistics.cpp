#include "report/audit/audit_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "measure/median.h"
#include "report/document/specification.h"

namespace drover::report {
namespace {

// From this expected number of successes on the normal approximation is good to a count.
constexpr double many = 100;

// Returns the first count of successes for which `enough` accepts P(X <= count). Requires: n p <
// many, so that a double can hold the probability of 0.
template <typename Enough>
std::uint64_t first_count(std::uint64_t n, double p, Enough enough) {
  const auto trials = static_cast<double>(n);
  double probability = std::exp(trials * std::log1p(-p));
  double cumulative = probability;
  std::uint64_t count = 0;
  while (count < n && !enough(cumulative)) {
    const auto at = static_cast<double>(count);
    probability *= (trials - at) / (at + 1) * (p / (1 - p));
    cumulative += probability;
    ++count;
  }
  return count;
}

// The smallest count that leaves at most bound_tail above it.
std::uint64_t exact_high(std::uint64_t n, double p) {
  return first_count(n, p, [](double cumulative) { return 1 - cumulative <= bound_tail; });
}

// The largest count that leaves at most bound_tail below it.
std::uint64_t exact_low(std::uint64_t n, double p) {
  return first_count(n, p, [](double cumulative) { return cumulative > bound_tail; });
}

}  // namespace

CountBounds binomial_bounds(std::uint64_t n, double p) {
  const double successes = static_cast<double>(n) * p;
  const double failures = static_cast<double>(n) * (1 - p);
  if (successes < many) return {exact_low(n, p), exact_high(n, p)};
  if (failures < many) return {n - exact_high(n, 1 - p), n - exact_low(n, 1 - p)};
  const double reach = bound_deviations * std::sqrt(successes * (1 - p));
  const double skew = (1 - 2 * p) * (bound_deviations * bound_deviations - 1) / 6;
  const double low = std::floor(successes - reach + skew);
  const double high = std::ceil(successes + reach + skew);
  return {static_cast<std::uint64_t>(std::max(low, 0.0)),
          std::min(static_cast<std::uint64_t>(high), n)};
}

Distribution observed_exponential(double mean, double warmup, double interval) {
  const double end = warmup + interval;
  const double cut = think_time_cut * mean;
  // The integral of (1/mean) exp(-x/mean) (end - x) / interval.
  const auto thinned = [=](double x) { return std::exp(-x / mean) * (mean - end + x) / interval; };
  // The share of all durations that are at most x and that the interval shows.
  const auto seen = [=](double x) {
    if (x <= 0) return 0.0;
    const double limit = std::min({x, cut, end});
    double share = -std::expm1(-std::min(limit, warmup) / mean);
    if (limit > warmup) share += thinned(limit) - thinned(warmup);
    const double cut_seen = std::clamp((end - cut) / interval, 0.0, 1.0);
    if (x >= cut) share += std::exp(-think_time_cut) * cut_seen;
    return share;
  };
  const double all = seen(cut);
  Distribution result;
  result.cumulative = [seen, all](double x) { return std::min(seen(x) / all, 1.0); };
  // The mean is the integral of 1 - F, the mean square that of 2 x (1 - F).
  constexpr int steps = 4'000;
  const double step = cut / steps;
  double square = 0;
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * step;
    const double beyond = 1 - result.cumulative(x);
    result.mean += beyond * step;
    square += 2 * x * beyond * step;
  }
  result.deviation = std::sqrt(std::max(square - result.mean * result.mean, 0.0));
  return result;
}

double kolmogorov_distance(std::uint64_t n) {
  // 2 exp(-2 c^2) = 1e-5
  static const double critical = std::sqrt(std::log(2e5) / 2);
  return critical / std::sqrt(static_cast<double>(std::max<std::uint64_t>(n, 1)));
}

namespace {

// Neighbouring seconds are correlated; bins of this number of seconds are so much less.
constexpr std::size_t bin_seconds_wanted = 3;

constexpr double throughput_shift_least = 0.1;  // of the higher level
constexpr double p90_shift_least = 1.0 / 3;
constexpr double shift_seconds_least = 2;

// Returns the correlation of each value with the one before it; nothing if the values differ only
// by rounding.
std::optional<double> neighbour_correlation(const std::vector<double>& values, double rounding) {
  double together = 0;
  double alone = 0;
  double before = 0;
  for (const double value : values) {
    together += value * before;
    alone += value * value;
    before = value;
  }
  if (alone <= rounding) return std::nullopt;
  return together / alone;
}

// Returns the correlation of neighbours after the trend is removed, from 0 to 0.8.
double correlation_beside_trend(const std::vector<double>& values, double slope) {
  std::vector<double> rest(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    rest[i] = values[i] - slope * static_cast<double>(i);
  const auto count = static_cast<double>(rest.size());
  const double mean = std::accumulate(rest.begin(), rest.end(), 0.0) / count;
  for (double& one : rest) one -= mean;
  return std::clamp(neighbour_correlation(rest, 1e-12 * count * mean * mean).value_or(0), 0.0, 0.8);
}

// Returns the variance of the number of rising pairs minus that of falling pairs for values in
// random order. Pairs of equal values neither rise nor fall.
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

// The least number of values that show a fall to less than a half, or a rise to more than double.
constexpr std::size_t level_shift_values_least = 4;
struct LevelShiftOptions {
  double share_least = 0;         // of the difference of the levels in the higher level
  double difference_least = 0;    // of the levels
  double noise_deviation = 0;     // the least noise to assume, whatever the series looks like
  std::size_t stretch_least = 1;  // values on either side of a step
  bool large_by_itself = true;    // a change of more than a half ignores the correlation
};

// A stretch after which the old level returns matters if it moves the mean of all values by 5%.
constexpr double mean_share_least = 0.05;

// Returns the t that chance exceeds about once in 10,000 series of 10 or more values whose noise is
// 5% of the level with a correlation of 0.6. Few values show little of their noise.
double t_most(std::size_t count, bool is_large) {
  const auto n = static_cast<double>(count);
  return is_large ? 5 + 20 / n : 7 + 40 / n;
}

class ShiftSearch {
 public:
  ShiftSearch(const std::vector<double>& values, const LevelShiftOptions& options)
      : values_(values), options_(options), count_(static_cast<double>(values.size())) {
    sums_.push_back(0);
    for (const double value : values) sums_.push_back(sums_.back() + value);
    mean_ = sums_.back() / count_;
    for (const double value : values) squares_ += (value - mean_) * (value - mean_);
  }

  // Returns nothing if no shift matters, or chance explains it.
  std::optional<LevelShift> run() {
    if (values_.size() < level_shift_values_least) return std::nullopt;
    // A step is a stretch that lasts to the end.
    for (std::size_t first = 1; first < values_.size(); ++first)
      for (std::size_t last = first + options_.stretch_least; last <= values_.size(); ++last)
        try_stretch(first, last);
    try_ramp();
    if (best_.t == 0) return std::nullopt;
    const bool is_large = std::min(best_.from, best_.to) < std::max(best_.from, best_.to) / 2;
    if (!is_large && values_.size() < small_shift_values_least) return std::nullopt;
    if (!is_large || !options_.large_by_itself) {
      const double correlation = correlation_beside_shift();
      best_.t *= std::sqrt((1 - correlation) / (1 + correlation));
    }
    if (best_.t <= t_most(values_.size(), is_large && options_.large_by_itself))
      return std::nullopt;
    return best_;
  }

 private:
  bool matters(double from, double to) const {
    const double difference = std::abs(from - to);
    return difference > options_.share_least * std::max(from, to) &&
           difference > options_.difference_least;
  }

  // Keeps `shift` if it is more significant than the best so far. `explained`: the part of the sum
  // of squares that the shift explains. The mean and the shift take two degrees of freedom.
  void keep_best(LevelShift shift, double explained) {
    const double noise = options_.noise_deviation * options_.noise_deviation * (count_ - 2);
    // The rest of a perfect fit is rounding.
    const double unexplained = std::max({squares_ - explained, noise, 1e-12 * squares_});
    shift.t = std::sqrt(explained * (count_ - 2) / unexplained);
    if (shift.t > best_.t) best_ = shift;
  }

  void try_stretch(std::size_t first, std::size_t last) {
    const std::size_t length = last - first;
    const bool stays = last == values_.size();
    if (values_.size() - length < options_.stretch_least) return;
    const auto inside = static_cast<double>(length);
    const auto outside = static_cast<double>(values_.size() - length);
    const double sum = sums_[last] - sums_[first];
    const double to = sum / inside;
    const double from = (sums_.back() - sum) / outside;
    if (!matters(from, to)) return;
    const double difference = to - from;
    if (!stays && std::abs(difference) * inside <= mean_share_least * count_ * std::max(from, to))
      return;
    keep_best({stays ? LevelShift::Shape::step : LevelShift::Shape::stretch, first, last, from, to},
              difference * difference * inside * outside / count_);
  }

  void try_ramp() {
    const double middle = (count_ - 1) / 2;
    double together = 0;
    double alone = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double place = static_cast<double>(i) - middle;
      together += place * values_[i];
      alone += place * place;
    }
    const double slope = together / alone;
    const double from = mean_ - slope * middle;
    const double to = mean_ + slope * middle;
    if (!matters(from, to)) return;
    keep_best({LevelShift::Shape::ramp, 0, values_.size(), from, to}, slope * together);
  }

  double fitted(std::size_t i) const {
    if (best_.shape == LevelShift::Shape::ramp)
      return best_.from + (best_.to - best_.from) * static_cast<double>(i) / (count_ - 1);
    return i >= best_.first && i < best_.last ? best_.to : best_.from;
  }

  // Returns the correlation of the residuals of the best shape. An estimate from few values is too
  // low by about (1 + 3 r) / n.
  double correlation_beside_shift() const {
    std::vector<double> rest;
    for (std::size_t i = 0; i < values_.size(); ++i) rest.push_back(values_[i] - fitted(i));
    const auto found = neighbour_correlation(rest, 1e-12 * squares_);
    return found ? std::clamp(*found + (1 + 3 * *found) / count_, 0.0, 0.8) : 0;
  }

  const std::vector<double>& values_;
  const LevelShiftOptions& options_;
  double count_;
  std::vector<double> sums_;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
  LevelShift best_;
};

}  // namespace

Trend find_trend(const std::vector<double>& values) {
  int score = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j)
      score += (values[j] > values[i]) - (values[j] < values[i]);
  Trend trend;
  trend.median = measure::median_of(values);
  const double slope = measure::median_slope(values);
  trend.change = slope * static_cast<double>(values.size() - 1);
  // From the higher end to the lower one by more than half.
  const bool is_large = std::abs(trend.change) > (trend.median + std::abs(trend.change) / 2) / 2;
  const double correlation = is_large ? 0 : correlation_beside_trend(values, slope);
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
  const std::vector<MeasuredSecond> seconds = measured_seconds(time_series);
  SteadyStateBins bins;
  if (seconds.empty()) return bins;
  const std::size_t points_each = std::max(
      {(seconds.size() + steady_state_bins_most - 1) / steady_state_bins_most,
       std::min(bin_seconds_wanted, seconds.size() / steady_state_bins_least), std::size_t{1}});
  // Points of a long run cover more than a second.
  std::vector<double> lengths;
  for (const MeasuredSecond& one : seconds) lengths.push_back(one.length_s);
  const double point_s = std::max(std::round(measure::median_of(lengths)), 1.0);
  bins.seconds_each = static_cast<double>(points_each) * point_s;
  bins.start_s = seconds.front().point.t - seconds.front().length_s;
  for (std::size_t first = 0; first + points_each <= seconds.size(); first += points_each) {
    double transactions = 0;
    double length_s = 0;
    std::vector<double> p90s;
    for (const MeasuredSecond& one : std::span(seconds).subspan(first, points_each)) {
      for (const std::uint64_t count : one.point.ok) transactions += static_cast<double>(count);
      length_s += one.length_s;
      if (one.point.p90_ms > 0) p90s.push_back(one.point.p90_ms);
    }
    bins.throughput.push_back(transactions / length_s);
    if (!p90s.empty()) bins.p90_ms.push_back(measure::median_of(p90s));
  }
  return bins;
}

std::optional<LevelShift> find_throughput_shift(const SteadyStateBins& bins) {
  if (bins.throughput.empty()) return std::nullopt;
  const auto count = static_cast<double>(bins.throughput.size());
  const double mean = std::accumulate(bins.throughput.begin(), bins.throughput.end(), 0.0) / count;
  return ShiftSearch(bins.throughput,
                     {.share_least = throughput_shift_least,
                      // The variation of independent transactions.
                      .noise_deviation = std::sqrt(mean / bins.seconds_each),
                      // A checkpoint may disturb a single second.
                      .stretch_least = bins.seconds_each < shift_seconds_least ? std::size_t{2}
                                                                               : std::size_t{1}})
      .run();
}

std::optional<LevelShift> find_p90_shift(const SteadyStateBins& bins) {
  if (bins.p90_ms.size() < small_shift_values_least) return std::nullopt;
  return ShiftSearch(bins.p90_ms, {.share_least = p90_shift_least,
                                   .difference_least = p90_change_most_ms,
                                   .stretch_least = 2,
                                   .large_by_itself = false})
      .run();
}

}  // namespace drover::report
