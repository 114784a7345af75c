#include "random/distributions.h"

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
  // Inverts the part of the distribution inside the range, so that no draw is repeated.
  const double u = 1 - rng.unit();  // in [0, 1)
  const double part = -portable_log1p(-u * inside_) / rate_;
  const auto number = static_cast<std::uint64_t>(static_cast<double>(items) * std::max(part, 0.0));
  return std::min(number, items - 1);
}

Hotspot::Hotspot(double hot_fraction, double hot_share)
    : hot_fraction_(hot_fraction), hot_share_(hot_share) {
  for (const double part : {hot_fraction, hot_share}) {
    if (!(part >= 0 && part <= 1)) {
      throw std::invalid_argument(fmt::format("a hotspot of {}, not in [0, 1]", part));
    }
  }
}

std::uint64_t Hotspot::hot_items(std::uint64_t items) const {
  const auto hot = static_cast<std::uint64_t>(static_cast<double>(items) * hot_fraction_);
  return std::clamp<std::uint64_t>(hot, 1, items);
}

std::uint64_t Hotspot::draw(Rng& rng, std::uint64_t items) const {
  const std::uint64_t hot = hot_items(items);
  const bool is_hot = rng.unit() <= hot_share_;
  if (is_hot || hot == items) return rng.below(hot);
  return hot + rng.below(items - hot);
}

Sequential::Sequential(std::uint32_t before, std::uint32_t own, std::uint32_t total)
    : before_(before), own_(own), total_(total) {
  if (own == 0 || before > total || own > total - before) {
    throw std::invalid_argument("a sequence whose stripe is empty or outside of the whole");
  }
}

}  // namespace drover::random
