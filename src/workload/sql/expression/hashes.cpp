#include "workload/sql/expression/hashes.h"

#include <array>
#include <bit>

#include "random/fnv.h"
#include "random/rng.h"

namespace drover::sql {
namespace {

// xoshiro's little sister xoroshiro128** (D. Blackman, S. Vigna, 2018), whose state comes from SplitMix64, which
// Rng is: the generator that PostgreSQL seeds for each permutation.
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

  // Uniform in 0 … last: numbers of as many bits as `last` has, until one is not above it.
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

// A bijection of 0 … mask: a multiplication by an odd number, an exclusive or, and a rotation of `bits` by one.
std::uint64_t scrambled(std::uint64_t value, std::uint64_t factor, std::uint64_t flips,
                        std::uint64_t mask, int bits) noexcept {
  const std::uint64_t mixed = ((value * factor) ^ flips) & mask;
  return ((mixed << 1) & mask) | (mixed >> (bits - 1));
}

}  // namespace

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

// The power of two below the size is scrambled twice a round, at the lower and at the upper end of the range, so that
// every place takes part; then all are shifted round.
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
