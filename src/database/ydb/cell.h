// Cell: one value on its way into a parameter or a row. Pure; any thread.
//
// Money: a Decimal holds its digits as a whole number, so cents go into a Decimal of scale 2 as
// they are. A column of Double takes real numbers, which are no exact money.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <variant>

#include "database/ydb/value_type.h"

namespace Ydb {
class Value;
}

namespace drover::database::ydb {

__extension__ using Int128 = __int128;

// A decimal number times ten to the power of its type's scale. Infinity and "not a number" of YDB
// are beyond 10^35 - 1.
struct Decimal {
  Int128 digits = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// `cents` as a Decimal of the given scale. Requires: the scale is 2 at least.
constexpr Decimal decimal_of_cents(std::int64_t cents, int scale) noexcept {
  Int128 digits = cents;
  for (int i = 2; i < scale; ++i) digits *= 10;
  return {digits};
}

struct Uuid {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Uuid&, const Uuid&) = default;
};

struct Null {};
inline constexpr Null null{};

class Cell {
 public:
  Cell(Null) noexcept {}                                    // NOLINT: as all below,
  Cell(bool value) noexcept : value_(value) {}              // NOLINT: so that a row is
  Cell(double value) noexcept : value_(value) {}            // NOLINT: written as it is
  Cell(std::string_view value) noexcept : value_(value) {}  // NOLINT
  Cell(const std::string& value) noexcept : value_(std::string_view(value)) {}  // NOLINT
  Cell(const char* value) noexcept : value_(std::string_view(value)) {}         // NOLINT
  Cell(Decimal value) noexcept : value_(value) {}                               // NOLINT
  Cell(Uuid value) noexcept : value_(value) {}                                  // NOLINT
  template <std::signed_integral I>
  Cell(I value) noexcept : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
  template <std::unsigned_integral I>
  Cell(I value) noexcept : value_(static_cast<std::uint64_t>(value)) {}  // NOLINT

  // Requires: it fits into the type, a NULL into an optional one.
  void write(ScalarType type, Ydb::Value& out) const;

 private:
  std::int64_t integer() const noexcept;
  std::uint64_t natural() const noexcept;

  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string_view, Decimal, Uuid>
      value_;
};

}  // namespace drover::database::ydb
