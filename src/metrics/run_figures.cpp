#include "metrics/run_figures.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace drover::metrics {
namespace {

double seconds(coro::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

TransactionFigures figures_of(const load::TransactionSnapshot& snapshot) {
  return {.committed = snapshot.committed,
          .user_aborted = snapshot.user_aborted,
          .failed = snapshot.failed,
          .retries = snapshot.retries,
          .errors = snapshot.errors,
          .duration = CumulativeCounts::of(snapshot.latency, duration_bounds_s)};
}

RunFigures::Phase figures_of(const load::PhaseSnapshot& snapshot) {
  RunFigures::Phase phase;
  std::transform(snapshot.begin(), snapshot.end(), phase.begin(),
                 [](const load::TransactionSnapshot& one) { return figures_of(one); });
  return phase;
}

void add(const load::TransactionMetrics& metrics, load::TransactionSnapshot& total) {
  total.committed += metrics.committed.get();
  total.user_aborted += metrics.user_aborted.get();
  total.failed += metrics.failed.get();
  total.retries += metrics.retries.get();
  for (std::size_t i = 0; i < total.errors.size(); ++i) total.errors[i] += metrics.errors[i].get();
  metrics.latency.add_to(total.latency);
}

// Outages are listed when they are long enough, and the list may be read before that.
void raise(std::uint64_t& count, std::uint64_t to) {
  count = std::max(count, to);
}

void take_availability(const load::AvailabilityRecord& record, DatabaseFigures& figures) {
  raise(figures.outages, record.outages.size() + record.outages_dropped);
  raise(figures.stalls, record.stalls.size() + record.stalls_dropped);
  raise(figures.interruptions, record.interruptions);
  raise(figures.sessions_lost, record.sessions_lost);
  raise(figures.sessions_reopened, record.sessions_reopened);
}

}  // namespace

CumulativeCounts CumulativeCounts::of(const measure::HistogramSnapshot& histogram,
                                      std::span<const double> bounds_s) {
  std::vector<std::uint64_t> bounds_ns;
  bounds_ns.reserve(bounds_s.size());
  for (const double bound : bounds_s) {
    bounds_ns.push_back(static_cast<std::uint64_t>(std::llround(bound * 1e9)));
  }
  return {.up_to = histogram.counts_up_to(bounds_ns),
          .count = histogram.count(),
          .sum_s = static_cast<double>(histogram.sum_ns()) * 1e-9};
}

void CumulativeCounts::add(const CumulativeCounts& more) {
  for (std::size_t i = 0; i < up_to.size(); ++i) up_to[i] += more.up_to[i];
  count += more.count;
  sum_s += more.sum_s;
}

RunFigures::RunFigures(std::size_t workers_count)
    : warmup(figures_of(load::PhaseSnapshot{})), measured(warmup) {
  WorkerFigures idle;
  idle.timer_lag = CumulativeCounts::of({}, timer_lag_bounds_s);
  workers.assign(workers_count, idle);
}

void RunFigures::take(const load::Snapshot& snapshot) {
  state = snapshot.second.phase == load::Phase::warmup ? RunState::warmup : RunState::measure;
  warmup = figures_of(snapshot.warmup);
  measured = figures_of(snapshot.measured);
  const double length_s = seconds(snapshot.second.length);
  for (std::size_t i = 0; i < std::min(workers.size(), snapshot.workers.size()); ++i) {
    const load::WorkerSnapshot& worker = snapshot.workers[i];
    workers[i].cpu_s += std::max(worker.load, 0.0) * length_s;
    workers[i].in_flight = worker.in_flight;
    workers[i].waiting = worker.waiting;
    workers[i].timer_lag.add(CumulativeCounts::of(worker.timer_lag, timer_lag_bounds_s));
  }
  take_availability(snapshot.availability, database);
  database.away_s = seconds(snapshot.second.away);
  database.silent_s = seconds(snapshot.second.silent);
  database.connections_open = snapshot.connections_open;
}

void RunFigures::end(bool database_away) {
  state = RunState::ended;
  for (WorkerFigures& worker : workers) worker.in_flight = worker.waiting = 0;
  if (!database_away) database.away_s = 0;
  database.silent_s = 0;
}

void RunFigures::take(const load::Outcome& outcome) {
  load::PhaseSnapshot warmup_total;
  load::PhaseSnapshot measured_total;
  for (const auto& worker : outcome.workers) {
    for (std::size_t type = 0; type < tpcc::transaction_type_count; ++type) {
      add(worker->warmup[type], warmup_total[type]);
      add(worker->measured[type], measured_total[type]);
    }
  }
  warmup = figures_of(warmup_total);
  measured = figures_of(measured_total);
  take_availability(outcome.availability, database);
}

}  // namespace drover::metrics
