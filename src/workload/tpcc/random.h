// The random numbers of TPC-C (clauses 2.1.5 and 2.1.6), its last names (4.3.2.3), and random
// strings (4.3.2.2). Thread safety: pure functions of the generator passed in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "random/rng.h"

namespace drover::tpcc {

using random::Rng;
using random::Uint128;

// The purpose of a stream of random numbers.
enum class RandomPurpose : uint64_t {
  Terminal = 1,
  Population,
  CustomerPermutation,
  LoadConstants,
  RunConstants,
  Test = 7,  // 6 and 9 are the engine's
  Deck,
};

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

// Returns the constants of the population of this seed (C-Load).
NurandConstants load_constants(uint64_t seed);

// Returns constants for a run on a population made with `load` (C-Run) that fulfil
// c_last_delta_valid. Requires load.c_last in [0..255].
NurandConstants run_constants(uint64_t seed, const NurandConstants& load);

// Returns true if the two constants for c_last differ as clause 2.1.6.1 demands: by 65 to 119, but
// neither by 96 nor by 112.
bool c_last_delta_valid(int32_t c_load, int32_t c_run);

// Three syllables of up to five letters each (clause 4.3.2.3).
inline constexpr int last_name_size_max = 15;

// Returns the last name of a number in [0..999] (clause 4.3.2.3), such as PRICALLYOUGHT of 371. The
// view stays valid.
std::string_view last_name(int32_t number);

// Random strings of clause 4.3.2.2: a-strings of the 62 letters and digits, n-strings of digits.
//
// An import spends most of its time here. Therefore text is made eight characters at a time: one
// 64-bit random number gives four pairs of characters. The last pair of a number deviates from
// uniform by less than 2^-16, the others by less.

// Returns the number of bytes that making a string of this size may write.
constexpr size_t padded_text_size(size_t size) {
  return (size + 7) / 8 * 8;
}

// Writes `size` characters at `out`, which must have room for padded_text_size(size) bytes.
void random_alphanumeric(Rng& rng, char* out, size_t size);
void random_digits(Rng& rng, char* out, size_t size);

// A short string of at most `size_max` characters, kept in place.
template <size_t size_max>
struct Text {
  std::array<char, padded_text_size(size_max)> bytes;
  uint16_t size;

  [[nodiscard]] std::string_view view() const { return {bytes.data(), size}; }
  operator std::string_view() const { return view(); }

  // a-string [low..high]. Requires high <= size_max.
  void assign_alphanumeric(Rng& rng, int32_t low, int32_t high) {
    size = static_cast<uint16_t>(low == high ? low : rng.uniform(low, high));
    random_alphanumeric(rng, bytes.data(), size);
  }

  void assign_digits(Rng& rng, int32_t length) {
    size = static_cast<uint16_t>(length);
    random_digits(rng, bytes.data(), size);
  }
};

}  // namespace drover::tpcc
