// What the key of a row is, made of its number: "user" and the number, or the hash of the number, padded with zeros.
// Hashed keys lie scattered in the table, so that rows that are inserted one after the other are no neighbours.
// Pure functions; any thread.
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

// The number that the key of a row shows: what its fields are made of (FieldPlace), so that whoever finds the row in a
// table can tell what they must be.
inline std::uint64_t shown_number(std::uint64_t number, InsertOrder order) {
  return order == InsertOrder::hashed
             ? static_cast<std::uint64_t>(random::fnv1a_64_absolute(number))
             : number;
}

// The number that this key shows; nothing where it is no KeyName.
inline std::optional<std::uint64_t> number_shown_by(std::string_view key) {
  if (!key.starts_with(key_prefix)) return std::nullopt;
  key.remove_prefix(key_prefix.size());
  while (key.size() > 1 && key.front() == '0') key.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

// Kept in place: nothing is allocated.
class KeyName {
 public:
  static constexpr std::size_t size_max = key_prefix.size() + zero_padding_max;

  // Requires: number < 2^63, and zero_padding is in [0, zero_padding_max].
  KeyName(std::uint64_t number, InsertOrder order, std::int64_t zero_padding) {
    // The hash is a signed number without its sign, save for -2^63, which keeps it; zeros come before the sign.
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

  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }
  operator std::string_view() const noexcept { return view(); }

 private:
  std::array<char, size_max> text_;
  std::size_t size_;
};

static_assert(KeyName::size_max == 64);  // a VARCHAR(64) of other tools holds it

}  // namespace drover::ycsb
