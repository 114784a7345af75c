#include "benchmark/tpcc/tpcc_benchmark.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace drover::benchmark
