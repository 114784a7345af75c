// The approximation of a Zipf distribution that benchmarks of key-value stores have used since 2010, to compare with
// figures that were made with it. Where nothing has to be compared, Zipfian is what was meant.
//
// Thread safety: immutable. Draws are the same on every machine.
#pragma once

#include <cstdint>
#include <optional>

#include "random/rng.h"

namespace drover::random {

// J. Gray, P. Sundaresan, S. Englert, K. Baclawski, P. J. Weinberger: Quickly Generating Billion-Record Synthetic
// Databases, SIGMOD 1994. The ranks 0 and 1 have their probabilities; those behind them follow a continuous curve.
class OriginalZipfian {
 public:
  static constexpr std::uint64_t items_max = std::uint64_t{1} << 62;

  // `zeta_of_items` where somebody has said what zeta(items, skew) is to be; else it is computed.
  // Throws std::invalid_argument unless items is in [1, items_max], skew in (0, 1) and zeta_of_items, if any, at
  // least 1.
  OriginalZipfian(std::uint64_t items, double skew,
                  std::optional<double> zeta_of_items = std::nullopt);

  // A rank in [0, items).
  std::uint64_t draw(Rng& rng) const;

 private:
  std::uint64_t items_;
  double exponent_;
  double zeta_;
  double zeta_of_two_;
  double eta_ = 0;
};

// A rank of 10^10, with skew 0.99 and a zeta computed once for all, is hashed, and what remains after a division by the
// number of items is the number drawn. So the share of the hottest is 3.8% whatever the number of items is, and where
// two ranks meet, some number is never drawn.
class ScrambledOriginalZipfian {
 public:
  // Throws std::invalid_argument unless items is in [1, 2^62].
  explicit ScrambledOriginalZipfian(std::uint64_t items);

  // In [0, items).
  std::uint64_t draw(Rng& rng) const;

 private:
  OriginalZipfian ranks_;
  std::uint64_t items_;
};

}  // namespace drover::random
