// Snapshots for tests, as a run of two workers would make them.
#pragma once

#include <chrono>

#include "load/snapshot.h"
#include "workload/tpcc/terminals/plan.h"

namespace drover::ui {

inline tpcc::Plan example_plan() {
  tpcc::Plan plan;
  plan.warehouses = 20;
  plan.warmup = std::chrono::seconds(10);
  plan.duration = std::chrono::minutes(5);
  plan.pace = 100;
  plan.threads = 2;
  plan.connections = 16;
  return plan;
}

// The `second`-th second of that run: 100 New-Orders of 20 ms in each, and others.
inline load::Snapshot example_snapshot(int second, double new_order_ms = 20) {
  load::Snapshot snapshot;
  snapshot.second.elapsed = std::chrono::seconds(second);
  snapshot.second.length = std::chrono::seconds(1);
  const bool warmup = second <= 10;
  snapshot.second.phase = warmup ? load::Phase::warmup : load::Phase::measure;
  snapshot.second.committed = {100, 95, 9, 9, 9};
  snapshot.second.p50_ms = 12;
  snapshot.second.p90_ms = new_order_ms;
  snapshot.second.p99_ms = 31;
  snapshot.second.in_flight = 5;
  snapshot.second.waiting = 2;
  snapshot.second.busiest_worker_load = 0.34;
  load::PhaseSnapshot& phase = warmup ? snapshot.warmup : snapshot.measured;
  const auto seconds = static_cast<std::uint64_t>(warmup ? second : second - 10);
  for (std::size_t i = 0; i < snapshot.second.committed.size(); ++i) {
    phase[i].committed = snapshot.second.committed[i] * seconds;
    const double ms = i == 0 ? new_order_ms : 5;
    for (std::uint64_t k = 0; k < phase[i].committed; ++k) {
      phase[i].latency.record(static_cast<std::uint64_t>(ms * 1e6));
    }
  }
  snapshot.second_latency = phase[0].latency;
  snapshot.workers.resize(2);
  snapshot.workers[0] = {.load = 0.12, .in_flight = 2, .waiting = 0, .timer_lag = {}};
  snapshot.workers[1] = {.load = 0.34, .in_flight = 3, .waiting = 2, .timer_lag = {}};
  snapshot.workers[1].timer_lag.record(2'000'000);
  snapshot.connections_open = 16;
  snapshot.process.cpu_seconds = 0.25 * second;
  snapshot.process.rss_bytes = 34u << 20;
  return snapshot;
}

}  // namespace drover::ui
