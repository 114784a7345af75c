#include "workload/tpcc/postgres/database_on_postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "workload/tpcc/postgres/database_fixture_test.h"

namespace drover::tpcc::postgres {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NarrowColumns : public DatabaseFixture {
 protected:
  static std::vector<std::string> find(std::string schema, PlannedWork work) {
    return run(find_task(std::move(schema), work));
  }

 private:
  static coro::Task<std::vector<std::string>> find_task(std::string schema, PlannedWork work) {
    const auto connection = co_await database::postgres::Connection::open(server->conninfo());
    co_return co_await find_narrow_columns(*connection, std::move(schema), work);
  }
};

TEST_F(NarrowColumns, OursLastForAMonthWithoutDelays) {
  initialise_schema({.schema = "ours"});
  EXPECT_THAT(find("ours", {.seconds = 30 * 86'400.0, .pairs_a_second = 1'000, .is_bound = true}),
              IsEmpty());
}

TEST_F(NarrowColumns, OfAnotherToolAreFoundByWhatTheyHold) {
  initialise_schema({.schema = "others"});
  query(
      "ALTER TABLE others.warehouse ALTER w_ytd TYPE numeric(12,2); "
      "ALTER TABLE others.stock ALTER s_order_cnt TYPE smallint; "
      "ALTER TABLE others.district ALTER d_ytd TYPE float8; "
      "INSERT INTO others.warehouse VALUES (1, '', '', '', '', '', '', 0, 9999999000)");
  const PlannedWork minute{.seconds = 60, .pairs_a_second = 0.2};
  EXPECT_THAT(find("others", minute),
              ElementsAre(HasSubstr("the column others.warehouse.w_ytd has the type numeric(12,2), "
                                    "whose values must be below 10000000000, and the largest value "
                                    "in the table is 9999999000. This run may reach this limit")));
  query("UPDATE others.warehouse SET w_ytd = 300000");
  EXPECT_THAT(find("others", minute), IsEmpty());
  const PlannedWork months{.seconds = 90 * 86'400.0, .pairs_a_second = 1};
  EXPECT_THAT(find("others", months),
              ElementsAre(HasSubstr("warehouse.w_ytd"), HasSubstr("stock.s_order_cnt")));
}

const GrowingColumn& column(std::string_view name) {
  return *std::ranges::find(growing_columns(), name, &GrowingColumn::name);
}

constexpr double ten_digits = 1e10;

TEST(ColumnLimits, EachGrowingColumnIsOneOfItsTable) {
  for (const GrowingColumn& one : growing_columns()) {
    EXPECT_NE(std::ranges::find(column_names(one.table), one.name), column_names(one.table).end())
        << one.name;
    EXPECT_NE(std::ranges::find(column_names(one.largest_in), one.largest_of),
              column_names(one.largest_in).end())
        << one.name;
  }
}

// 10^10 / (2,500.50 x 1,000) = 3,999 s.
TEST(ColumnLimits, ASoakWithoutDelaysReachesTheEndOfTwelveDigits) {
  const GrowingColumn& w_ytd = column("w_ytd");
  const ColumnRoom fresh{.type = "numeric(12,2)", .limit = ten_digits, .largest = 300'000};
  const PlannedWork hour{.seconds = 3'600, .pairs_a_second = 1'000, .is_bound = true};
  EXPECT_FALSE(limit_note(w_ytd, fresh, hour, ""));
  const PlannedWork two_hours{.seconds = 7'200, .pairs_a_second = 1'000, .is_bound = true};
  EXPECT_EQ(
      limit_note(w_ytd, fresh, two_hours, "big").value_or(""),
      "warning: the column big.warehouse.w_ytd has the type numeric(12,2), whose values must be "
      "below 10000000000, and the largest value in the table is 300000. This run may reach this "
      "limit 67 min after its start, at 1000 Payments per second and warehouse, and transactions "
      "then fail with SQLSTATE 22003. Before the run, ALTER TABLE big.warehouse ALTER COLUMN w_ytd "
      "TYPE numeric(18,2), or load the data again (drover tpcc init --force, drover tpcc import)");
  const ColumnRoom wide{.type = "numeric(18,2)", .limit = 1e16, .largest = 300'000};
  const PlannedWork year{.seconds = 365 * 86'400.0, .pairs_a_second = 1'000, .is_bound = true};
  EXPECT_FALSE(limit_note(w_ytd, wide, year, ""));
}

TEST(ColumnLimits, WhatIsThereCounts) {
  const PlannedWork short_run{.seconds = 60, .pairs_a_second = 0.2};
  ColumnRoom room{.type = "numeric(12,2)", .limit = ten_digits, .largest = ten_digits - 1};
  EXPECT_TRUE(limit_note(column("w_ytd"), room, short_run, ""));
  room.largest = ten_digits / 2;
  EXPECT_FALSE(limit_note(column("w_ytd"), room, short_run, ""));
}

TEST(ColumnLimits, WhatIsWideAlreadyIsLoadedAnew) {
  const PlannedWork work{.seconds = 60, .pairs_a_second = 100};
  const ColumnRoom room{.type = "int", .limit = 2147483648.0, .largest = 2147483640.0};
  const std::string note = limit_note(column("d_next_o_id"), room, work, "").value_or("");
  EXPECT_NE(
      note.find(
          "Before the run, load the data again (drover tpcc init --force, drover tpcc import)"),
      std::string::npos)
      << note;
}

TEST(ColumnLimits, LargeTablesAreReadOnlyWhereTheRunAddsMuch) {
  const GrowingColumn& orders = column("s_order_cnt");
  const PlannedWork minute{.seconds = 60, .pairs_a_second = 1};
  EXPECT_TRUE(is_little(orders, 32'768, minute));
  const PlannedWork day{.seconds = 86'400, .pairs_a_second = 1};
  EXPECT_FALSE(is_little(orders, 32'768, day));
}

}  // namespace
}  // namespace drover::tpcc::postgres
