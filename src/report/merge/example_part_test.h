// Parts of a run of TPC-C by four hosts, and the same run as one: for tests of what is merged.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "report/merge/merge.h"

namespace drover::report {

inline constexpr std::uint64_t example_ranks = 4;
inline constexpr std::uint64_t example_warehouses_each = 10;

// A run in which nothing has happened yet.
inline Result example_run() {
  Result run;
  run.tool = {"drover", "0.9.0", "abc1234", "clang 19.1.7"};
  run.plan.warehouses = example_ranks * example_warehouses_each;
  run.plan.duration_s = 3;
  run.plan.warmup_s = 1;
  run.plan.threads = 2;
  run.plan.connections = 8;
  run.plan.max_inflight = 8;
  run.plan.statements = "batched";
  run.plan.isolation = "read committed";
  run.environment.server = Server{"15.8", {{"fsync", "on"}}};
  run.summary.time_seconds = 3;
  run.summary.measure_start_ts = 1'763'670'001;
  run.transactions = tpcc_transactions();
  run.ledger_in_data.emplace();
  run.lost_commits.emplace();
  run.client.run_queue_known = true;
  for (int second = 1; second <= 4; ++second) {
    TimePoint& point = run.time_series.emplace_back();
    point.t = second;
    point.phase = second == 1 ? "warm-up" : "measure";
    point.ok.resize(run.transactions.size());
  }
  return run;
}

// A transaction of such a run, with a latency of its own in every histogram.
struct ExampleTransaction {
  std::size_t type;
  std::size_t second;
  std::uint64_t latency_ns;
};

inline void record(Result& run, const ExampleTransaction& drawn) {
  TransactionResult& one = run.transactions[drawn.type];
  TimePoint& point = run.time_series[drawn.second];
  ++point.ok[drawn.type];
  measure::HistogramSnapshot latency;
  latency.record(drawn.latency_ns);
  point.latency.merge(latency.to_sparse());
  if (drawn.second == 0) return;
  ++one.ok_count;
  ++one.attempts;
  one.latency.merge(latency);
  one.wait.record(drawn.latency_ns / 10);
  one.keying.record(drawn.latency_ns * 3);
  one.think.record(drawn.latency_ns * 2);
  run.client.timer_lag.record(drawn.latency_ns / 100);
  if (drawn.type == 0) {
    ++run.ledger.new_orders;
    ++run.ledger_in_data->new_orders;
    run.inputs.order_lines += 10;
    ++run.inputs.new_orders;
  }
  if (drawn.type == 1) ++run.ledger.payments;
}

// The percentiles of the seconds, as a host has them that is alone.
inline void finish_seconds(Result& run) {
  for (TimePoint& point : run.time_series) {
    const auto latency = measure::HistogramSnapshot::from_sparse(point.latency);
    if (!latency || latency->empty()) continue;
    point.p50_ms = static_cast<double>(latency->percentile_ns(50)) * 1e-6;
    point.p90_ms = static_cast<double>(latency->percentile_ns(90)) * 1e-6;
    point.p99_ms = static_cast<double>(latency->percentile_ns(99)) * 1e-6;
  }
}

inline Result example_part(std::uint64_t rank) {
  Result part = example_run();
  part.environment.client = {fmt::format("{}", static_cast<char>('a' + rank)), "Debian 12", 2,
                             "Xeon"};
  part.client.cpu_seconds = 0.1 + 0.3 * static_cast<double>(rank);
  part.client.peak_rss_bytes = (rank + 1) << 20;
  part.client.threads = 3;
  part.client.terminals = 100;
  part.client.connections = 8;
  part.client.workers = {{0.1, 0.01, 0.05}, {0.05 * static_cast<double>(rank + 1), 0.01, 0.02}};
  part.availability.run_start_ts = 1'763'670'000 + 0.001 * static_cast<double>(rank);
  RankResult& one = part.ranks.emplace_back();
  one.rank = rank;
  one.ranks = example_ranks;
  one.name = part.environment.client.hostname;
  one.run = "4f1c";
  one.warehouse_first = rank * example_warehouses_each + 1;
  one.warehouse_last = (rank + 1) * example_warehouses_each;
  one.start_ts = part.availability.run_start_ts;
  one.clock_at_start = ClockOffset{0, 0, 0.0005};
  complete_summary(part);
  return part;
}

// As if it had been started by other means than the rest.
inline Result example_part_by_hand(std::uint64_t rank) {
  Result part = example_part(rank);
  part.ranks.front().rank = 0;
  part.ranks.front().ranks = 1;
  part.ranks.front().run.clear();
  part.ranks.front().clock_at_start.reset();
  return part;
}

// The parts, each with transactions of its own, and a run that had all of them.
struct ExampleRun {
  std::vector<Result> parts;
  Result whole = example_run();

  explicit ExampleRun(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> latency_ms(2, 1.5);
    for (std::uint64_t rank = 0; rank < example_ranks; ++rank) {
      Result& part = parts.emplace_back(example_part(rank));
      for (std::uint64_t i = 0; i < 200 + 100 * rank; ++i) {
        const ExampleTransaction drawn{random() % 5, random() % 4,
                                       1 + static_cast<std::uint64_t>(latency_ms(random) * 1e6)};
        record(part, drawn);
        record(whole, drawn);
      }
      finish_seconds(part);
      complete_summary(part);
    }
    finish_seconds(whole);
    complete_summary(whole);
  }
};

inline Result merged(const std::vector<Result>& parts) {
  Merger merger;
  for (const Result& part : parts) merger.add(part, part.ranks.at(0).name + ".json");
  return merger.take();
}

}  // namespace drover::report
