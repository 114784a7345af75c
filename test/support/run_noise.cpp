#include "support/run_noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "measure/median.h"
#include "report/compare/statistics.h"

namespace drover::report {

namespace {

constexpr double deviations_of_spoilt = 4;
constexpr double median_deviation_scale = 1.4826;  // to a standard deviation, of normal values

double robust_deviation(const std::vector<double>& values) {
  const double level = measure::median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - level));
  return median_deviation_scale * measure::median_of(distances);
}

double variance_of(const std::vector<double>& values, double degrees_taken) {
  const auto count = static_cast<double>(values.size());
  if (count <= degrees_taken) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (count - degrees_taken);
}

// Differences and means of the pairs that nothing spoilt, and how far the spoilt run of each other
// pair lies from the run beside it.
struct Pairs {
  std::vector<double> differences;
  std::vector<double> means;
  std::vector<double> outlier_shifts;
};

Pairs divided(const std::vector<double>& logs) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < logs.size(); i += 2) differences.push_back(logs[i + 1] - logs[i]);
  const double level = measure::median_of(logs);
  const double middle = measure::median_of(differences);
  const double reach = deviations_of_spoilt * robust_deviation(differences);
  Pairs pairs;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    const double first = logs[2 * k];
    const double second = logs[2 * k + 1];
    if (std::abs(differences[k] - middle) <= reach) {
      pairs.differences.push_back(differences[k]);
      pairs.means.push_back((first + second) / 2);
    } else {
      const bool is_second = std::abs(second - level) > std::abs(first - level);
      pairs.outlier_shifts.push_back(is_second ? second - first : first - second);
    }
  }
  return pairs;
}

}  // namespace

RunNoise fit_run_noise(std::span<const double> figures) {
  std::vector<double> logs;
  for (const double figure : figures.first(figures.size() / 2 * 2))
    logs.push_back(std::log(figure));
  RunNoise noise;
  noise.drift = measure::median_slope(logs);
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] -= noise.drift * static_cast<double>(i);
  const Pairs pairs = divided(logs);
  double squares = 0;
  for (const double difference : pairs.differences) squares += difference * difference;
  const auto kept = static_cast<double>(pairs.differences.size());
  // The runs of a pair differ by the noise of two runs.
  noise.deviation = std::sqrt(squares / kept / 2);
  // The mean of two runs has half of the variance of one. A level and a slope were taken from them.
  const double shared = variance_of(pairs.means, 2) - noise.deviation * noise.deviation / 2;
  noise.shared_deviation = std::sqrt(std::max(shared, 0.0));
  noise.outlier_share =
      static_cast<double>(pairs.outlier_shifts.size()) / static_cast<double>(logs.size());
  noise.outlier_shift = measure::median_of(pairs.outlier_shifts);
  return noise;
}

RunSeries::RunSeries(const RunNoise& noise, double level, std::uint64_t seed)
    : noise_(noise), log_level_(std::log(level)), random_(seed) {}

double RunSeries::next() {
  const bool is_first_of_pair = run_ % 2 == 0;
  if (is_first_of_pair && noise_.shared_deviation > 0) {
    shared_ = noise_.shared_deviation * standard_normal();
  }
  double log = log_level_ + shared_ + noise_.drift * static_cast<double>(run_++);
  log += noise_.deviation * standard_normal();
  if (uniform() < noise_.outlier_share) log += noise_.outlier_shift;
  return std::exp(log);
}

double RunSeries::uniform() {
  return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
}

// Box and Muller; not std::normal_distribution, which each library does in its own way.
double RunSeries::standard_normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * M_PI * uniform());
}

}  // namespace drover::report
