// Zipfian: ranks from 0 of which the rank r is drawn with a probability proportional to 1 / (r + 1)^skew, exactly and
// for any number of items, by rejection-inversion:
//
//   W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone discrete distributions.
//   ACM Transactions on Modeling and Computer Simulation 6(3), 1996.
//
// Nothing is summed or tabled, so that making one and changing the number of items cost as much as a few draws. On the
// average a draw needs less than 1.1 tries. Probabilities are multiples of 2^-53: ranks whose own are far smaller
// (beyond 2^26 at skew 2) share them with their neighbours.
//
// Thread safety: an object may be drawn from on many threads while nobody resizes it. Draws are functions of the
// generator passed in, the same on every machine.
#pragma once

#include <cstdint>

#include "random/rng.h"

namespace drover::random {

class Zipfian {
 public:
  static constexpr std::uint64_t items_max = std::uint64_t{1} << 62;
  static constexpr double skew_min = 0.5;
  static constexpr double skew_max = 1000;

  // Throws std::invalid_argument unless items is in [1, items_max] and skew in [skew_min, skew_max].
  Zipfian(std::uint64_t items, double skew);

  // Throws as the constructor does, and has changed nothing then.
  void resize(std::uint64_t items);

  // In [0, items).
  std::uint64_t draw(Rng& rng) const;

  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
  [[nodiscard]] double skew() const noexcept { return skew_; }

 private:
  double inverse_integral(double area) const;

  std::uint64_t items_ = 0;
  double skew_;
  double one_less_skew_;
  double inverse_of_one_less_skew_ = 0;  // unused at skew 1
  double area_begin_ = 0;                // of item 1
  double area_end_ = 0;                  // of the last item
  double sure_distance_ = 0;
};

}  // namespace drover::random
