// Rng: a SplitMix64 generator. It has eight bytes of state, so that each of 150,000 terminals may
// own one, and is cheap to derive, so that each row of a population may own one, too. All results
// are functions of the seed: the same seed gives the same numbers on every machine.
//
// Thread safety: an Rng belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace drover::random {

__extension__ typedef unsigned __int128 Uint128;

class Rng {
 public:
  explicit constexpr Rng(std::uint64_t state = 0) : state_(state) {}

  // Returns an independent stream for a purpose (a number or an enumerator) and a path of numbers,
  // such as {warehouse, district}. Streams of different purposes share no numbers, even with equal
  // seeds and paths.
  template <class Purpose>
  static constexpr Rng stream(std::uint64_t seed, Purpose purpose,
                              std::initializer_list<std::uint64_t> path = {}) {
    Rng rng = Rng(seed).child(static_cast<std::uint64_t>(purpose));
    for (const std::uint64_t step : path) rng = rng.child(step);
    return rng;
  }

  // Returns a generator that depends on this one's state and the key. Does not advance this one.
  [[nodiscard]] constexpr Rng child(std::uint64_t key) const {
    // The finalizer of MurmurHash3, not the mixer of next(), because a child must not start at a
    // number that its parent will give out.
    std::uint64_t mixed = state_ + (key + 1) * 0xd1342543de82ef95ULL;
    mixed = (mixed ^ (mixed >> 33)) * 0xff51afd7ed558ccdULL;
    mixed = (mixed ^ (mixed >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return Rng(mixed ^ (mixed >> 33));
  }

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }

  // Uniform in [0, range), without bias. Requires: range > 0.
  constexpr std::uint64_t below(std::uint64_t range) {
    Uint128 product = static_cast<Uint128>(next()) * range;
    if (static_cast<std::uint64_t>(product) < range) {
      // Some results would be favoured by one part in 2^64 / range: draws these cases again.
      const std::uint64_t favoured = (0 - range) % range;
      while (static_cast<std::uint64_t>(product) < favoured) {
        product = static_cast<Uint128>(next()) * range;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in [low, high], without bias. Requires: low <= high.
  constexpr std::int32_t uniform(std::int32_t low, std::int32_t high) {
    const std::uint64_t range =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low) + 1;
    return static_cast<std::int32_t>(low + static_cast<std::int64_t>(below(range)));
  }

  constexpr std::uint64_t uniform64(std::uint64_t low, std::uint64_t high) {
    const std::uint64_t range = high - low + 1;
    return range == 0 ? next() : low + below(range);  // 0: all 2^64 numbers
  }

  // Returns true in one of `cases` cases.
  constexpr bool one_in(std::int32_t cases) { return uniform(1, cases) == 1; }

  // Uniform in (0, 1], so that its logarithm is finite.
  constexpr double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

static_assert(sizeof(Rng) == 8);

}  // namespace drover::random
