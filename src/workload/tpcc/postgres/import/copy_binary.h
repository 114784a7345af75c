// PostgreSQL's binary COPY format (documented with the COPY command), written into memory that
// grows and is kept when the buffer is cleared.
//
// Thread safety: a buffer belongs to one thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "workload/tpcc/import/population_rows.h"

namespace drover::tpcc::postgres {

class CopyBuffer {
 public:
  static constexpr bool history_is_numbered = false;
  static constexpr size_t row_bytes_max = 2048;

  explicit CopyBuffer(size_t capacity = 0) : memory_(capacity) {}

  const char* data() const { return memory_.data(); }
  size_t size() const { return size_; }
  std::string_view view() const { return {data(), size_}; }
  void clear() { size_ = 0; }

  // Writes the bytes before and after the rows of a COPY.
  void header() {
    constexpr std::array signature = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', '\xff', '\r', '\n', '\0'};
    Cursor cursor{room()};
    cursor.bytes(signature.data(), signature.size());
    cursor.big_endian<uint32_t>(0);  // flags
    cursor.big_endian<uint32_t>(0);  // the length of the header's extension
    set_end(cursor);
  }
  void trailer() {
    Cursor cursor{room()};
    cursor.big_endian<uint16_t>(0xffff);
    set_end(cursor);
  }

  // Writes a row of at most row_bytes_max bytes. The fields are those of PopulationRows.
  template <class... Fields>
  void row(const Fields&... fields) {
    Cursor count{room()};
    Cursor cursor{count.place + 2};
    (cursor.put(fields), ...);
    count.big_endian<uint16_t>(cursor.fields);
    set_end(cursor);
  }

 private:
  // The position of the next byte. As a local variable of row() it stays in registers.
  struct Cursor {
    char* place;
    uint16_t fields = 0;  // written so far

    template <class Unsigned>
    void big_endian(Unsigned value) {
      Unsigned swapped = value;
      if constexpr (std::endian::native == std::endian::little) {
        if constexpr (sizeof(Unsigned) == 2) swapped = __builtin_bswap16(value);
        if constexpr (sizeof(Unsigned) == 4) swapped = __builtin_bswap32(value);
        if constexpr (sizeof(Unsigned) == 8) swapped = __builtin_bswap64(value);
      }
      bytes(reinterpret_cast<const char*>(&swapped), sizeof(swapped));
    }
    void bytes(const char* from, size_t size) {
      std::memcpy(place, from, size);
      place += size;
    }

