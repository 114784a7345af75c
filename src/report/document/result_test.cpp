#include "report/document/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result measured(std::uint64_t new_orders, double seconds, std::uint64_t warehouses, double pace) {
  Result result;
  result.transactions = tpcc_transactions();
  result.transactions[0].ok_count = new_orders;
  result.plan.warehouses = warehouses;
  result.plan.pace = pace;
  result.summary.time_seconds = seconds;
  complete_summary(result);
  return result;
}

TEST(Result, TpmcIsCommittedNewOrdersAMinute) {
  const Result result = measured(1'286, 600, 10, 1);
  EXPECT_DOUBLE_EQ(result.summary.tpmc, 128.6);
  EXPECT_DOUBLE_EQ(result.summary.efficiency, 100.0);
  EXPECT_EQ(result.summary.new_orders, 1'286u);
  EXPECT_EQ(result.summary.warehouses, 10u);
}

measure::HistogramSnapshot samples(std::uint64_t count, std::uint64_t ns) {
  measure::HistogramSnapshot histogram;
  for (std::uint64_t i = 0; i < count; ++i) histogram.record(ns);
  return histogram;
}

TEST(Result, APercentileIsALowerBoundWhereMoreTimeWouldRaiseIt) {
  // 1,000 of 10 ms, and 20 that have waited for 5 s.
  measure::HistogramSnapshot latency = samples(1'000, 10'000'000);
  const measure::HistogramSnapshot unanswered = samples(20, 5'000'000'000);
  latency.merge(unanswered);
  EXPECT_FALSE(is_lower_bound(latency, unanswered, 50));
  EXPECT_FALSE(is_lower_bound(latency, unanswered, 98));
  EXPECT_NEAR(static_cast<double>(latency.percentile_ns(99)), 5e9, 5e7);
  EXPECT_TRUE(is_lower_bound(latency, unanswered, 99));
  EXPECT_TRUE(is_lower_bound(latency, unanswered, 100));
  EXPECT_FALSE(is_lower_bound(latency, {}, 100));
  // Those that are younger than what was answered may become as old, and nothing says more.
  measure::HistogramSnapshot young = samples(1'000, 10'000'000);
  const measure::HistogramSnapshot one = samples(1, 1'000'000);
  young.merge(one);
  EXPECT_FALSE(is_lower_bound(young, one, 99.9));
  EXPECT_FALSE(is_lower_bound(young, one, 100));
}

TEST(Result, LatenciesOfThePendingAreCounted) {
  Result result = example_result();
  EXPECT_THAT(count_errors(result), testing::IsEmpty());
  EXPECT_EQ(result.transactions[4].answered_latency().count(), 13u);
  EXPECT_EQ(all_transactions(result).pending.count, 3u);
  ++result.transactions[4].pending.answered;
  EXPECT_THAT(count_errors(result), ElementsAre(HasSubstr("the number of latencies is 14")));
  result = example_result();
  result.transactions[4].pending.count = 1;
  EXPECT_THAT(count_errors(result), ElementsAre(HasSubstr("pending transactions have a latency")));
}

TEST(Result, EfficiencyIsNotClipped) {
  EXPECT_NEAR(measured(1'400, 600, 10, 1).summary.efficiency, 108.86, 0.01);
}

TEST(Result, PaceRaisesWhatIsPossible) {
  const Result result = measured(1'286, 600, 10, 4);
  EXPECT_DOUBLE_EQ(result.summary.tpmc, 128.6);
  EXPECT_DOUBLE_EQ(result.summary.efficiency, 25.0);
}

TEST(Result, SamplingErrorFallsWithTheRootOfTheCount) {
  const double few = measured(386, 180, 10, 1).summary.efficiency_sampling_error;
  const double many = measured(38'600, 18'000, 10, 1).summary.efficiency_sampling_error;
  EXPECT_NEAR(few / many, 10.0, 1e-9);
  // Below that of a Poisson process, which would be 1.96 * 100 / sqrt(386) = 10 points.
  EXPECT_NEAR(few, 6.1, 0.1);
}

// New-Orders of one terminal in the interval, with the mix that 12.86 tpmC a warehouse suppose.
std::uint64_t simulate_terminal(std::mt19937_64& random, double interval_s) {
  std::discrete_distribution<std::size_t> mix({45, 43, 4, 4, 4});
  const double keying_s[] = {18, 3, 2, 2, 2};
  const double think_s[] = {12, 12, 10, 5, 5};
  // Some cycles first: the terminals forget that they started together.
  double time_s = -500;
  std::uint64_t new_orders = 0;
  for (;;) {
    const std::size_t type = mix(random);
    time_s += keying_s[type];
    if (time_s >= interval_s) return new_orders;
    if (type == 0 && time_s >= 0) ++new_orders;
    time_s += std::exponential_distribution<double>(1 / think_s[type])(random);
  }
}

TEST(Result, SamplingErrorIsThatOfSimulatedTerminals) {
  std::mt19937_64 random(1);
  constexpr int terminals = 4'000;
  constexpr double interval_s = 1'800;
  double sum = 0;
  double sum_of_squares = 0;
  for (int i = 0; i < terminals; ++i) {
    const auto count = static_cast<double>(simulate_terminal(random, interval_s));
    sum += count;
    sum_of_squares += count * count;
  }
  const double mean = sum / terminals;
  const double variance = sum_of_squares / terminals - mean * mean;
  // All of them together are a run of 400 warehouses with this standard error:
  const Result result = measured(static_cast<std::uint64_t>(sum), interval_s, terminals / 10, 1);
  const double expected = 1.96 * result.summary.efficiency * std::sqrt(variance * terminals) / sum;
  EXPECT_NEAR(result.summary.efficiency_sampling_error, expected, 0.06 * expected);
  EXPECT_NEAR(result.summary.efficiency, 100, 0.5);
}

TEST(Result, NothingMeasuredIsZeroAndNotInfinite) {
  for (const Result& result : {measured(10, 0, 1, 1), measured(0, 60, 1, 1), measured(10, 60, 0, 1),
                               measured(10, 60, 1, 0)}) {
    EXPECT_EQ(result.summary.efficiency, 0.0);
    EXPECT_EQ(result.summary.efficiency_sampling_error, 0.0);
    EXPECT_EQ(result.cpu_us_per_transaction(), 0.0);
  }
  EXPECT_EQ(measured(10, 0, 1, 1).summary.tpmc, 0.0);
  Result empty;
  complete_summary(empty);
  EXPECT_EQ(empty.client.busiest_worker_load(), 0.0);
  EXPECT_EQ(empty.find_transaction("NewOrder"), nullptr);
}

TEST(Result, NoSamplingErrorWithoutDelays) {
  Result result = measured(1'000'000, 60, 10, 1);
  result.plan.no_delays = true;
  complete_summary(result);
  EXPECT_FALSE(result.efficiency_is_meaningful());
  EXPECT_EQ(result.summary.efficiency_sampling_error, 0.0);
}

TEST(Result, CountsOfTheExampleAddUp) {
  const Result result = example_result();
  EXPECT_THAT(count_errors(result), ElementsAre());
  EXPECT_EQ(result.all_count(), 138u);
  EXPECT_DOUBLE_EQ(result.cpu_us_per_transaction(), 1.25e6 / 138);
  EXPECT_DOUBLE_EQ(result.client.busiest_worker_load(), 0.25);
  EXPECT_EQ(all_transactions(result).wait.count(), 132u);
  EXPECT_EQ(all_transactions(result).latency.count(), 134u);
}

TEST(Result, EachCountThatIsWrongIsNamed) {
  Result result = example_result();
  result.transactions[0].attempts = 126;
  EXPECT_THAT(count_errors(result), ElementsAre("NewOrder: attempts is 126, expected 130"));

  result = example_result();
  result.transactions[4].latency.record(1);
  EXPECT_THAT(count_errors(result), ElementsAre(HasSubstr("StockLevel: the number of latencies")));

  result = example_result();
  result.transactions[0].errors_by_class["statement"] = 2;
  EXPECT_THAT(count_errors(result), ElementsAre(HasSubstr("errors by class is 9, expected 8")));

  result = example_result();
  result.transactions[0].errors_by_sqlstate["XX000"] = 5;
  EXPECT_THAT(count_errors(result), ElementsAre(HasSubstr("SQLSTATE (9) than by class (8)")));

  result = example_result();
  result.transactions[0].ambiguous.committed = 3;
  EXPECT_THAT(count_errors(result),
              ElementsAre("NewOrder: more ambiguous commits (5) than failed transactions (4)"));

  result = example_result();
  result.summary.new_orders = 119;
  EXPECT_THAT(count_errors(result), ElementsAre("summary: new_orders is 119, expected 120"));
}

TEST(Result, LatencyLimits) {
  const Result result = example_result();
  EXPECT_EQ(result.transactions[0].holds_latency_limit(), true);
  EXPECT_EQ(result.transactions[1].holds_latency_limit(), std::nullopt);  // nothing measured
  EXPECT_EQ(result.transactions[4].holds_latency_limit(), false);         // 30 s, 20 allowed
  TransactionResult unlimited = result.transactions[4];
  unlimited.latency_limit_s.reset();
  EXPECT_EQ(unlimited.holds_latency_limit(), std::nullopt);
}

}  // namespace
}  // namespace drover::report
