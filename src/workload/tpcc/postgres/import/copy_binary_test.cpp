#include "workload/tpcc/postgres/import/copy_binary.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

namespace drover::tpcc::postgres {
namespace {

using namespace std::string_literals;

// The bytes of a row's fields.
template <class... Fields>
std::string written(const Fields&... fields) {
  CopyBuffer buffer;
  buffer.row(fields...);
  return std::string(buffer.view().substr(2));
}

TEST(CopyBinary, HeaderAndTrailer) {
  CopyBuffer buffer;
  buffer.header();
  buffer.trailer();
  EXPECT_EQ(buffer.view(), "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\xff\xff"s);
}

TEST(CopyBinary, IntegersAreBigEndianWithTheirLength) {
  EXPECT_EQ(written(0x01020304), "\0\0\0\4\1\2\3\4"s);
  EXPECT_EQ(written(-1), "\0\0\0\4\xff\xff\xff\xff"s);
  EXPECT_EQ(written(int64_t{258}), "\0\0\0\x08\0\0\0\0\0\0\1\2"s);
}

TEST(CopyBinary, TextsAndNull) {
  EXPECT_EQ(written("OE"), "\0\0\0\2OE"s);
  EXPECT_EQ(written(""), "\0\0\0\0"s);
  EXPECT_EQ(written(std::array<char, 3>{'a', 'b', 'c'}), "\0\0\0\3abc"s);
  EXPECT_EQ(written(std::optional<int32_t>()), "\xff\xff\xff\xff"s);
}

// Fields: digits, weight, sign, decimals, then the digits of base 10,000.
TEST(CopyBinary, NumericsAreDigitsOfBaseTenThousand) {
  EXPECT_EQ(written(Cents{0}), "\0\0\0\x08\0\0\0\0\0\0\0\2"s);
  // 10.00: the digit 10
  EXPECT_EQ(written(Cents{10'00}), "\0\0\0\x0a\0\1\0\0\0\0\0\2\0\x0a"s);
  EXPECT_EQ(written(Cents{-10'00}), "\0\0\0\x0a\0\1\0\0\x40\0\0\2\0\x0a"s);
  // 0.01: the digit 100 of weight -1
  EXPECT_EQ(written(Cents{1}), "\0\0\0\x0a\0\1\xff\xff\0\0\0\2\0\x64"s);
  // 300000.00: the digit 30 of weight 1; the zeros behind it are not stored
  EXPECT_EQ(written(Cents{300'000'00}), "\0\0\0\x0a\0\1\0\1\0\0\0\2\0\x1e"s);
  // 12345.6789: the digits 1, 2345, 6789
  EXPECT_EQ(written(TenThousandths{123'456'789}),
            "\0\0\0\x0e\0\3\0\1\0\0\0\4\0\1\x09\x29\x1a\x85"s);
}

TEST(CopyBinary, TimestampsCountFromTheYear2000) {
  EXPECT_EQ(written(Timestamp{946'684'800'000'258}), "\0\0\0\x08\0\0\0\0\0\0\1\2"s);
}

TEST(CopyBuffer, KeepsItsContentAsItGrowsAndItsMemoryWhenCleared) {
  CopyBuffer buffer(1);
  for (int row = 0; row < 10'000; ++row) {
    buffer.row(row);
  }
  EXPECT_EQ(buffer.size(), 100'000);
  EXPECT_EQ(buffer.view().substr(99'990), "\0\1\0\0\0\4\0\0\x27\x0f"s);
  const char* memory = buffer.data();
  buffer.clear();
  EXPECT_EQ(buffer.size(), 0);
  buffer.row(1);
  EXPECT_EQ(buffer.data(), memory);
}

}  // namespace
}  // namespace drover::tpcc::postgres
