// The key of a row, made of its number: "user" and the number, or "user" and the hash of the
// number, padded with zeros. Hashing scatters rows that are inserted one after the other over the
// table. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "random/permutation.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

inline constexpr std::string_view key_prefix = "user";

// Returns the number in the key of a row. The values of the fields follow from it (FieldPlace), so
// that a reader of the row can verify them.
inline std::uint64_t shown_number(std::uint64_t number, InsertOrder order) {
  return order == InsertOrder::hashed
             ? static_cast<std::uint64_t>(random::fnv1a_64_absolute(number))
             : number;
}

// Returns the number in a key, or nothing for a text that is not a KeyName.
inline std::optional<std::uint64_t> number_shown_by(std::string_view key) {
  if (!key.starts_with(key_prefix)) return std::nullopt;
  key.remove_prefix(key_prefix.size());
  while (key.size() > 1 && key.front() == '0') key.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

// A key. Allocates no memory.
class KeyName {
 public:
  static constexpr std::size_t size_max = key_prefix.size() + zero_padding_max;

  // Requires: number < 2^63, and zero_padding is in [0, zero_padding_max].
  KeyName(std::uint64_t number, InsertOrder order, std::int64_t zero_padding) {
    // The hash is the absolute value of a signed number, except -2^63, which has none. The zeros
    // precede its sign, as in YCSB.
    const auto shown = static_cast<std::int64_t>(shown_number(number, order));
    std::array<char, 20> digits;
    const char* const end = std::to_chars(digits.data(), digits.data() + 20, shown).ptr;
    const auto digit_count = static_cast<std::size_t>(end - digits.data());
    const auto padded = std::max(digit_count, static_cast<std::size_t>(zero_padding));
    char* out = std::copy(key_prefix.begin(), key_prefix.end(), text_.begin());
    out = std::fill_n(out, padded - digit_count, '0');
    out = std::copy_n(digits.data(), digit_count, out);
    size_ = static_cast<std::size_t>(out - text_.data());
  }

  KeyName(std::uint64_t number, const Properties& properties)
      : KeyName(number, properties.insert_order, properties.zero_padding) {}

  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }
  operator std::string_view() const noexcept { return view(); }

 private:
  std::array<char, size_max> text_;
  std::size_t size_;
};

static_assert(KeyName::size_max == 64);  // fits into the VARCHAR(64) of other tools

}  // namespace drover::ycsb
