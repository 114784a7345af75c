#include "report/chart_spectrum.h"

#include <algorithm>
#include <cmath>

namespace drover::report {

double inverse_of_percent(double percent) {
  const double above = 1 - std::clamp(percent, 0.0, 100.0) / 100;
  return above <= 1 / spectrum_inverse_max ? spectrum_inverse_max : 1 / above;
}

std::vector<SpectrumPoint> make_spectrum(const measure::HistogramSnapshot& histogram) {
  std::vector<SpectrumPoint> points;
  if (histogram.empty()) return points;
  constexpr double points_a_decade = 24;
  const double samples = static_cast<double>(histogram.count());
  const double inverse_last = std::min(samples, spectrum_inverse_max);
  const auto add = [&](double inverse) {
    const double percent = (1 - 1 / inverse) * 100;
    points.push_back(
        {percent, inverse, static_cast<double>(histogram.percentile_ns(percent)) * 1e-6});
  };
  for (double step = 0;; ++step) {
    const double inverse = std::pow(10.0, step / points_a_decade);
    if (inverse >= inverse_last) break;
    add(inverse);
  }
  add(inverse_last);
  return points;
}

}  // namespace drover::report
