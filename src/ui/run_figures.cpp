#include "ui/run_figures.h"

#include <algorithm>
#include <numeric>

#include "tpcc/mix.h"
#include "ui/number_text.h"

namespace drover::ui {
namespace {

constexpr std::size_t new_order = tpcc::index_of(tpcc::TransactionType::NewOrder);
constexpr std::size_t outages_shown = 5;

double milliseconds(const measure::HistogramSnapshot& histogram, double percent) {
  return static_cast<double>(histogram.percentile_ns(percent)) / 1e6;
}

void set_latencies(const measure::HistogramSnapshot& latencies, TransactionFigures& figures) {
  figures.p50_ms = milliseconds(latencies, 50);
  figures.p90_ms = milliseconds(latencies, 90);
  figures.p99_ms = milliseconds(latencies, 99);
}

void add_outages(const load::Snapshot& snapshot, coro::Instant now, RunFigures& figures) {
  const load::AvailabilityRecord& record = snapshot.availability;
  figures.outage_count = record.outages.size() + record.outages_dropped;
  for (auto outage = record.outages.rbegin();
       outage != record.outages.rend() && figures.outages.size() < outages_shown; ++outage) {
    const coro::Instant end = outage->end.value_or(now);
    figures.outages.push_back({.lasted = end - outage->start,
                               .ended_ago = now - end,
                               .over = outage->end.has_value(),
                               .error = outage->first_error});
  }
}

}  // namespace

RunFigures RunFiguresMaker::make(const load::Snapshot& snapshot, const RunHistory& history,
                                 coro::Instant now) {
  const load::Sample& second = snapshot.second;
  RunFigures figures;
  figures.elapsed = second.elapsed;
  figures.phase = second.phase;
  figures.p50_ms = second.p50_ms;
  figures.p90_ms = second.p90_ms;
  figures.connections_open = snapshot.connections_open;
  figures.connections = plan_.connections;
  figures.away = second.away;
  figures.silent = second.silent;
  figures.stall_count = snapshot.availability.stalls.size() + snapshot.availability.stalls_dropped;
  figures.memory_bytes = static_cast<double>(snapshot.process.rss_bytes);
  const double length = seconds_of(second.length);
  const double cpu_before = cpu_seconds_.value_or(snapshot.process.cpu_seconds);
  if (length > 0) figures.cores = (snapshot.process.cpu_seconds - cpu_before) / length;
  cpu_seconds_ = snapshot.process.cpu_seconds;
  add_throughput(snapshot, history, figures);
  add_transactions(snapshot, history, figures);
  add_workers(snapshot, figures);
  add_outages(snapshot, now, figures);
  return figures;
}

void RunFiguresMaker::add_throughput(const load::Snapshot& snapshot, const RunHistory& history,
                                     RunFigures& figures) const {
  const RunHistory::Rates rates = history.recent_rates();
  figures.tpmc_now = rates[new_order] * 60;
  figures.transactions_per_second = std::accumulate(rates.begin(), rates.end(), 0.0);
  double tpmc = figures.tpmc_now;
  const double measured = seconds_of(snapshot.second.elapsed - plan_.warmup);
  if (snapshot.second.phase == load::Phase::measure && measured > 0) {
    tpmc = static_cast<double>(snapshot.measured[new_order].committed) * 60 / measured;
    figures.tpmc_measured = tpmc;
  }
  const double most = tpcc::tpmc_per_warehouse_max(plan_.pace) * plan_.warehouses;
  // Without delays terminals are as fast as the database: nothing to be efficient against.
  if (!plan_.no_delays && most > 0 && tpmc > 0) figures.efficiency = tpmc / most * 100;
}

void RunFiguresMaker::add_transactions(const load::Snapshot& snapshot, const RunHistory& history,
                                       RunFigures& figures) const {
  const RunHistory::Rates rates = history.recent_rates();
  measure::HistogramSnapshot latencies;
  figures.all.name = "all";
  for (const tpcc::TransactionType type : tpcc::all_transaction_types) {
    const std::size_t i = tpcc::index_of(type);
    const load::TransactionSnapshot& counted = snapshot.phase()[i];
    TransactionFigures& one = figures.transactions[i];
    one.name = tpcc::transaction_name(type);
    one.per_second = rates[i];
    one.committed = counted.committed;
    one.retries = counted.retries;
    one.errors = counted.failed;
    one.limit_s = limits_[i];
    set_latencies(counted.latency, one);
    if (!counted.latency.empty()) one.holds = one.p90_ms <= one.limit_s * 1000;
    figures.all.per_second += one.per_second;
    figures.all.committed += one.committed;
    figures.all.retries += one.retries;
    figures.all.errors += one.errors;
    latencies.merge(counted.latency);
  }
  set_latencies(latencies, figures.all);
}

void RunFiguresMaker::add_workers(const load::Snapshot& snapshot, RunFigures& figures) const {
  for (std::size_t i = 0; i < snapshot.workers.size(); ++i) {
    const load::WorkerSnapshot& worker = snapshot.workers[i];
    figures.workers.push_back({.number = i + 1,
                               .load = worker.load,
                               .in_flight = worker.in_flight,
                               .waiting = worker.waiting,
                               .lag_p99_ms = milliseconds(worker.timer_lag, 99)});
    figures.lag_p99_ms = std::max(figures.lag_p99_ms, figures.workers.back().lag_p99_ms);
  }
  std::sort(figures.workers.begin(), figures.workers.end(), [](const auto& a, const auto& b) {
    return a.load != b.load ? a.load > b.load : a.number < b.number;
  });
  figures.in_flight = snapshot.second.in_flight;
  figures.waiting = snapshot.second.waiting;
  figures.busiest_load = snapshot.second.busiest_worker_load;
}

}  // namespace drover::ui
