#include "random/original_zipfian.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "random/fnv.h"
#include "random/portable_math.h"
#include "random/zeta.h"

namespace drover::random {
namespace {

constexpr std::uint64_t hashed_ranks = 10'000'000'000;
constexpr double hashed_skew = 0.99;
constexpr double hashed_zeta = 26.46902820178302;

// x^power for x in (0, 1]; 0 of 0 and below, where rounding may lead.
double power_of(double x, double power) {
  return x <= 0 ? 0 : portable_exp(power * portable_log(x));
}

}  // namespace

OriginalZipfian::OriginalZipfian(std::uint64_t items, double skew,
                                 std::optional<double> zeta_of_items)
    : items_(items), exponent_(1 / (1 - skew)) {
  if (items < 1 || items > items_max) {
    throw std::invalid_argument(fmt::format("{} items, not 1 to 2^62", items));
  }
  if (!(skew > 0 && skew < 1)) {
    throw std::invalid_argument(fmt::format("a skew of {}, not between 0 and 1", skew));
  }
  zeta_ = zeta_of_items ? *zeta_of_items : zeta(items, skew);
  if (!(zeta_ >= 1)) throw std::invalid_argument(fmt::format("a zeta of {}, below 1", zeta_));
  zeta_of_two_ = zeta(2, skew);
  // With two items or one, draw() never comes to where eta is used.
  if (items > 2) {
    const double rest = 1 - power_of(2 / static_cast<double>(items), 1 - skew);
    eta_ = rest / (1 - zeta_of_two_ / zeta_);
  }
}

std::uint64_t OriginalZipfian::draw(Rng& rng) const {
  const double u = 1 - rng.unit();  // in [0, 1)
  const double sum = u * zeta_;
  if (sum < 1 || items_ == 1) return 0;
  if (sum < zeta_of_two_ || items_ == 2) return 1;
  const double share = power_of(eta_ * u - eta_ + 1, exponent_);
  const auto rank = static_cast<std::uint64_t>(static_cast<double>(items_) * share);
  return std::min(rank, items_ - 1);
}

ScrambledOriginalZipfian::ScrambledOriginalZipfian(std::uint64_t items)
    : ranks_(hashed_ranks, hashed_skew, hashed_zeta), items_(items) {
  if (items < 1 || items > OriginalZipfian::items_max) {
    throw std::invalid_argument(fmt::format("{} items, not 1 to 2^62", items));
  }
}

std::uint64_t ScrambledOriginalZipfian::draw(Rng& rng) const {
  return static_cast<std::uint64_t>(fnv1a_64_absolute(ranks_.draw(rng))) % items_;
}

}  // namespace drover::random
