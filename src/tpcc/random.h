// The random numbers of TPC-C (clauses 2.1.5 and 2.1.6).
//
// `Rng` is a SplitMix64 generator: eight bytes of state, so that each of 150,000 terminals may own
// one, and cheap to derive, so that each row of the population may own one too. All results are
// functions of the seed alone: the same seed gives the same numbers on every machine.
//
// Thread safety: an Rng belongs to one thread at a time; everything else here is pure.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace drover::tpcc {

__extension__ typedef unsigned __int128 Uint128;

// What a stream of random numbers is for. Streams of unlike purposes never share numbers, even
// when their seeds and paths are equal.
enum class RandomPurpose : uint64_t {
  Terminal = 1,
  Population,
  CustomerPermutation,
  LoadConstants,
  RunConstants,
  Retry,
  Test,
  Deck,
};

class Rng {
 public:
  explicit constexpr Rng(uint64_t state = 0) : state_(state) {}

  // An independent stream for a purpose and a path of numbers, e.g. {warehouse, district}.
  static constexpr Rng stream(uint64_t seed, RandomPurpose purpose,
                              std::initializer_list<uint64_t> path = {}) {
    Rng rng = Rng(seed).child(static_cast<uint64_t>(purpose));
    for (const uint64_t step : path) rng = rng.child(step);
    return rng;
  }

  // A generator that depends on this one's state and the key. It does not advance this one.
  [[nodiscard]] constexpr Rng child(uint64_t key) const {
    // The finalizer of MurmurHash3 and not the mixer of next(): a child must not start at a number
    // that its parent will give out.
    uint64_t mixed = state_ + (key + 1) * 0xd1342543de82ef95ULL;
    mixed = (mixed ^ (mixed >> 33)) * 0xff51afd7ed558ccdULL;
    mixed = (mixed ^ (mixed >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return Rng(mixed ^ (mixed >> 33));
  }

  constexpr uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }

  // random(low..high) of clause 2.1.5: uniform, both ends included, without bias.
  // Requires low <= high.
  constexpr int32_t uniform(int32_t low, int32_t high) {
    const uint64_t range = static_cast<uint64_t>(static_cast<int64_t>(high) - low) + 1;
    Uint128 product = static_cast<Uint128>(next()) * range;
    if (static_cast<uint64_t>(product) < range) {
      // Some results would be favoured by one part in 2^64 / range: draw those cases again.
      const uint64_t favoured = (0 - range) % range;
      while (static_cast<uint64_t>(product) < favoured) {
        product = static_cast<Uint128>(next()) * range;
      }
    }
    return static_cast<int32_t>(low + static_cast<int64_t>(product >> 64));
  }

  // True in one of so many cases.
  constexpr bool one_in(int32_t cases) { return uniform(1, cases) == 1; }

  // Uniform in (0, 1]: its logarithm is always finite.
  constexpr double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  uint64_t state_;
};

static_assert(sizeof(Rng) == 8);

// NURand(A, x, y) of clause 2.1.6.
constexpr int32_t nurand(Rng& rng, int32_t a, int32_t c, int32_t low, int32_t high) {
  const int32_t mask = rng.uniform(0, a);
  const int32_t value = rng.uniform(low, high);
  return ((mask | value) + c) % (high - low + 1) + low;
}

// The values of A that clause 2.1.6 gives for each use of NURand.
inline constexpr int32_t nurand_a_c_last = 255;
inline constexpr int32_t nurand_a_c_id = 1023;
inline constexpr int32_t nurand_a_ol_i_id = 8191;

// The constants C of NURand, one for each A, each in [0..A].
struct NurandConstants {
  int32_t c_last = 0;
  int32_t c_id = 0;
  int32_t ol_i_id = 0;

  friend bool operator==(const NurandConstants&, const NurandConstants&) = default;
};

// The constants with which the population of this seed is made (C-Load).
NurandConstants load_constants(uint64_t seed);

// Constants for a run on a population made with `load` (C-Run): they fulfil c_last_delta_valid.
// Requires load.c_last in [0..255].
NurandConstants run_constants(uint64_t seed, const NurandConstants& load);

// Whether the two constants for c_last are as far apart as clause 2.1.6.1 demands: by 65 to 119,
// but neither 96 nor 112.
bool c_last_delta_valid(int32_t c_load, int32_t c_run);

// Three syllables of up to five letters each (clause 4.3.2.3).
inline constexpr int last_name_size_max = 15;

// The last name of a number in [0..999] (clause 4.3.2.3), e.g. 371 is PRICALLYOUGHT. The view stays
// valid for ever.
std::string_view last_name(int32_t number);

}  // namespace drover::tpcc
