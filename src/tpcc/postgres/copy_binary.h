// PostgreSQL's binary COPY format (documented with the COPY command), written straight into a
// buffer of bytes.
//
// CopyBuffer is the memory: it grows, and keeps what it has when cleared. CopyBinaryWriter writes
// rows into it; it checks the room once for each row and not for each field, so that begin_row
// must be told the most that the row can take.
//
// Thread safety: a buffer and its writer belong to one thread.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace drover::tpcc::postgres {

class CopyBuffer {
 public:
  CopyBuffer() = default;
  explicit CopyBuffer(size_t capacity) { room_for(capacity); }
  CopyBuffer(const CopyBuffer&) = delete;
  CopyBuffer& operator=(const CopyBuffer&) = delete;
  CopyBuffer(CopyBuffer&& other) noexcept;
  CopyBuffer& operator=(CopyBuffer&& other) noexcept;
  ~CopyBuffer();

  [[nodiscard]] const char* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t capacity() const { return capacity_; }
  [[nodiscard]] std::string_view view() const { return {data_, size_}; }
  void clear() { size_ = 0; }

  // The end of the content, with room for `bytes` behind it. Throws std::bad_alloc.
  char* room_for(size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return data_ + size_;
  }
  // What was written from room_for()'s result up to `end` becomes content.
  void set_end(const char* end) {
    assert(end >= data_ && end <= data_ + capacity_);
    size_ = static_cast<size_t>(end - data_);
  }

 private:
  void grow(size_t bytes);

  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// A length and its value, made once for a field that is the same in every row.
struct CopyField {
  // The largest is a numeric of five digits of base 10,000.
  std::array<char, 24> bytes{};
  uint32_t size = 0;
};

class CopyBinaryWriter {
 public:
  explicit CopyBinaryWriter(CopyBuffer& buffer) : buffer_(buffer), cursor_(buffer.room_for(0)) {}
  CopyBinaryWriter(const CopyBinaryWriter&) = delete;
  CopyBinaryWriter& operator=(const CopyBinaryWriter&) = delete;
  ~CopyBinaryWriter() { flush(); }

  // Makes what was written part of the buffer's content. The destructor does so, too.
  void flush() {
    if (cursor_ != nullptr) buffer_.set_end(cursor_);
  }

  void header() {
    static constexpr char signature[11] = {'P',  'G',    'C',  'O',  'P', 'Y',
                                           '\n', '\xff', '\r', '\n', '\0'};
    reserve(sizeof(signature) + 8);
    append(signature, sizeof(signature));
    big_endian<uint32_t>(0);  // flags
    big_endian<uint32_t>(0);  // the length of the header's extension
  }
  void trailer() {
    reserve(2);
    big_endian<uint16_t>(0xffff);
  }

  // Starts a row. `row_bytes_max` is the most that its fields take, each with its length of four
  // bytes (see the *_field_size functions).
  void begin_row(int16_t fields, size_t row_bytes_max) {
    reserve(row_bytes_max + 2);
    big_endian<uint16_t>(static_cast<uint16_t>(fields));
  }

  void null() { big_endian<uint32_t>(0xffffffff); }
  void int2(int16_t value) {
    big_endian<uint32_t>(2);
    big_endian<uint16_t>(static_cast<uint16_t>(value));
  }
  void int4(int32_t value) {
    big_endian<uint64_t>(uint64_t{4} << 32 | static_cast<uint32_t>(value));
  }
  void int8(int64_t value) {
    big_endian<uint32_t>(8);
    big_endian<uint64_t>(static_cast<uint64_t>(value));
  }
  // timestamp without time zone; microseconds since 2000-01-01 00:00.
  void timestamp(int64_t us_since_2000) { int8(us_since_2000); }
  void text(std::string_view value) {
    big_endian<uint32_t>(static_cast<uint32_t>(value.size()));
    append(value.data(), value.size());
  }
  // A text whose size is a constant of the compiler's.
  template <size_t size>
  void text(const std::array<char, size>& value) {
    big_endian<uint32_t>(size);
    append(value.data(), size);
  }
  // unscaled / 10^scale as a numeric with `scale` decimals. Requires scale in [0..4] and an
  // absolute value of unscaled up to numeric_unscaled_max.
  void numeric(int64_t unscaled, int scale);
  void field(const CopyField& field) {
    assert(field.size <= field.bytes.size());
    // The whole array, as a copy of constant size is a few moves; the cursor takes what counts.
    std::memcpy(cursor_, field.bytes.data(), field.bytes.size());
    cursor_ += field.size;
  }

