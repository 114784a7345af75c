// Zipf distributions: ranks from 0, of which rank r has a probability proportional to 1 / (r +
// 1)^skew.
//
// Thread safety: any thread may draw from an object while none resizes it. Draws are functions of
// the generator, equal on every machine.
#pragma once

#include <cstdint>
#include <optional>

#include "random/rng.h"

namespace drover::random {

// Returns 1^-skew + 2^-skew + ... + items^-skew, to 13 digits, or 0 for no items. It adds up the
// first hundred terms and approximates the others by the formula of Euler and Maclaurin, so its
// cost does not depend on the number of items. Throws std::invalid_argument unless skew is in [0,
// 10].
double zeta(std::uint64_t items, double skew);

// Exact Zipf distribution for any number of items, by rejection-inversion:
//
//   W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone discrete
//   distributions. ACM Transactions on Modeling and Computer Simulation 6(3), 1996.
//
// It needs no sums or tables, so its construction and resize() cost as much as a few draws. A draw
// needs less than 1.1 tries on average. Probabilities are multiples of 2^-53. Among items
// whose probability is far below that (beyond item 2^26 at skew 2), only some can be drawn.
class Zipfian {
 public:
  static constexpr std::uint64_t items_max = std::uint64_t{1} << 62;
  static constexpr double skew_min = 0.5;
  static constexpr double skew_max = 1000;

  // Throws std::invalid_argument unless items is in [1, items_max] and skew in [skew_min,
  // skew_max].
  Zipfian(std::uint64_t items, double skew);

  // Throws as the constructor does, without an effect.
  void resize(std::uint64_t items);

  // Returns a rank in [0, items).
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

// The approximation of a Zipf distribution that benchmarks of key-value stores have used since
// 2010, for comparisons with their figures. The ranks 0 and 1 have their exact probabilities, and
// the others follow a continuous curve.
//
// J. Gray, P. Sundaresan, S. Englert, K. Baclawski, P. J. Weinberger: Quickly Generating
// Billion-Record Synthetic Databases, SIGMOD 1994.
class OriginalZipfian {
 public:
  static constexpr std::uint64_t items_max = Zipfian::items_max;

  // Computes zeta(items, skew) unless `zeta_of_items` gives it. Throws std::invalid_argument unless
  // items is in [1, items_max], skew in (0, 1) and zeta_of_items, if given, at least 1.
  OriginalZipfian(std::uint64_t items, double skew,
                  std::optional<double> zeta_of_items = std::nullopt);

  // Returns a rank in [0, items).
  std::uint64_t draw(Rng& rng) const;

 private:
  std::uint64_t items_;
  double exponent_;
  double zeta_;
  double zeta_of_two_;
  double eta_ = 0;
};

// Hashes a rank of 10^10, drawn with skew 0.99 and a fixed zeta, and returns the remainder of a
// division by the number of items. So the hottest number has a share of 3.8% for any number of
// items, and where two ranks meet, some number is never drawn.
class ScrambledOriginalZipfian {
 public:
  // Throws std::invalid_argument unless items is in [1, 2^62].
  explicit ScrambledOriginalZipfian(std::uint64_t items);

  // Returns a number in [0, items).
  std::uint64_t draw(Rng& rng) const;

 private:
  OriginalZipfian ranks_;
  std::uint64_t items_;
};

}  // namespace drover::random
