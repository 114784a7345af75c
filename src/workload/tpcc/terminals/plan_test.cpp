#include "workload/tpcc/terminals/plan.h"

#include <gtest/gtest.h>

namespace drover::tpcc {
namespace {

// What the workers are told without looking at a warehouse agrees with what each warehouse says.
TEST(Plan, TheTerminalsOfAWorkerAreThoseOfItsWarehouses) {
  for (const std::int32_t warehouses : {1, 2, 7, 16}) {
    for (std::size_t threads = 1; threads <= static_cast<std::size_t>(warehouses); ++threads) {
      for (std::size_t most = 0; most <= static_cast<std::size_t>(warehouses) * 10 + 1; ++most) {
        Plan plan;
        plan.warehouses = warehouses;
        plan.terminals_most = most;
        plan.threads = threads;
        std::size_t sum = 0;
        for (std::size_t index = 0; index < threads; ++index) {
          std::size_t of_worker = 0;
          std::size_t count = 0;
          for (auto w = static_cast<std::int32_t>(index) + 1; w <= warehouses;
               w += static_cast<std::int32_t>(threads)) {
            of_worker += static_cast<std::size_t>(plan.terminals_of(w));
            ++count;
          }
          ASSERT_EQ(plan.warehouses_of_worker(index), count);
          ASSERT_EQ(plan.terminals_of_worker(index), of_worker)
              << warehouses << " warehouses, " << threads << " threads, at most " << most;
          sum += of_worker;
        }
        ASSERT_EQ(sum, plan.terminals());
      }
    }
  }
}

TEST(Plan, SaysHowItsRunIsShown) {
  Plan plan;
  EXPECT_EQ(plan.presentation.types.size(), transaction_type_count);
  plan.warehouses = 20;
  plan.terminals_most = 150;
  plan.complete();
  EXPECT_EQ(plan.terminal_count, 150U);
  const load::Presentation& shown = plan.presentation;
  ASSERT_EQ(shown.size.size(), 1U);
  EXPECT_EQ(shown.size[0].noun, "warehouse");
  EXPECT_EQ(shown.size[0].count, 20U);
  EXPECT_EQ(shown.types.at(4).name, "StockLevel");
  EXPECT_EQ(shown.headline.type, index_of(TransactionType::NewOrder));
  EXPECT_NEAR(shown.headline.most, 20 * 12.605, 0.1);
}

TEST(Plan, WithoutDelaysThereIsNothingToBeEfficientAgainst) {
  Plan plan;
  plan.no_delays = true;
  plan.complete();
  EXPECT_EQ(plan.presentation.headline.most, 0);
}

}  // namespace
}  // namespace drover::tpcc