 private:
  void reserve(size_t bytes) {
    // A field() may touch bytes behind its end.
    constexpr size_t slack = sizeof(CopyField::bytes);
    flush();
    cursor_ = buffer_.room_for(bytes + slack);
  }
  void append(const char* bytes, size_t size) {
    std::memcpy(cursor_, bytes, size);
    cursor_ += size;
  }
  template <typename Unsigned>
  void big_endian(Unsigned value) {
    Unsigned swapped = value;
    if constexpr (std::endian::native == std::endian::little) {
      if constexpr (sizeof(Unsigned) == 2) swapped = __builtin_bswap16(value);
      if constexpr (sizeof(Unsigned) == 4) swapped = __builtin_bswap32(value);
      if constexpr (sizeof(Unsigned) == 8) swapped = __builtin_bswap64(value);
    }
    std::memcpy(cursor_, &swapped, sizeof(swapped));
    cursor_ += sizeof(swapped);
  }

  CopyBuffer& buffer_;
  char* cursor_;  // where the next byte goes; null while the buffer has no memory
};

inline constexpr int64_t numeric_unscaled_max = 99'999'999'999'999;

constexpr size_t int_field_size = 8;
constexpr size_t int8_field_size = 12;
constexpr size_t timestamp_field_size = 12;
constexpr size_t numeric_field_size_max = 24;
constexpr size_t text_field_size(size_t size) {
  return 4 + size;
}

CopyField make_numeric_field(int64_t unscaled, int scale);
CopyField make_timestamp_field(int64_t us_since_2000);
CopyField make_null_field();

inline void CopyBinaryWriter::numeric(int64_t unscaled, int scale) {
  assert(scale >= 0 && scale <= 4);
  assert(unscaled >= -numeric_unscaled_max && unscaled <= numeric_unscaled_max);
  // A numeric is a row of digits of base 10,000 with the decimal point between two of them: the
  // decimals are made four, and fill one digit.
  constexpr std::array<uint64_t, 5> four_decimals = {10'000, 1'000, 100, 10, 1};
  const uint64_t magnitude = static_cast<uint64_t>(unscaled < 0 ? -unscaled : unscaled);
  uint64_t rest = magnitude * four_decimals[static_cast<size_t>(scale)];
  std::array<uint16_t, 5> digits{};  // the lowest first
  uint16_t count = 0;
  uint16_t zeros_behind = 0;  // zeros at the end are not stored
  while (rest != 0) {
    const uint16_t digit = static_cast<uint16_t>(rest % 10'000);
    rest /= 10'000;
    if (digit == 0 && zeros_behind == count) ++zeros_behind;
    digits[count++] = digit;
  }
  const uint16_t stored = static_cast<uint16_t>(count - zeros_behind);
  // The weight is that of the first digit; the lowest is worth 10,000 to the power of -1.
  const uint16_t weight = count == 0 ? 0 : static_cast<uint16_t>(count - 2);
  big_endian<uint32_t>(8 + 2 * static_cast<uint32_t>(stored));
  big_endian<uint16_t>(stored);
  big_endian<uint16_t>(weight);
  big_endian<uint16_t>(unscaled < 0 ? 0x4000 : 0);
  big_endian<uint16_t>(static_cast<uint16_t>(scale));
  for (uint16_t digit = count; digit > zeros_behind; --digit)
    big_endian<uint16_t>(digits[digit - 1]);
}

}  // namespace drover::tpcc::postgres
