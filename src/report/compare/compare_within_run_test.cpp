#include "report/compare/compare_within_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "report/compare/compare.h"
#include "report/compare/compare_shift.h"
#include "support/compared_run.h"

namespace drover::report {
namespace {

constexpr std::size_t grid = 100;
constexpr std::uint64_t transactions_a_point = 27;

// The middles of a hundred equal parts of a log-normal distribution around 5 ms.
const std::array<double, grid>& latencies_ms() {
  static const std::array<double, grid> values = [] {
    std::array<double, grid> all{};
    for (std::size_t i = 0; i < grid; ++i) {
      const double share = (static_cast<double>(i) + 0.5) / grid;
      const double side = share < 0.5 ? -1 : 1;
      const double z = student_quantile(share < 0.5 ? share : 1 - share, 1e9);
      all[i] = 5 * std::exp(0.5 * side * z);
    }
    return all;
  }();
  return values;
}

// As if each sample had been so many.
measure::HistogramSnapshot multiplied(const measure::HistogramSnapshot& histogram,
                                      std::uint64_t times) {
  measure::SparseHistogram sparse = histogram.to_sparse();
  for (auto& [index, count] : sparse.buckets) count *= times;
  sparse.sum_ns *= times;
  return measure::HistogramSnapshot::from_sparse(sparse).value();
}

// 2,700 New-Orders a second for 120 s, of which those of a second have a deviation in common:
// seconds are independent of each other, transactions are not.
Result run_with_common_seconds(std::mt19937_64& random, double deviation) {
  std::normal_distribution<double> normal(0, deviation);
  ComparedRun figures;
  figures.start_ts += static_cast<std::int64_t>(random() % 1'000'000);
  Result result = compared_result(figures);
  TransactionResult& new_order = result.transactions[0];
  new_order.latency = {};
  for (int second = 1; second <= 120; ++second) {
    const double factor = std::exp(normal(random)) * 1e6;
    for (const double ms : latencies_ms()) {
      new_order.latency.record(static_cast<std::uint64_t>(ms * factor));
    }
    TimePoint point;
    point.t = second;
    point.phase = "measure";
    point.ok = {grid * transactions_a_point, 0, 0, 0, 0};
    point.p50_ms = latencies_ms()[49] * factor * 1e-6;
    point.p90_ms = latencies_ms()[89] * factor * 1e-6;
    point.p99_ms = latencies_ms()[98] * factor * 1e-6;
    result.time_series.push_back(point);
  }
  new_order.latency = multiplied(new_order.latency, transactions_a_point);
  new_order.ok_count = new_order.latency.count();
  result.summary.time_seconds = 120;
  complete_summary(result);
  return result;
}

struct Tally {
  int alarms = 0;
  double half_intervals = 0;
  double squares = 0;  // of the changes found, of which the true one is 0
};

// Two runs of the same build, of which one is compared with the other.
std::map<std::string, Tally> tallies_of_equal_runs(int rounds, double deviation) {
  std::mt19937_64 random(11);
  CompareOptions options;
  options.metrics = parse_metrics("all.p50,all.p90,all.p99,all.mean,new_order.p50");
  std::map<std::string, Tally> tallies;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Result> base{run_with_common_seconds(random, deviation)};
    const std::vector<Result> same{run_with_common_seconds(random, deviation)};
    for (const MetricDifference& one : compare(base, same, options).differences) {
      EXPECT_EQ(one.method, Method::within_run) << one.metric.name();
      Tally& tally = tallies[one.metric.name()];
      tally.alarms += one.is_significant(0.95) ? 1 : 0;
      tally.half_intervals += (one.high - one.low) / 2;
      tally.squares += *one.change * *one.change;
    }
  }
  return tallies;
}

TEST(CompareWithinRunTest, EqualRunsOfManyTransactionsRarelyDiffer) {
  constexpr int rounds = 200;
  for (const double deviation : {0.05, 0.2}) {
    for (const auto& [name, tally] : tallies_of_equal_runs(rounds, deviation)) {
      // 5% are meant.
      EXPECT_LE(tally.alarms, rounds * 0.08) << name << " at " << deviation;
      // As wide as it has to be, and not much more.
      const double needed = 1.96 * std::sqrt(tally.squares / rounds);
      EXPECT_LE(tally.half_intervals / rounds, 1.5 * needed) << name << " at " << deviation;
    }
  }
}

TEST(CompareWithinRunTest, AMeanKnowsWhatSecondsHaveInCommon) {
  std::mt19937_64 random(3);
  const Result result = run_with_common_seconds(random, 0.2);
  const WithinRun mean = error_within_run(Metric::parse("all.mean"), result);
  ASSERT_TRUE(mean.error);
  // 120 independent seconds; the transactions alone would leave 0.1%.
  EXPECT_NEAR(mean.error->above, 0.2 / std::sqrt(120), 0.006);
  EXPECT_EQ(mean.error->above, mean.error->below);
}

TEST(CompareWithinRunTest, AFewRareTransactionsAreLessSureThanTheSecondsOfAll) {
  std::mt19937_64 random(5);
  Result result = run_with_common_seconds(random, 0.05);
  TransactionResult& stock_level = result.transactions[4];
  for (int i = 0; i < 150; ++i) {
    stock_level.latency.record(static_cast<std::uint64_t>(1e6 * (1 + i)));
  }
  stock_level.ok_count = 150;
  const auto error = [&](const char* name) {
    return error_within_run(Metric::parse(name), result);
  };
  // Order statistics of 150 values: a share of 0.5 is known to 0.041, which is 6 of 75.
  EXPECT_NEAR(error("stock_level.p50").error->above, 0.08, 0.02);
  EXPECT_LT(error("all.p50").error->above, 0.01);
  EXPECT_EQ(error("stock_level.p99").reason, "too few transactions");
}

}  // namespace
}  // namespace drover::report