    // A field is its length in four bytes and its value.
    void put(int32_t value) {
      big_endian<uint64_t>(uint64_t{4} << 32 | static_cast<uint32_t>(value));
      ++fields;
    }
    void put(int64_t value) {
      big_endian<uint32_t>(8);
      big_endian<uint64_t>(static_cast<uint64_t>(value));
      ++fields;
    }
    void put(std::string_view text) {
      big_endian<uint32_t>(static_cast<uint32_t>(text.size()));
      bytes(text.data(), text.size());
      ++fields;
    }
    // A text whose size is a compile-time constant.
    template <size_t size>
    void put(const std::array<char, size>& text) {
      put(std::string_view(text.data(), size));
    }
    template <size_t size, size_t count>
    void put(const std::array<std::array<char, size>, count>& texts) {
      for (const auto& text : texts) put(text);
    }
    void put(const Address& address) {
      put(address.street_1);
      put(address.street_2);
      put(address.city);
      put(address.state);
      put(address.zip);
    }
    void put(Timestamp time) {
      // 1970-01-01 to 2000-01-01: 30 years, 7 of them leap years.
      constexpr int64_t epoch_us = (30 * 365 + 7) * int64_t{86'400} * 1'000'000;
      put(time.us - epoch_us);
    }
    template <class Field>
    void put(const std::optional<Field>& field) {
      if (field) return put(*field);
      big_endian<uint32_t>(0xffffffff);
      ++fields;
    }
    void put(Cents money) { put_numeric(money.count, 2); }
    void put(TenThousandths rate) { put_numeric(rate.count, 4); }

    // A numeric is a sequence of digits of base 10,000 with the decimal point between two of them.
    // Two or four decimals fill one digit.
    void put_numeric(int64_t unscaled, uint16_t decimals) {
      const uint64_t magnitude = static_cast<uint64_t>(unscaled < 0 ? -unscaled : unscaled);
      assert(magnitude <= 99'999'999'999'999);
      uint64_t rest = decimals == 2 ? magnitude * 100 : magnitude;
      std::array<uint16_t, 5> digits{};  // the lowest first
      uint16_t count = 0;
      uint16_t zeros_behind = 0;  // zeros at the end are not stored
      for (; rest != 0; rest /= 10'000) {
        const uint16_t digit = static_cast<uint16_t>(rest % 10'000);
        if (digit == 0 && zeros_behind == count) ++zeros_behind;
        digits[count++] = digit;
      }
      const uint16_t stored = static_cast<uint16_t>(count - zeros_behind);
      // The weight of the lowest digit is -1.
      const uint16_t weight = count == 0 ? 0 : static_cast<uint16_t>(count - 2);
      big_endian<uint32_t>(8 + 2 * static_cast<uint32_t>(stored));
      big_endian<uint16_t>(stored);
      big_endian<uint16_t>(weight);
      big_endian<uint16_t>(unscaled < 0 ? 0x4000 : 0);
      big_endian<uint16_t>(decimals);
      for (uint16_t digit = count; digit > zeros_behind; --digit)
        big_endian<uint16_t>(digits[digit - 1]);
      ++fields;
    }
  };

  // Returns the end of the content, with room for a row after it.
  char* room() {
    if (memory_.size() - size_ < row_bytes_max)
      memory_.resize(std::max(memory_.size() * 2, size_ + row_bytes_max));
    return memory_.data() + size_;
  }
  void set_end(const Cursor& cursor) {
    size_ = static_cast<size_t>(cursor.place - memory_.data());
    assert(size_ <= memory_.size());
  }

  std::vector<char> memory_;  // the first size_ bytes are content
  size_t size_ = 0;
};

// The population of one table of one warehouse as rows of COPY, in pieces.
//
// The bytes depend only on the table, the warehouse and the seed, and not on the size of the
// pieces. Several parts may follow one another in one COPY: the stream's header and trailer are
// written separately.
class TableCopy {
 public:
  // Table::Item ignores `w_id` and is loaded once.
  TableCopy(Table table, int32_t w_id, const PopulationSeed& seed)
      : rows_(table, w_id, seed),
        size_(PopulationRows::size(table)),
        per_district_(table == Table::Order ? size_ / districts_per_warehouse : 1) {}

  // Skips the rows before this index. The orders of a district must be made from its first one on:
  // skipped orders are written to `unused`.
  void skip_to(int32_t index, CopyBuffer& unused) {
    for (next_ = index - index % per_district_; next_ < index; ++next_) rows_.write(unused, next_);
    unused.clear();
  }
  int32_t next() const { return next_; }

  // Appends rows until at least `target_bytes` were added or the part is complete. Adds at most
  // target_bytes and the lines of an order (about 2 KB). Returns whether rows remain.
  bool fill(CopyBuffer& out, size_t target_bytes) {
    const size_t size_wanted = out.size() + target_bytes;
    while (next_ < size_ && out.size() < size_wanted) rows_written_ += rows_.write(out, next_++);
    return next_ < size_;
  }

  // Appends at most so many rows, keeping the lines of an order together. Returns whether rows
  // remain.
  bool fill_rows(CopyBuffer& out, int64_t rows_most) {
    const int64_t end = rows_written_ + rows_most - order_lines_max;
    while (next_ < size_ && rows_written_ <= end) rows_written_ += rows_.write(out, next_++);
    return next_ < size_;
  }

  int64_t rows_written() const { return rows_written_; }

 private:
  PopulationRows rows_;
  int32_t next_ = 0;  // index of rows_
  int32_t size_;
  int32_t per_district_;  // 1: rows do not depend on earlier rows
  int64_t rows_written_ = 0;
};

}  // namespace drover::tpcc::postgres
