// Medians, which single outliers do not change. From any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace drover::measure {

// Returns 0 for no values.
inline double median_of(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::ranges::nth_element(copy, middle);
  if (copy.size() % 2 == 1) return *middle;
  return (*std::max_element(copy.begin(), middle) + *middle) / 2;
}

// Returns the slope of Theil and Sen: the median of the slopes of all pairs of values at a distance
// of 1.
inline double median_slope(std::span<const double> values) {
  std::vector<double> slopes;
  slopes.reserve(values.size() * values.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  return median_of(slopes);
}

}  // namespace drover::measure
