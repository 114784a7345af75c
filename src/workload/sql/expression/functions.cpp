#include "workload/sql/expression/expression.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "random/permutation.h"
#include "random/zipfian.h"

namespace drover::sql {
namespace {

// Returns the integer at `share` (0 to 1) of the range. Rounding may place the offset beside the
// range, so it is limited.
std::int64_t at_share(std::int64_t low, std::int64_t high, double share) {
  const double range = static_cast<double>(high - low + 1);
  const double offset = std::floor(range * share);
  if (!(offset < static_cast<double>(high - low))) return high;
  return low + static_cast<std::int64_t>(std::max(offset, 0.0));
}

// xoroshiro128** (D. Blackman, S. Vigna, 2018), which PostgreSQL seeds from SplitMix64 for each
// permutation. Rng is SplitMix64.
class Xoroshiro {
 public:
  explicit Xoroshiro(random::Rng seeds) noexcept : state_{seeds.next(), seeds.next()} {}

  std::uint64_t next() noexcept {
    const std::uint64_t first = state_[0];
    const std::uint64_t mixed = state_[1] ^ first;
    state_[0] = std::rotl(first, 24) ^ mixed ^ (mixed << 16);
    state_[1] = std::rotl(mixed, 37);
    return std::rotl(first * 5, 7) * 9;
  }

  // Returns a uniform number of 0 … last. Draws numbers with as many bits as `last` until one is
  // not above it.
  std::uint64_t up_to(std::uint64_t last) noexcept {
    if (last == 0) return 0;
    const int shift = std::countl_zero(last);
    for (;;) {
      const std::uint64_t number = next() >> shift;
      if (number <= last) return number;
    }
  }

 private:
  std::array<std::uint64_t, 2> state_;
};

// A bijection of 0 … mask: multiplies by an odd number, flips bits, and rotates `bits` bits by one.
std::uint64_t scrambled(std::uint64_t value, std::uint64_t factor, std::uint64_t flips,
                        std::uint64_t mask, int bits) noexcept {
  const std::uint64_t mixed = ((value * factor) ^ flips) & mask;
  return ((mixed << 1) & mask) | (mixed >> (bits - 1));
}

}  // namespace

std::int64_t uniform_integer(random::Rng& rng, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(high - low + 1)));
}

std::int64_t exponential_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                                 double parameter) {
  const double cut = std::exp(-parameter);
  return at_share(low, high, -std::log(cut + (1.0 - cut) * rng.unit()) / parameter);
}

std::int64_t gaussian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                              double parameter) {
  double deviation = 0;
  do {  // rejects at most one draw in twenty
    const double radius = std::sqrt(-2.0 * std::log(rng.unit()));
    deviation = radius * std::sin(2.0 * std::numbers::pi * rng.unit());
  } while (deviation < -parameter || deviation >= parameter);
  return at_share(low, high, (deviation + parameter) / (2.0 * parameter));
}

std::int64_t zipfian_integer(random::Rng& rng, std::int64_t low, std::int64_t high,
                             double parameter) {
  // Items above items_max would be drawn less than once in 10^15 times.
  const std::uint64_t items =
      std::min(static_cast<std::uint64_t>(high - low + 1), random::Zipfian::items_max);
  return low + static_cast<std::int64_t>(random::Zipfian(items, parameter).draw(rng));
}

std::int64_t hash_fnv1a(std::int64_t value, std::int64_t seed) noexcept {
  return static_cast<std::int64_t>(
      random::fnv1a_64(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(seed)));
}

std::int64_t hash_murmur2(std::int64_t value, std::int64_t seed) noexcept {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995ULL;
  std::uint64_t key = static_cast<std::uint64_t>(value) * factor;
  key = (key ^ (key >> 47)) * factor;
  std::uint64_t hash = static_cast<std::uint64_t>(seed) ^ (8 * factor);  // 8: the length in bytes
  hash = (hash ^ key) * factor;
  hash = (hash ^ (hash >> 47)) * factor;
  return static_cast<std::int64_t>(hash ^ (hash >> 47));
}

// Each round scrambles the largest power of two that fits, once at the lower and once at the upper
// end of the range, so that every place takes part. Then it shifts all places.
std::int64_t permute(std::int64_t value, std::int64_t size, std::int64_t seed) noexcept {
  if (size < 2) return 0;
  const auto places = static_cast<std::uint64_t>(size);
  const int bits = static_cast<int>(std::bit_width(places)) - 1;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  Xoroshiro numbers(random::Rng(static_cast<std::uint64_t>(seed)));
  std::uint64_t place = static_cast<std::uint64_t>(value) % places;
  for (int round = 0; round < 6; ++round) {
    std::uint64_t factor = (numbers.next() & mask) | 1;
    std::uint64_t flips = numbers.next() & mask;
    if (place <= mask) place = scrambled(place, factor, flips, mask, bits);
    factor = (numbers.next() & mask) | 1;
    flips = numbers.next() & mask;
    const std::uint64_t from_end = places - 1 - place;
    if (from_end <= mask) place = places - 1 - scrambled(from_end, factor, flips, mask, bits);
    place = (place + numbers.up_to(places - 1)) % places;
  }
  return static_cast<std::int64_t>(place);
}

}  // namespace drover::sql
