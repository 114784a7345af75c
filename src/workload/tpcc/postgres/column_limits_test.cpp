#include "workload/tpcc/postgres/column_limits.h"

#include <gmock/gmock.h>

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
  EXPECT_THAT(
      find("others", minute),
      ElementsAre(HasSubstr(
          "the column others.warehouse.w_ytd has the type numeric(12,2), whose values must be "
          "below "
          "10000000000, and its largest value is 9999999000. This run may reach this limit")));
  query("UPDATE others.warehouse SET w_ytd = 300000");
  EXPECT_THAT(find("others", minute), IsEmpty());
  const PlannedWork months{.seconds = 90 * 86'400.0, .pairs_a_second = 1};
  EXPECT_THAT(find("others", months),
              ElementsAre(HasSubstr("warehouse.w_ytd"), HasSubstr("stock.s_order_cnt")));
}

}  // namespace
}  // namespace drover::tpcc::postgres
