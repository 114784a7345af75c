// Simple distributions over [0, items). Draws are equal on every machine.
//
// Thread safety: immutable, except Sequential, from which any thread may draw.
#pragma once

#include <atomic>
#include <cstdint>

#include "random/rng.h"

namespace drover::random {

// Exponential distribution, by which `percent` of the draws are below `fraction` of the items. It
// is cut at the last item.
class Exponential {
 public:
  // Throws std::invalid_argument unless percent is in [0.001, 99.999999] and fraction in [0.000001,
  // 1].
  Exponential(double percent, double fraction);

  // Requires: items is in [1, 2^62].
  std::uint64_t draw(Rng& rng, std::uint64_t items) const;

 private:
  double rate_;    // for a range of 1
  double inside_;  // part of the whole distribution that is within the range
};

// Distribution by which `hot_share` of the draws go to the first `hot_fraction` of the items, and
// the others to the other items, both uniformly.
class Hotspot {
 public:
  // Throws std::invalid_argument unless both numbers are in [0, 1].
  Hotspot(double hot_fraction, double hot_share);

  // Requires: items is in [1, 2^62].
  std::uint64_t draw(Rng& rng, std::uint64_t items) const;

  // Returns the number of hot items, at least 1 and at most `items`. Requires: items > 0.
  [[nodiscard]] std::uint64_t hot_items(std::uint64_t items) const;

 private:
  double hot_fraction_;
  double hot_share_;
};

// Yields the numbers below a limit in order, and begins again at 0. All threads that draw from one
// object share its position. Several objects, such as one per host, divide the numbers: of each
// `total` consecutive numbers an object yields the `own` numbers that follow the first `before`.
class Sequential {
 public:
  Sequential() = default;
  // Throws std::invalid_argument unless own > 0 and before + own <= total.
  Sequential(std::uint32_t before, std::uint32_t own, std::uint32_t total);

  // Requires: items > 0.
  std::uint64_t draw(std::uint64_t items) noexcept {
    const std::uint64_t drawn = drawn_.fetch_add(1, std::memory_order_relaxed);
    return (drawn / own_ * total_ + before_ + drawn % own_) % items;
  }

 private:
  std::uint64_t before_ = 0;
  std::uint64_t own_ = 1;
  std::uint64_t total_ = 1;
  std::atomic<std::uint64_t> drawn_ = 0;
};

}  // namespace drover::random
