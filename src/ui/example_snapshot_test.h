// Snapshots for tests, as a run of two workers would make them.
#pragma once

#include <chrono>
#include <string>

#include "load/plan.h"
#include "load/snapshot.h"

namespace drover::ui {

// As TPC-C presents itself, with 20 warehouses a hundred times as fast.
inline load::WorkloadInfo example_workload_info() {
  load::WorkloadInfo info;
  info.benchmark = "TPC-C";
  info.key = "tpcc";
  info.size = {{"warehouse", 20}};
  info.types = {
      {"NewOrder", 5}, {"Payment", 5}, {"OrderStatus", 5}, {"Delivery", 5}, {"StockLevel", 20}};
  info.headline = {.name = "tpmC", .type = 0, .seconds = 60, .most = 25'210};
  return info;
}

inline load::Plan example_plan() {
  load::Plan plan;
  plan.workload = example_workload_info();
  plan.terminal_count = 200;
  plan.warmup = std::chrono::seconds(10);
  plan.duration = std::chrono::minutes(5);
  plan.threads = 2;
  plan.connections = 16;
  return plan;
}

// A workload of somebody else's, with names as long as they get, and no limits.
inline load::Plan example_scripts(std::size_t types) {
  load::Plan plan = example_plan();
  plan.workload = {.benchmark = "scripts", .key = "scripts", .size = {}, .types = {}};
  for (std::size_t i = 0; i < types; ++i) {
    plan.workload.types.push_back({"move_money_between_accounts_" + std::to_string(i + 10)});
  }
  return plan;
}

// The `second`-th second of that run: 100 New-Orders of 20 ms in each, and others.
inline load::Snapshot example_snapshot(int second, double new_order_ms = 20) {
  load::Snapshot snapshot;
  snapshot.second.elapsed = std::chrono::seconds(second);
  snapshot.second.length = std::chrono::seconds(1);
  const bool warmup = second <= 10;
  snapshot.second.phase = warmup ? load::Phase::warmup : load::Phase::measure;
  snapshot.second.ok = {100, 95, 9, 9, 9};
  snapshot.second.p50_ms = 12;
  snapshot.second.p90_ms = new_order_ms;
  snapshot.second.p99_ms = 31;
  snapshot.second.in_flight = 5;
  snapshot.second.waiting = 2;
  snapshot.second.client_load = 0.34;
  load::PhaseTotals& phase = warmup ? snapshot.warmup : snapshot.measured;
  const auto seconds = static_cast<std::uint64_t>(warmup ? second : second - 10);
  for (std::size_t i = 0; i < snapshot.second.ok.size(); ++i) {
    phase[i].ok_count = snapshot.second.ok[i] * seconds;
    const double ms = i == 0 ? new_order_ms : 5;
    for (std::uint64_t k = 0; k < phase[i].ok_count; ++k) {
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

// The same second with 10 transactions of each of so many types, all of 5 ms.
inline load::Snapshot example_snapshot_of(int second, std::size_t types) {
  load::Snapshot snapshot = example_snapshot(second);
  snapshot.second.ok.assign(types, 0);
  snapshot.second.p90_ms = 5;
  const bool warmup = snapshot.second.phase == load::Phase::warmup;
  load::PhaseTotals& phase = warmup ? snapshot.warmup : snapshot.measured;
  phase = load::PhaseTotals(types);
  const auto seconds = static_cast<std::uint64_t>(warmup ? second : second - 10);
  for (std::size_t i = 0; i < types; ++i) {
    snapshot.second.ok[i] = 10;
    phase[i].ok_count = 10 * seconds;
    for (std::uint64_t k = 0; k < phase[i].ok_count; ++k) phase[i].latency.record(5'000'000);
  }
  return snapshot;
}

}  // namespace drover::ui
