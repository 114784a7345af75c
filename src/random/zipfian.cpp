#include "random/zipfian.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "random/portable_math.h"
#include "random/zeta.h"

namespace drover::random {

// In the paper's terms: the weight h(k) = k^-skew of item k, from 1, is a part of the area below h over
// [k - 1/2, k + 1/2], for h is convex. H is the integral of h. A point of the area is drawn by inverting H; it belongs to
// the nearest k, and is taken if it lies in the last h(k) of that item's area. Item 1 gets exactly h(1): its area begins
// there.

Zipfian::Zipfian(std::uint64_t items, double skew) : skew_(skew), one_less_skew_(1 - skew) {
  if (!(skew >= skew_min && skew <= skew_max)) {
    throw std::invalid_argument(fmt::format("a Zipf distribution has a skew in [{}, {}], not {}",
                                            skew_min, skew_max, skew));
  }
  if (skew != 1) inverse_of_one_less_skew_ = 1 / one_less_skew_;
  area_begin_ = power_integral(1.5, skew) - 1;
  // A point as near below its k as this is taken in any case, so that most draws need H no more.
  const double weight_2 = portable_exp(-skew * portable_log(2));
  sure_distance_ = 2 - inverse_integral(power_integral(2.5, skew) - weight_2);
  resize(items);
}

void Zipfian::resize(std::uint64_t items) {
  if (items < 1 || items > items_max) {
    throw std::invalid_argument(
        fmt::format("a Zipf distribution has 1 to 2^62 items, not {}", items));
  }
  items_ = items;
  area_end_ = power_integral(static_cast<double>(items) + 0.5, skew_);
}

double Zipfian::inverse_integral(double area) const {
  if (one_less_skew_ == 0) return portable_exp(area);
  // Above -1 also where the end of the area was rounded up: at skew 2 beyond 2^53 items.
  const double t = std::max(one_less_skew_ * area, -1 + 0x1p-53);
  return portable_exp(portable_log1p(t) * inverse_of_one_less_skew_);
}

std::uint64_t Zipfian::draw(Rng& rng) const {
  while (true) {
    const double area = area_end_ + rng.unit() * (area_begin_ - area_end_);
    const double x = std::min(inverse_integral(area), static_cast<double>(items_max));
    const auto nearest = static_cast<std::int64_t>(x + 0.5);
    const auto item = std::clamp<std::int64_t>(nearest, 1, static_cast<std::int64_t>(items_));
    const auto k = static_cast<double>(item);
    if (k - x <= sure_distance_ ||
        area >= power_integral(k + 0.5, skew_) - portable_exp(-skew_ * portable_log(k))) {
      return static_cast<std::uint64_t>(item - 1);
    }
  }
}

}  // namespace drover::random
