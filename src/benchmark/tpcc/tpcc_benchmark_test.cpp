#include "benchmark/tpcc/tpcc_benchmark.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "run/usage_error.h"

namespace drover::benchmark {
namespace {

// What is shown meanwhile and what the result says in the end are held against the same.
TEST(WorkloadInfo, HasTheTransactionsAndLimitsOfTheResult) {
  const tpcc::Plan plan;
  const auto transactions = report::tpcc_transactions();
  const std::vector<load::TransactionType>& types = plan.workload.types;
  ASSERT_EQ(types.size(), transactions.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(types[i].name, transactions[i].name);
    EXPECT_EQ(types[i].latency_limit_s, transactions[i].latency_limit_s) << types[i].name;
  }
}

// They are in the first warehouses, whichever host has these.
// The measured seconds are 10 to 30. The whole database was away from 20 to 22.
TEST(TpccResult, AWarehouseIsAwayWhileTheDatabaseAsAWholeIsUp) {
  using namespace std::chrono_literals;
  const coro::Instant start = coro::Instant{} + 100s;
  tpcc::Plan plan;
  plan.warehouses = 5;
  plan.threads = 2;
  tpcc::RunRecords records(plan);
  const auto be_away = [&](std::int32_t w_id, coro::Duration from, coro::Duration until) {
    tpcc::WarehouseAvailability& one =
        records.workers[static_cast<std::size_t>(w_id - 1) % 2].availability;
    for (int i = 0; i < 3; ++i) {
      one.failed(w_id, start + from, {database::ErrorClass::unavailable, "", ""});
    }
    one.committed(w_id, start + until);
  };
  records.workers[0].availability = {1, 2, 3};
  records.workers[1].availability = {2, 2, 2};
  be_away(4, 5s, 11s);           // 1 s of it is measured
  be_away(4, 19s, 25s);          // and 4 s of this in no outage of the whole
  be_away(3, 28s, 1h);           // 2 s
  be_away(1, 19950ms, 22010ms);  // less than 0.1 s
  be_away(1, 1s, 9s);
  be_away(2, 31s, 33s);
  report::Result result;
  result.plan.warehouses = 5;
  result.plan.warmup_s = 10;
  result.summary.time_seconds = 20;
  result.availability.outages = {{1, 2, 1, ""}, {20, 22, 1, ""}, {40, std::nullopt, 1, ""}};
  result.availability.unavailable_s = 2;
  add_availability(records, start, result);
  ASSERT_TRUE(result.warehouse_availability);
  EXPECT_EQ(result.warehouse_availability->away, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_DOUBLE_EQ(result.warehouse_availability->away_s, 1 + 4 + 2);
  // Each of the five was away for 2 of 20 s, and two of them for 7 s more.
  EXPECT_DOUBLE_EQ(result.warehouse_availability->available_percent, 83);
}

TEST(TpccTerminals, OfAShareAreThoseOfItsWarehouses) {
  TpccOptions options;
  options.plan.warehouses = 10;
  options.plan.no_delays = true;
  const load::Share first{0, 1, 2, 0, 2};
  const load::Share second{1, 1, 2, 1, 2};
  options.plan.terminals_most = 5;
  EXPECT_EQ(TpccBenchmark(options, nullptr).terminals_of(first), 5U);
  EXPECT_EQ(TpccBenchmark(options, nullptr).terminals_of(second), 0U);
  options.plan.terminals_most = 12;
  EXPECT_EQ(TpccBenchmark(options, nullptr).terminals_of(first), 7U);
  EXPECT_EQ(TpccBenchmark(options, nullptr).terminals_of(second), 5U);
}

TEST(TpccTerminals, MoreThanTheWarehousesHaveAreRefused) {
  TpccOptions options;
  options.plan.warehouses = 2;
  options.plan.no_delays = true;
  options.plan.terminals_most = 20;
  EXPECT_EQ(TpccBenchmark(options, nullptr).terminals_of({}), 20U);
  options.plan.terminals_most = 48;
  try {
    const TpccBenchmark benchmark(options, nullptr);
    ADD_FAILURE() << "48 terminals became 20";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "--terminals 48: expected at most 20, one for each district of 2 warehouses. Use "
                 "fewer terminals, or more --warehouses");
  }
}

}  // namespace
}  // namespace drover::benchmark
