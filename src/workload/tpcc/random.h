// The random numbers of TPC-C (clauses 2.1.5 and 2.1.6), its last names (4.3.2.3), and random strings (4.3.2.2).
// Thread safety: pure functions of the generator passed in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "random/rng.h"

namespace drover::tpcc {

using random::Rng;
using random::Uint128;

// What a stream of random numbers is for.
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

// Random strings of clause 4.3.2.2: a-strings of the 62 letters and digits, n-strings of digits.
//
// An import spends most of its time here, so that text is made eight characters at a time: one
// 64-bit random number gives four pairs. The last pair of a number deviates from uniform by less
// than 2^-16, the others by less.

// The bytes that a string of this size may touch while it is made.
constexpr size_t padded_text_size(size_t size) {
  return (size + 7) / 8 * 8;
}

// Writes `size` characters at `out` and may overwrite the bytes after them: `out` must have room
// for padded_text_size(size).
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
