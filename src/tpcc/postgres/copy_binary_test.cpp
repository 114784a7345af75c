#include "tpcc/postgres/copy_binary.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace drover::tpcc::postgres {
namespace {

using namespace std::string_literals;

std::string written(const std::function<void(CopyBinaryWriter&)>& write) {
  CopyBuffer buffer;
  {
    CopyBinaryWriter writer(buffer);
    writer.begin_row(0, 200);
    write(writer);
  }
  return std::string(buffer.view().substr(2));
}

std::string numeric_bytes(int64_t unscaled, int scale) {
  return written([=](CopyBinaryWriter& writer) { writer.numeric(unscaled, scale); });
}

TEST(CopyBinary, HeaderAndTrailer) {
  CopyBuffer buffer;
  CopyBinaryWriter(buffer).header();
  CopyBinaryWriter(buffer).trailer();
  EXPECT_EQ(buffer.view(), "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\xff\xff"s);
}

TEST(CopyBinary, IntegersAreBigEndianWithTheirLength) {
  EXPECT_EQ(written([](auto& writer) { writer.int2(-2); }), "\0\0\0\2\xff\xfe"s);
  EXPECT_EQ(written([](auto& writer) { writer.int4(0x01020304); }), "\0\0\0\4\1\2\3\4"s);
  EXPECT_EQ(written([](auto& writer) { writer.int4(-1); }), "\0\0\0\4\xff\xff\xff\xff"s);
  EXPECT_EQ(written([](auto& writer) { writer.int8(258); }), "\0\0\0\x08\0\0\0\0\0\0\1\2"s);
}

TEST(CopyBinary, TextsAndNull) {
  EXPECT_EQ(written([](auto& writer) { writer.text("OE"); }), "\0\0\0\2OE"s);
  EXPECT_EQ(written([](auto& writer) { writer.text(""); }), "\0\0\0\0"s);
  EXPECT_EQ(written([](auto& writer) { writer.text(std::array<char, 3>{'a', 'b', 'c'}); }),
            "\0\0\0\3abc"s);
  EXPECT_EQ(written([](auto& writer) { writer.null(); }), "\xff\xff\xff\xff"s);
}

// Fields: digits, weight, sign, decimals, then the digits of base 10,000.
TEST(CopyBinary, NumericsAreDigitsOfBaseTenThousand) {
  EXPECT_EQ(numeric_bytes(0, 2), "\0\0\0\x08\0\0\0\0\0\0\0\2"s);
  // 10.00: the digit 10
  EXPECT_EQ(numeric_bytes(10'00, 2), "\0\0\0\x0a\0\1\0\0\0\0\0\2\0\x0a"s);
  EXPECT_EQ(numeric_bytes(-10'00, 2), "\0\0\0\x0a\0\1\0\0\x40\0\0\2\0\x0a"s);
  // 0.01: the digit 100 of weight -1
  EXPECT_EQ(numeric_bytes(1, 2), "\0\0\0\x0a\0\1\xff\xff\0\0\0\2\0\x64"s);
  // 300000.00: the digit 30 of weight 1; the zeros behind it are not stored
  EXPECT_EQ(numeric_bytes(300'000'00, 2), "\0\0\0\x0a\0\1\0\1\0\0\0\2\0\x1e"s);
  // 12345.6789: the digits 1, 2345, 6789
  EXPECT_EQ(numeric_bytes(123'456'789, 4), "\0\0\0\x0e\0\3\0\1\0\0\0\4\0\1\x09\x29\x1a\x85"s);
}

TEST(CopyBinary, ConstantFieldsAreTheSameBytes) {
  const auto field_bytes = [](const CopyField& field) {
    return written([&](CopyBinaryWriter& writer) { writer.field(field); });
  };
  EXPECT_EQ(field_bytes(make_numeric_field(-10'00, 2)), numeric_bytes(-10'00, 2));
  EXPECT_EQ(field_bytes(make_numeric_field(numeric_unscaled_max, 2)),
            numeric_bytes(numeric_unscaled_max, 2));
  EXPECT_EQ(field_bytes(make_null_field()), "\xff\xff\xff\xff"s);
  EXPECT_EQ(field_bytes(make_timestamp_field(258)), "\0\0\0\x08\0\0\0\0\0\0\1\2"s);
}

TEST(CopyBuffer, KeepsItsContentAsItGrowsAndItsMemoryWhenCleared) {
  CopyBuffer buffer(1);
  for (int row = 0; row < 10'000; ++row) {
    CopyBinaryWriter writer(buffer);
    writer.begin_row(1, 8);
    writer.int4(row);
  }
  EXPECT_EQ(buffer.size(), 100'000);
  EXPECT_EQ(buffer.view().substr(99'990), "\0\1\0\0\0\4\0\0\x27\x0f"s);
  const size_t capacity = buffer.capacity();
  buffer.clear();
  EXPECT_EQ(buffer.size(), 0);
  EXPECT_EQ(buffer.capacity(), capacity);
  CopyBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.capacity(), capacity);
}

}  // namespace
}  // namespace drover::tpcc::postgres
