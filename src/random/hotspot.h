// Hotspot: a share of the draws goes to the first numbers, the hot ones, evenly, and the others to the rest, evenly.
// Thread safety: immutable. Draws are the same on every machine.
#pragma once

#include <cstdint>

#include "random/rng.h"

namespace drover::random {

class Hotspot {
 public:
  // `hot_fraction` of the numbers gets `hot_share` of the draws. Throws std::invalid_argument unless both are in
  // [0, 1].
  Hotspot(double hot_fraction, double hot_share);

  // In [0, items). There is always a hot number; where all of them are hot, all are drawn evenly.
  // Requires: items is in [1, 2^62].
  std::uint64_t draw(Rng& rng, std::uint64_t items) const;

  // How many of so many are hot; at least one, and at most all. Requires: items > 0.
  [[nodiscard]] std::uint64_t hot_items(std::uint64_t items) const;

 private:
  double hot_fraction_;
  double hot_share_;
};

}  // namespace drover::random
