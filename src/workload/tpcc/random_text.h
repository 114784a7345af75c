// Random strings of clause 4.3.2.2: a-strings of the 62 letters and digits, n-strings of digits.
//
// An import spends most of its time here, so that text is made eight characters at a time: one
// 64-bit random number gives four pairs. The last pair of a number deviates from uniform by less
// than 2^-16, the others by less.
//
// Thread safety: pure functions of the generator passed in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "workload/tpcc/random.h"

namespace drover::tpcc {

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
