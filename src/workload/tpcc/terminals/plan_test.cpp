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

// All hosts together have what one has, and each says of its workers what it says of its
// warehouses.
TEST(Plan, SharesLeaveNoTerminalOut) {
  for (const std::int32_t warehouses : {4, 7, 16}) {
    for (std::size_t most = 0; most <= static_cast<std::size_t>(warehouses) * 10 + 1; ++most) {
      for (const std::uint64_t hosts : {1U, 3U, 4U}) {
        std::size_t terminals = 0;
        std::int32_t last = 0;
        for (std::uint64_t rank = 0; rank < hosts; ++rank) {
          Plan plan;
          plan.warehouses = warehouses;
          plan.terminals_most = most;
          plan.share = {rank, 1, hosts, rank, hosts};
          plan.threads = 2;
          ASSERT_EQ(plan.first_warehouse(), last + 1);
          last = plan.last_warehouse();
          std::size_t own = 0;
          for (auto w = plan.first_warehouse(); w <= last; ++w) {
            own += static_cast<std::size_t>(plan.terminals_of(w));
          }
          ASSERT_EQ(plan.own_terminals(), own);
          ASSERT_EQ(plan.terminals_of_worker(0) + plan.terminals_of_worker(1), own);
          terminals += own;
          plan.complete();
          ASSERT_EQ(plan.terminal_count, own);
        }
        ASSERT_EQ(last, warehouses);
        Plan whole;
        whole.warehouses = warehouses;
        whole.terminals_most = most;
        ASSERT_EQ(terminals, whole.terminals());
      }
    }
  }
}

TEST(Plan, SaysHowItsRunIsShown) {
  Plan plan;
  EXPECT_EQ(plan.workload.types.size(), transaction_type_count);
  plan.warehouses = 20;
  plan.terminals_most = 150;
  plan.complete();
  EXPECT_EQ(plan.terminal_count, 150U);
  const load::WorkloadInfo& shown = plan.workload;
  ASSERT_EQ(shown.size.size(), 1U);
  EXPECT_EQ(shown.size[0].noun, "warehouse");
  EXPECT_EQ(shown.size[0].count, 20U);
  EXPECT_EQ(shown.types.at(4).name, "StockLevel");
  EXPECT_EQ(shown.headline.type, index_of(TransactionType::NewOrder));
  EXPECT_NEAR(shown.headline.most, 20 * 12.605, 0.1);
}

TEST(Plan, OfAShareIsShownByItsOwnWarehouses) {
  Plan plan;
  plan.warehouses = 20;
  plan.share = {5, 10, 20};
  plan.complete();
  EXPECT_EQ(plan.workload.size[0].count, 10U);
  EXPECT_NEAR(plan.workload.headline.most, 10 * 12.605, 0.1);
  EXPECT_EQ(plan.terminal_count, 100U);
}

// So that a warehouse asks for the same host of the database, whichever of ours has it.
TEST(Plan, ConnectionsOfAShareAreWhereItsWarehousesAreAtHome) {
  Plan plan;
  plan.warehouses = 9;
  plan.share = {4, 5, 9};
  plan.threads = 2;
  plan.connections = 8;
  plan.hosts = {"a:1", "b:2", "c:3"};
  plan.affinity = true;
  plan.complete();
  for (std::size_t index = 0; index < 2; ++index) {
    const database::SessionUpkeep upkeep = plan.upkeep_of_worker(index);
    const std::size_t first_home =
        static_cast<std::size_t>(plan.first_warehouse()) + index - 1;  // Transaction::home()
    EXPECT_EQ(upkeep.first_number, first_home);
    EXPECT_EQ(upkeep.number_step, plan.threads);
  }
}

TEST(Plan, WithoutDelaysThereIsNothingToBeEfficientAgainst) {
  Plan plan;
  plan.no_delays = true;
  plan.complete();
  EXPECT_EQ(plan.workload.headline.most, 0);
}

}  // namespace
}  // namespace drover::tpcc
