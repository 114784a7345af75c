#include "tpcc/ydb/bulk_rows.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "types.pb.h"

namespace drover::tpcc::ydb {
namespace {

using database::ydb::Primitive;

// Keys of fields on the wire: number times 8, plus how the value is written (0 varint, 1 eight
// bytes, 2 length and bytes, 5 four bytes). protobuf.dev/programming-guides/encoding
constexpr uint8_t typed_value_type = 1 * 8 + 2;
constexpr uint8_t typed_value_value = 2 * 8 + 2;
constexpr uint8_t value_bool = 1 * 8 + 0;
constexpr uint8_t value_int32 = 2 * 8 + 5;
constexpr uint8_t value_int64 = 4 * 8 + 1;
constexpr uint8_t value_uint64 = 5 * 8 + 1;
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

BulkRows::BulkRows(std::span<const Column> columns) : columns_(columns) {}

void BulkRows::put_byte(uint8_t byte) {
  row_[row_size_++] = static_cast<char>(byte);
}

void BulkRows::put_length(size_t length) {
  row_size_ += write_varint(length, row_.data() + row_size_);
}

void BulkRows::put_fixed32(uint32_t value) {
  std::memcpy(row_.data() + row_size_, &value, sizeof(value));
  row_size_ += sizeof(value);
}

void BulkRows::put_fixed64(uint64_t value) {
  std::memcpy(row_.data() + row_size_, &value, sizeof(value));
  row_size_ += sizeof(value);
}

// `value_bytes`: of the Ydb.Value that follows.
void BulkRows::begin_field([[maybe_unused]] Primitive primitive, size_t value_bytes) {
  assert(column_ < columns_.size() && "a row has more fields than the table has columns");
  assert(columns_[column_].type.primitive == primitive && "a field is of another type");
  assert(row_size_ + value_bytes + 6 <= row_bytes_max && "a row is too long");
  ++column_;
  put_byte(value_items);
  put_length(value_bytes);
}

void BulkRows::boolean(bool value) {
  begin_field(Primitive::boolean, 2);
  put_byte(value_bool);
  put_byte(value ? 1 : 0);
}

void BulkRows::int32(int32_t value) {
  begin_field(Primitive::int32, 5);
  put_byte(value_int32);
  put_fixed32(static_cast<uint32_t>(value));
}

void BulkRows::int64(int64_t value) {
  begin_field(Primitive::int64, 9);
  put_byte(value_int64);
  put_fixed64(static_cast<uint64_t>(value));
}

void BulkRows::uint64(uint64_t value) {
  begin_field(Primitive::uint64, 9);
  put_byte(value_uint64);
  put_fixed64(value);
}

void BulkRows::timestamp(int64_t microseconds) {
  begin_field(Primitive::timestamp, 9);
  put_byte(value_uint64);
  put_fixed64(static_cast<uint64_t>(microseconds));
}

void BulkRows::text(std::string_view value) {
  begin_field(Primitive::utf8, 1 + varint_size(value.size()) + value.size());
  put_byte(value_text);
  put_length(value.size());
  std::memcpy(row_.data() + row_size_, value.data(), value.size());
  row_size_ += value.size();
}

void BulkRows::decimal(database::ydb::Decimal value) {
  begin_field(Primitive::decimal, 19);
  put_byte(value_low_128);
  put_fixed64(static_cast<uint64_t>(value.digits));
  put_byte(value_high_128_first);
  put_byte(value_high_128_second);
  put_fixed64(static_cast<uint64_t>(value.digits >> 64));
}

void BulkRows::null() {
  assert(columns_[column_].type.optional && "NULL for a column that has none");
  begin_field(columns_[column_].type.primitive, 2);
  put_byte(value_null_flag);
  put_byte(0);
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
  Ydb::Type list;
  Ydb::StructType& row = *list.mutable_list_type()->mutable_item()->mutable_struct_type();
  for (const Column& column : columns_) {
    Ydb::StructMember& member = *row.add_members();
    member.set_name(std::string(column.name));
    database::ydb::write_type(column.type, *member.mutable_type());
  }
  const std::string type = list.SerializeAsString();
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

}  // namespace drover::tpcc::ydb
