// What a field holds, so that whoever reads it can tell whether it is what somebody wrote there:
//
//   0000000003  00Lq3.fDz0W1  oQ4...
//   version     stamp         tail
//
// The version is a number of 10 decimal digits, which a statement may count up. The stamp says who wrote the field: 64
// bits, behind 8 bits that tell a stamp of this field from other text, in 12 digits of base 64. The tail is random text
// that follows from key, field and stamp. All characters are of ./0-9A-Za-z, of which none has a meaning in SQL, CSV or
// JSON. A field of less than 22 characters is a tail alone, which follows from key and field.
//
// A shorter tail is the beginning of a longer one: FieldLengths says how long a field must be.
//
// Thread safety: pure functions. Nothing is allocated but for messages. The same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace drover::ycsb {

inline constexpr std::size_t version_size = 10;
inline constexpr std::size_t stamp_size = 12;
inline constexpr std::size_t value_head_size = version_size + stamp_size;
inline constexpr std::uint64_t version_max = 9'999'999'999;

struct FieldPlace {
  std::uint64_t key = 0;  // the number that the row's key shows (shown_number() in keys.h)
  std::uint32_t field = 0;
};

struct ValueHead {
  std::uint64_t version = 0;
  std::uint64_t stamp = 0;

  friend bool operator==(const ValueHead&, const ValueHead&) = default;
};

// Fills all of `out`. Of a short field the head is not written.
// Requires: head.version <= version_max.
void write_value(std::span<char> out, FieldPlace place, ValueHead head);

// The head that a value begins with; nothing where it is short, or has none of this place's.
std::optional<ValueHead> value_head(std::string_view text, FieldPlace place);

enum class ValuePart : std::uint8_t { version, stamp, tail, length };

struct ValueMismatch {
  ValuePart part;
  // One printable sentence without its full stop: "field 3 of the row 17: ..."
  std::string message;
};

// Whether nothing else than write_value() for this place, and counting up the version, can have made the text; nothing
// if so.
std::optional<ValueMismatch> verify_value(std::string_view text, FieldPlace place);

}  // namespace drover::ycsb
