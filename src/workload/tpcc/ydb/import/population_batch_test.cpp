// The bytes of rows are those that protobuf writes for the same values.
#include "workload/tpcc/ydb/import/import.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "database/ydb/value/value.h"
#include "types.pb.h"

namespace drover::tpcc::ydb {
namespace {

using database::ydb::Cell;
using database::ydb::Decimal;
using database::ydb::null;
using database::ydb::Primitive;
using database::ydb::RowType;

Ydb::TypedValue parsed(const BulkRows& rows) {
  Ydb::TypedValue value;
  EXPECT_TRUE(value.ParseFromString(rows.encoded()));
  return value;
}

constexpr database::ydb::ScalarType integer = Primitive::int32;
constexpr std::array<Column, 8> all_kinds = {{{"flag", Primitive::boolean},
                                              {"small", Primitive::int32},
                                              {"maybe", integer.nullable()},
                                              {"large", Primitive::int64},
                                              {"natural", Primitive::uint64},
                                              {"at", Primitive::timestamp},
                                              {"money", money_type},
                                              {"text", Primitive::utf8}}};

const RowType& type_of_all_kinds() {
  static const RowType type = {{"flag", Primitive::boolean},   {"small", Primitive::int32},
                               {"maybe", integer.nullable()},  {"large", Primitive::int64},
                               {"natural", Primitive::uint64}, {"at", Primitive::timestamp},
                               {"money", money_type},          {"text", Primitive::utf8}};
  return type;
}

TEST(BulkRows, AreWhatProtobufWrites) {
  const std::string long_text(500, 'x');
  PopulationBulkRows rows(all_kinds);
  rows.add(true, -7, std::optional<std::int32_t>(), std::int64_t{-8'000'000'000},
           std::uint64_t{18'000'000'000'000'000'000ULL}, Timestamp{1'704'164'645'678'901},
           money_of_cents(-10'00), long_text)
      .end_row();
  rows.add(false, 0, 42, std::int64_t{0}, std::uint64_t{0}, Timestamp{0},
           money_of_cents(5'000'000'00), "")
      .end_row();
  EXPECT_EQ(rows.rows(), 2);

  Ydb::TypedValue expected;
  database::ydb::Rows oracle(type_of_all_kinds(), expected);
  oracle.add({true, -7, null, -8'000'000'000, 18'000'000'000'000'000'000ULL,
              std::int64_t{1'704'164'645'678'901}, Decimal{-10'000'000'000}, long_text});
  oracle.add({false, 0, 42, 0, 0U, 0, Decimal{5'000'000'000'000'000}, ""});
  EXPECT_EQ(parsed(rows).SerializeAsString(), expected.SerializeAsString());
}

TEST(BulkRows, WithoutARowAreAnEmptyListOfTheType) {
  const BulkRows rows(columns(Table::NewOrder));
  const Ydb::TypedValue value = parsed(rows);
  EXPECT_EQ(value.value().items_size(), 0);
  const auto& members = value.type().list_type().item().struct_type().members();
  ASSERT_EQ(members.size(), 3);
  EXPECT_EQ(members[2].name(), "no_o_id");
}

TEST(PopulationRows, HaveTheCardinalitiesOfTheSpecification) {
  const PopulationSeed seed{4711, 1'704'164'645'678'901};
  for (const Table table : all_tables) {
    std::int64_t rows = 0;
    for (std::int32_t batch = 0; batch < batch_count(table); ++batch) {
      rows += make_batch(table, 3, batch, seed).rows();
    }
    if (table == Table::OrderLine) {
      EXPECT_NEAR(static_cast<double>(rows), 300'000.0, 3'000.0);
    } else {
      EXPECT_EQ(rows, rows_at_load(table, 1)) << table_name(table);
    }
  }
}

TEST(PopulationRows, GiveHistoryAKeyOfItsOwn) {
  const PopulationSeed seed{4711, 1'704'164'645'678'901};
  const Ydb::TypedValue first = parsed(make_batch(Table::History, 3, 0, seed));
  const Ydb::TypedValue last = parsed(make_batch(Table::History, 3, 9, seed));
  EXPECT_EQ(first.value().items(0).items(1).int64_value(), 1'704'164'645'678'901'000);
  EXPECT_EQ(last.value().items(2999).items(1).int64_value(), 1'704'164'645'678'901'000 + 29'999);
}

}  // namespace
}  // namespace drover::tpcc::ydb
