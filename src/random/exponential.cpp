#include "random/exponential.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "random/portable_math.h"

namespace drover::random {

Exponential::Exponential(double percent, double fraction) {
  if (!(percent >= 0.001 && percent <= 99.999999)) {
    throw std::invalid_argument(fmt::format("{}%, not in [0.001, 99.999999]", percent));
  }
  if (!(fraction >= 0.000001 && fraction <= 1)) {
    throw std::invalid_argument(fmt::format("a fraction of {}, not in [0.000001, 1]", fraction));
  }
  rate_ = -portable_log1p(-percent / 100) / fraction;
  inside_ = -portable_expm1(std::max(-rate_, -700.0));
}

std::uint64_t Exponential::draw(Rng& rng, std::uint64_t items) const {
  // By inversion, of the part inside, so that nothing has to be drawn again.
  const double u = 1 - rng.unit();  // in [0, 1)
  const double part = -portable_log1p(-u * inside_) / rate_;
  const auto number = static_cast<std::uint64_t>(static_cast<double>(items) * std::max(part, 0.0));
  return std::min(number, items - 1);
}

}  // namespace drover::random
