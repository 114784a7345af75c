#include "report/compare/student_distribution.h"

#include <cmath>

namespace drover::report {
namespace {

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
  // std::lgamma writes a global sign; the arguments are positive here, and nobody reads it.
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

}  // namespace drover::report
