#include "measure/median.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace drover::measure {

double median_of(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::ranges::nth_element(copy, middle);
  if (copy.size() % 2 == 1) return *middle;
  return (*std::max_element(copy.begin(), middle) + *middle) / 2;
}

double median_slope(std::span<const double> values) {
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
