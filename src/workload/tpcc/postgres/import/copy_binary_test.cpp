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

// From any index on the rows are those of the whole, also where one depends on those before it.
TEST(TableCopy, BeginsAnywhere) {
  constexpr PopulationSeed seed = {7, 1'704'164'645'678'901};
  for (const Table table : {Table::Customer, Table::Order, Table::OrderLine, Table::Stock}) {
    CopyBuffer whole;
    TableCopy from_first(table, 3, seed);
    while (from_first.fill(whole, 1 << 20)) {
    }
    for (const int32_t first : {1, 2'999, 3'000, 4'242, PopulationRows::size(table) - 1}) {
      CopyBuffer rest;
      TableCopy from_there(table, 3, seed);
      from_there.skip_to(first, rest);
      EXPECT_EQ(rest.size(), 0U);
      while (from_there.fill(rest, 1 << 20)) {
      }
      EXPECT_TRUE(whole.view().ends_with(rest.view())) << table_name(table) << " from " << first;
      EXPECT_GT(rest.size(), 0U);
    }
  }
}

TEST(TableCopy, FillsNoMoreThanSoManyRows) {
  constexpr PopulationSeed seed = {7, 1'704'164'645'678'901};
  constexpr std::int64_t most = 2'999;
  CopyBuffer pieces;
  TableCopy rows(Table::OrderLine, 1, seed);
  for (bool more = true; more;) {
    const std::int64_t before = rows.rows_written();
    more = rows.fill_rows(pieces, most);
    EXPECT_LE(rows.rows_written() - before, most);
    EXPECT_GT(rows.rows_written(), before);
  }
  CopyBuffer whole;
  TableCopy all(Table::OrderLine, 1, seed);
  while (all.fill(whole, 1 << 20)) {
  }
  EXPECT_EQ(pieces.view(), whole.view());
}

}  // namespace
}  // namespace drover::tpcc::postgres
