// The values of fields, made so that a reader can verify them:
//
//   0000000003  00Lq3.fDz0W1  oQ4...
//   version     stamp         tail
//
// The version has 10 decimal digits, and statements can count it up. The stamp identifies the
// writer of the field: 64 bits after 8 check bits, which tell a stamp of this field from other
// text, in 12 digits of base 64. The tail is random text that follows from key, field and stamp.
// All characters are of ./0-9A-Za-z, which have no meaning in SQL, CSV or JSON. A field shorter
// than 22 characters is only a tail, which follows from key and field.
//
// A shorter tail is a prefix of a longer one. FieldLengths says how long a field must be.
//
// Thread safety: pure functions and immutable objects. The same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "random/zipfian.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb {

inline constexpr std::size_t version_size = 10;
inline constexpr std::size_t stamp_size = 12;
inline constexpr std::size_t value_head_size = version_size + stamp_size;
inline constexpr std::uint64_t version_max = 9'999'999'999;

struct FieldPlace {
  std::uint64_t key = 0;  // the number in the row's key (shown_number() in keys.h)
  std::uint32_t field = 0;
};

struct ValueHead {
  std::uint64_t version = 0;
  std::uint64_t stamp = 0;

  friend bool operator==(const ValueHead&, const ValueHead&) = default;
};

// Fills all of `out`. A short field gets no head. Requires: head.version <= version_max.
void write_value(std::span<char> out, FieldPlace place, ValueHead head);

// Returns the head of a value, or nothing for a short value or the value of another place.
std::optional<ValueHead> value_head(std::string_view text, FieldPlace place);

enum class ValuePart : std::uint8_t { version, stamp, tail, length };

struct ValueMismatch {
  ValuePart part;
  // One printable sentence without its full stop: "field 3 of the row 17: ..."
  std::string message;
};

// Returns nothing if write_value() for this place, followed by any number of version increments,
// can have produced the text.
std::optional<ValueMismatch> verify_value(std::string_view text, FieldPlace place);

struct LengthCount {
  std::uint64_t length = 0;
  std::uint64_t count = 0;
};

// Parses a histogram of lengths: the line "BlockSize" with the size of a block, then one line per
// bucket with its number, from 0, and a count, separated by blanks. A field of bucket i has (i + 1)
// blocks. Returns the buckets with a count above 0, in the order of the text. Throws PropertyError,
// whose message begins with the line.
std::vector<LengthCount> parse_length_histogram(std::string_view text);

// The length of each field. The length follows from the field's place and its writer's stamp, so
// that a reader detects truncated fields.
class FieldLengths {
 public:
  // Reads the histogram file if the properties name one. Throws PropertyError.
  explicit FieldLengths(const Properties& properties);
  // Throws PropertyError if no count is above 0.
  explicit FieldLengths(const std::vector<LengthCount>& histogram);

  [[nodiscard]] std::size_t length(FieldPlace place, std::uint64_t stamp) const;
  [[nodiscard]] std::size_t length_min() const noexcept { return min_; }
  [[nodiscard]] std::size_t length_max() const noexcept { return max_; }

  // Does the same as verify_value(), and checks the length. The writer of a short value is unknown,
  // so that any length of the distribution is accepted.
  [[nodiscard]] std::optional<ValueMismatch> verify(std::string_view text, FieldPlace place) const;

 private:
  void take_histogram(const std::vector<LengthCount>& histogram);

  FieldLengthDistribution distribution_;
  std::size_t min_ = 0;
  std::size_t max_ = 0;
  std::optional<random::Zipfian> zipfian_;
  // Of the histogram: its lengths, and for each the sum of the counts up to and including it.
  std::vector<std::size_t> lengths_;
  std::vector<std::uint64_t> counts_up_to_;
};

}  // namespace drover::ycsb
