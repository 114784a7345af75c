#include "load/run_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "load/sampler.h"

namespace drover::load {

using coro::Duration;
using coro::Instant;
using coro::Task;
using coro::Worker;

RunWatch::RunWatch(const Plan& plan, const Timetable& timetable, const RunWorkers& workers,
                   SharedRecords& shared, const Surroundings& surroundings, Observer& observer,
                   Outcome& outcome)
    : plan_(plan),
      timetable_(timetable),
      workers_(workers),
      shared_(shared),
      surroundings_(surroundings),
      observer_(observer),
      outcome_(outcome),
      first_(read_client()) {}

RunWatch::Reading RunWatch::read_client() const {
  Reading reading{.instant = Worker::current().now(),
                  .cpu_seconds = surroundings_.process_usage().cpu_seconds,
                  .cpu_times = {},
                  .run_queues = {}};
  for (const auto& worker : workers_.all) {
    reading.cpu_times.push_back(worker->worker().cpu_time());
    reading.run_queues.push_back(worker->run_queue_times());
  }
  return reading;
}

// What became of the worker `i` between two readings.
WorkerHealth RunWatch::health_between(const Reading& first, const Reading& last, std::size_t i) {
  WorkerHealth health;
  const auto elapsed = static_cast<double>((last.instant - first.instant).count());
  if (elapsed <= 0) return health;
  health.load = static_cast<double>((last.cpu_times[i] - first.cpu_times[i]).count()) / elapsed;
  if (!first.run_queues[i] || !last.run_queues[i]) return health;
  const Duration waited = last.run_queues[i]->waited - first.run_queues[i]->waited;
  const std::uint64_t turns = last.run_queues[i]->slices - first.run_queues[i]->slices;
  health.run_queue_share = static_cast<double>(waited.count()) / elapsed;
  if (turns > 0) health.wake_up_delay = waited / static_cast<std::int64_t>(turns);
  return health;
}

Task<void> RunWatch::run() {
  std::vector<SampledWorker> sampled;
  for (const auto& worker : workers_.all) {
    sampled.push_back({&worker->metrics(), &worker->worker()});
  }
  Sampler sampler(std::move(sampled));
  Instant last = timetable_.start;
  Instant last_read = last;
  while (last < timetable_.measure_end && !ended_) {
    const Instant next = next_sample(last);
    if (!co_await coro::slept_until(next)) break;
    const Instant now = Worker::current().now();
    const Phase phase = timetable_.phase_at(last);
    if (next == timetable_.measure_start) first_ = read_client();
    Snapshot snapshot = sampler.take(now - timetable_.start, now - last_read, phase);
    last_read = now;
    complete(snapshot, now);
    outcome_.samples.push_back(snapshot.second);
    observer_.on_snapshot(snapshot);
    last = next;
    // After a stall of this process, the seconds that it has missed are one.
    while (next_sample(last) <= now && next_sample(last) > last) {
      last = next_sample(last);
      if (last == timetable_.measure_start) first_ = read_client();
    }
  }
  finish();
}

void RunWatch::finish() {
  if (std::exchange(ended_, true)) return;
  const Reading end = read_client();
  ended_at_ = std::min(end.instant, timetable_.measure_end);
  if (ended_at_ <= timetable_.measure_start) return;
  outcome_.measured = ended_at_ - timetable_.measure_start;
  outcome_.client_cpu_seconds = end.cpu_seconds - first_.cpu_seconds;
  for (std::size_t i = 0; i < end.cpu_times.size(); ++i) {
    outcome_.health.push_back(health_between(first_, end, i));
    outcome_.run_queue_known = end.run_queues[i].has_value();
  }
}

// Every second of the run, and the edges of its phases.
Instant RunWatch::next_sample(Instant last) const {
  const Instant next = last + std::chrono::seconds(1);
  if (last < timetable_.measure_start) return std::min(next, timetable_.measure_start);
  return std::min(next, timetable_.measure_end);
}

// What the workers do not count.
void RunWatch::complete(Snapshot& snapshot, Instant now) const {
  constexpr std::size_t outages_shown = 100;
  snapshot.second.away = shared_.availability.away_for(now);
  snapshot.second.silent = shared_.availability.silent_for(now);
  snapshot.availability = shared_.availability.recent(now, outages_shown);
  const AvailabilityRecord& record = snapshot.availability;
  const std::uint64_t lost =
      record.sessions_lost - std::min(record.sessions_lost, record.sessions_reopened);
  snapshot.connections_open = plan_.connections - std::min(plan_.connections, lost);
  snapshot.process = surroundings_.process_usage();
}

}  // namespace drover::load
