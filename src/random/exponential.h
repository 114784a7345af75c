// Exponential: numbers from 0 that are drawn the less the larger they are, so that a percentage of the draws is below a
// fraction of the range; what lies beyond the range is left out.
// Thread safety: immutable. Draws are the same on every machine.
#pragma once

#include <cstdint>

#include "random/rng.h"

namespace drover::random {

class Exponential {
 public:
  // Throws std::invalid_argument unless percent is in [0.001, 99.999999] and fraction in [0.000001, 1].
  Exponential(double percent, double fraction);

  // In [0, items). Requires: items is in [1, 2^62].
  std::uint64_t draw(Rng& rng, std::uint64_t items) const;

 private:
  double rate_;    // for a range of 1
  double inside_;  // the part of the whole distribution that is within the range
};

}  // namespace drover::random
