#include "database/ydb/value/bulk_rows.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace drover::database::ydb {

namespace {

// Further keys of fields (BulkRows::value_bool).
constexpr uint8_t typed_value_type = 1 * 8 + 2;
constexpr uint8_t typed_value_value = 2 * 8 + 2;
constexpr uint8_t value_text = 9 * 8 + 2;
constexpr uint8_t value_null_flag = 10 * 8 + 0;
constexpr uint8_t value_items = 12 * 8 + 2;
constexpr uint8_t value_low_128 = 15 * 8 + 1;
constexpr uint8_t value_high_128_first = 0x81;  // 16 * 8 + 1 takes two bytes
constexpr uint8_t value_high_128_second = 0x01;

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

size_t write_varint(uint64_t value, char* out) {
  size_t size = 0;
  for (; value >= 0x80; value >>= 7) out[size++] = static_cast<char>(value | 0x80);
  out[size++] = static_cast<char>(value);
  return size;
}

size_t varint_size(size_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

void append_varint(std::string& out, uint64_t value) {
  std::array<char, 10> bytes;
  out.append(bytes.data(), write_varint(value, bytes.data()));
}

}  // namespace

BulkRows::BulkRows(std::span<const Column> columns, std::size_t row_bytes_max)
    : columns_(columns), row_(row_bytes_max, '\0') {}

void BulkRows::put_length(size_t length) {
  row_size_ += write_varint(length, row_.data() + row_size_);
}

void BulkRows::put_bytes(const void* bytes, size_t size) {
  std::memcpy(row_.data() + row_size_, bytes, size);
  row_size_ += size;
}

// `value_bytes` is the size of the Ydb.Value that follows.
void BulkRows::begin_field([[maybe_unused]] Primitive primitive, size_t value_bytes) {
  assert(column_ < columns_.size() && "a row has more fields than the table has columns");
  assert(columns_[column_].type.primitive == primitive && "a field is of another type");
  assert(row_size_ + value_bytes + 6 <= row_.size() && "a row is too long");
  ++column_;
  put_byte(value_items);
  put_length(value_bytes);
}

void BulkRows::put(std::string_view value) {
  begin_field(Primitive::utf8, 1 + varint_size(value.size()) + value.size());
  put_byte(value_text);
  put_length(value.size());
  put_bytes(value.data(), value.size());
}

void BulkRows::put(Decimal value) {
  begin_field(Primitive::decimal, 19);
  put_byte(value_low_128);
  const auto low = static_cast<uint64_t>(value.digits);
  const auto high = static_cast<uint64_t>(value.digits >> 64);
  put_bytes(&low, sizeof(low));
  put_byte(value_high_128_first);
  put_byte(value_high_128_second);
  put_bytes(&high, sizeof(high));
}

void BulkRows::put_null() {
  assert(columns_[column_].type.optional && "NULL for a column that has none");
  put_number(columns_[column_].type.primitive, value_null_flag, uint8_t{0});
}

void BulkRows::end_row() {
  assert(column_ == columns_.size() && "a row has fewer fields than the table has columns");
  items_.push_back(static_cast<char>(value_items));
  append_varint(items_, row_size_);
  items_.append(row_.data(), row_size_);
  row_size_ = 0;
  column_ = 0;
  ++rows_;
}

std::string BulkRows::encoded() const {
  const std::string type = RowType(columns_).encoded_list_type();
  std::string whole;
  whole.reserve(type.size() + items_.size() + 16);
  whole.push_back(static_cast<char>(typed_value_type));
  append_varint(whole, type.size());
  whole += type;
  whole.push_back(static_cast<char>(typed_value_value));
  append_varint(whole, items_.size());
  whole += items_;
  return whole;
}

}  // namespace drover::database::ydb
