#include "lab/median_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "measure/median.h"

namespace drover::lab {
namespace {

// That `successes` of `trials` fair coins fall on heads. By logarithms: for many coins the single
// factors are beyond what a double holds.
double exactly(std::size_t successes, std::size_t trials) {
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(successes);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                  n * std::numbers::ln2);
}

}  // namespace

MedianInterval median_interval(std::span<const double> sample, double confidence) {
  std::vector<double> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  const std::size_t count = sorted.size();
  MedianInterval interval;
  interval.median = measure::median_of(sample);
  // The median lies outside of [sorted[k], sorted[count - 1 - k]] if k or fewer of the sample lie
  // on one side of it.
  double on_one_side = 0;
  for (std::size_t k = 0; 2 * k < count; ++k) {
    on_one_side += exactly(k, count);
    const double sure = 1 - 2 * on_one_side;
    if (k > 0 && sure < confidence) break;
    interval.low = sorted[k];
    interval.high = sorted[count - 1 - k];
    interval.confidence = count > 1 ? sure : 0;
  }
  return interval;
}

std::string interval_text(const MedianInterval& interval) {
  if (interval.confidence == 0) return fmt::format("{:.2f} (one round)", interval.median);
  return fmt::format("{:.2f} ({:.2f} to {:.2f}, {:.0f}% confidence)", interval.median, interval.low,
                     interval.high, 100 * interval.confidence);
}

}  // namespace drover::lab
