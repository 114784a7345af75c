#include "benchmark/tpcc/tpcc_benchmark.h"

#include <gtest/gtest.h>

#include "run/usage_error.h"

namespace drover::benchmark {
namespace {

// What is shown meanwhile and what the result says in the end are held against the same.
TEST(Presentation, HasTheTransactionsAndLimitsOfTheResult) {
  const tpcc::Plan plan;
  const auto transactions = report::tpcc_transactions();
  const std::vector<load::TransactionType>& types = plan.presentation.types;
  ASSERT_EQ(types.size(), transactions.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(types[i].name, transactions[i].name);
    EXPECT_EQ(types[i].latency_limit_s, transactions[i].latency_limit_s) << types[i].name;
  }
}

// They are in the first warehouses, whichever host has these.
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
    EXPECT_STREQ(
        error.what(),
        "--terminals 48: at most 20 in 2 warehouses, one for each district; ask for fewer, "
        "or for more --warehouses");
  }
}

}  // namespace
}  // namespace drover::benchmark
