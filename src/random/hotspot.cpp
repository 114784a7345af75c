#include "random/hotspot.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace drover::random {

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

}  // namespace drover::random
