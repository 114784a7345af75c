// The percentile spectrum of a histogram: latency over 1 / (1 - p), so that each further nine has
// the same room. At 90% the axis reads 10, at 99.99% it reads 10,000.
//
// It ends where the sample does: of n values none can say more than the percentile 1 - 1/n.
//
// Pure functions; any thread.
#pragma once

#include <vector>

#include "measure/histogram.h"

namespace drover::report {

struct SpectrumPoint {
  double percent = 0;
  double inverse = 1;  // 1 / (1 - p), from 1 to spectrum_inverse_max
  double ms = 0;
};

inline constexpr double spectrum_inverse_max = 10'000;  // 99.99%

// In rising order; none if there are no samples.
std::vector<SpectrumPoint> make_spectrum(const measure::HistogramSnapshot& histogram);

// 1 / (1 - p), at most spectrum_inverse_max.
double inverse_of_percent(double percent);

}  // namespace drover::report
