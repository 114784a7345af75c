#include "workload/tpcc/check/check_work.h"

#include <gtest/gtest.h>

#include <map>

namespace drover::tpcc {
namespace {

using std::chrono::seconds;

TEST(CheckPlan, GivesEachConditionEachWarehouseOnce) {
  const std::vector<Condition> conditions = {{.span = Span::range},
                                             {.span = Span::wide_range},
                                             {.span = Span::once},
                                             {.span = Span::range}};
  for (const std::int32_t warehouses : {1, 2, 3, 10, 99, 15'000}) {
    for (const std::size_t connections : {1U, 2U, 16U, 5'000U}) {
      std::map<std::size_t, std::int32_t> next;
      for (const auto& [condition, first, last] : plan_check(conditions, warehouses, connections)) {
        EXPECT_EQ(first, next[condition] + 1);
        EXPECT_GE(last, first);
        next[condition] = last;
      }
      for (std::size_t i = 0; i < conditions.size(); ++i) EXPECT_EQ(next[i], warehouses);
    }
  }
}

// What the memory of the server depends on.
TEST(CheckPlan, KeepsRangesNarrowAtAThousandWarehouses) {
  const std::vector<Condition> conditions = {{.span = Span::range}, {.span = Span::wide_range}};
  for (const CheckPiece& piece : plan_check(conditions, 1'000, 2))
    EXPECT_LE(piece.warehouses(), piece.condition == 0 ? 4 : 63);
}

TEST(TimeLeft, GoesByWhatEachConditionCostBefore) {
  const std::vector<CheckPiece> pieces = {{0, 1, 10}, {1, 1, 5}, {1, 6, 10}, {2, 1, 10}};
  TimeLeft left(pieces, 3, 2);
  EXPECT_EQ(left.estimate(), std::nullopt);
  left.piece_done(pieces[0], seconds(20));
  // 2 s a warehouse: so are the 20 left, of conditions that are not known, for two sessions.
  EXPECT_EQ(left.estimate(), seconds(20));
  left.piece_done(pieces[1], seconds(20));
  // 4 s a warehouse for 5 of condition 1, and 3 s, the mean of both, for 10 of condition 2.
  EXPECT_EQ(left.estimate(), seconds(25));
  left.piece_done(pieces[2], seconds(20));
  left.piece_done(pieces[3], seconds(1));
  EXPECT_EQ(left.estimate(), seconds(0));
}

}  // namespace
}  // namespace drover::tpcc
