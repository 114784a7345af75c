#include "load/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "load/client_group.h"
#include "load/run_worker.h"
#include "load/sampler.h"

namespace drover::load {
namespace {

using coro::Duration;
using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;
using Stage = RunWorker::Stage;

// The time for the look-up of unknown commits after an interrupt.
constexpr Duration settling_after_interrupt = std::chrono::seconds(5);

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

// The workers of a run, which are told and awaited together.
struct RunWorkers {
  std::vector<std::unique_ptr<RunWorker>> all;

  void start(const Timetable& timetable) {
    for (auto& worker : all) worker->start(timetable);
  }
  void schedule(const Timetable& timetable) {
    for (auto& worker : all) worker->schedule(timetable);
  }
  void stop() {
    for (auto& worker : all) worker->stop();
  }
  void stop_settling() {
    for (auto& worker : all) worker->stop_settling();
  }
  Task<void> reached(Stage stage) {
    for (auto& worker : all) co_await worker->reached(stage);
  }
  Task<void> join() {
    co_await reached(Stage::settled);
    for (auto& worker : all) worker->dismiss();
    for (auto& worker : all) worker->join();
  }

  // Returns the error of the first worker that has one, or null.
  template <class Error>
  std::exception_ptr first(Error error) const {
    for (const auto& worker : all) {
      if (const std::exception_ptr one = (*worker.*error)()) return one;
    }
    return nullptr;
  }
};

// Times of the process and its workers, read at both ends of the measured interval.
struct Reading {
  Instant instant;
  double cpu_seconds = 0;
  std::vector<Duration> cpu_times;  // of the workers
  std::vector<std::optional<measure::RunQueueTimes>> run_queues;
};

// Returns the processor use of the worker `i` between two readings.
WorkerHealth health_between(const Reading& first, const Reading& last, std::size_t i) {
  WorkerHealth health;
  const auto elapsed = static_cast<double>((last.instant - first.instant).count());
  if (elapsed <= 0) return health;
  // The clocks are read one after another, so a share of a short interval may exceed 1.
  const auto share = [elapsed](Duration part) {
    return std::min(static_cast<double>(part.count()) / elapsed, 1.0);
  };
  health.load = share(last.cpu_times[i] - first.cpu_times[i]);
  if (!first.run_queues[i] || !last.run_queues[i]) return health;
  const Duration waited = last.run_queues[i]->waited - first.run_queues[i]->waited;
  const std::uint64_t turns = last.run_queues[i]->slices - first.run_queues[i]->slices;
  health.run_queue_share = share(waited);
  if (turns > 0) health.wake_up_delay = waited / static_cast<std::int64_t>(turns);
  return health;
}

// One run: opens connections, starts terminals, measures, and looks up unknown commits.
class Run {
 public:
  Run(const Plan& plan, WorkloadFactory make_workload, Observer& observer, StopRequest& stop,
      const Surroundings& surroundings)
      : plan_(plan),
        make_workload_(std::move(make_workload)),
        observer_(observer),
        stop_(stop),
        surroundings_(surroundings),
        series_(plan.warmup) {}

  // Executes the run. Workers without a thread of their own are tasks of `scope`.
  Task<void> go(Scope& scope) {
    for (std::size_t i = 0; i < plan_.threads; ++i) {
      workers_.all.push_back(
          std::make_unique<RunWorker>(plan_, i, make_workload_, shared_, surroundings_, scope));
    }
    stop_.on_request([this] { stop_workers(); });
    co_await workers_.reached(Stage::open);
    std::exception_ptr refusal = workers_.first(&RunWorker::refusal);
    if (rendezvous() != nullptr && !refusal) {
      refusal = co_await unless_stopped(rendezvous()->sessions_open());
    }
    if (!refusal && !stop_.requested()) {
      refusal = co_await come_up();
      if (!refusal) {
        co_await measure();
        co_await settle();
        co_return;
      }
    }
    stop_.on_request({});
    workers_.stop();
    co_await workers_.join();
    if (refusal) std::rethrow_exception(refusal);
    outcome_.interrupted = true;
  }

  Outcome take_outcome() { return std::move(outcome_); }

 private:
  // Returns null if the run is on one host.
  Rendezvous* rendezvous() const noexcept { return surroundings_.rendezvous; }

  // Returns true for one of several hosts, whose time series will be merged.
  bool is_part() const noexcept { return rendezvous() != nullptr || !plan_.share.is_whole(); }

  // Waits for the other hosts, or for a stop request. Returns an error if the other hosts are gone.
  Task<std::exception_ptr> unless_stopped(Task<void> waiting) {
    try {
      if (!stop_.requested()) co_await stop_.unless_requested(std::move(waiting));
    } catch (...) {
      co_return std::current_exception();
    }
    co_return nullptr;
  }

  // Waits for the start that all hosts agree on, and sets `start`.
  Task<void> wait_for_start(Instant& start) {
    const Instant agreed = co_await rendezvous()->terminals_up();
    const Instant begin = std::max(agreed, Worker::current().now());
    if (begin == agreed) co_await coro::sleep_until(begin);
    start = begin;
    outcome_.start_late = Worker::current().now() - agreed;
  }

  void stop_workers() {
    shared_.stop_asked.store(true, std::memory_order_relaxed);
    workers_.stop();
  }

  // Starts the terminals and sets the timetable. Returns an error of the other hosts, or null.
  Task<std::exception_ptr> come_up() {
    const Instant begun = Worker::current().now();
    workers_.start({.start = begun, .unix_start = surroundings_.unix_time()});
    auto all_up = [this](Scope& scope) -> Task<void> {
      scope.start(tell_ramp_up());
      co_await workers_.reached(Stage::up);
      scope.cancel();
    };
    co_await coro::with_scope(all_up);
    // The phases begin when the last terminal has started.
    timetable_.start = Worker::current().now();
    outcome_.ramp_up = timetable_.start - begun;
    if (rendezvous() != nullptr) {
      const std::exception_ptr error = co_await unless_stopped(wait_for_start(timetable_.start));
      if (error) co_return error;
    }
    timetable_.measure_start = timetable_.start + plan_.warmup;
    timetable_.measure_end = timetable_.measure_start + plan_.duration;
    timetable_.unix_start = unix_time_at(timetable_.start);
    outcome_.start = timetable_.start;
    outcome_.unix_start = timetable_.unix_start;
    outcome_.measure_start_ts =
        static_cast<std::int64_t>(timetable_.unix_start + coro::seconds_of(plan_.warmup));
    // The sampler is made before the workers count, so that no count is missing from the samples.
    first_ = read_client();
    sampler_.emplace(plan_, workers_.all);
    workers_.schedule(timetable_);
    if (!stop_.requested()) observer_.on_started(outcome_.ramp_up);
    co_return nullptr;
  }

  // Returns the Unix time of an instant. Reads both clocks several times and takes the reading with
  // the shortest time between them, because this thread may lose its processor at any time.
  double unix_time_at(Instant instant) const {
    constexpr int looks = 5;
    double unix_time = 0;
    Duration least = Duration::max();
    for (int i = 0; i < looks; ++i) {
      const Instant before = Worker::current().now();
      const double now = surroundings_.unix_time();
      const Duration between = Worker::current().now() - before;
      if (between >= least) continue;
      least = between;
      unix_time = now - coro::seconds_of(before + between / 2 - instant);
    }
    return unix_time;
  }

  // Reports the progress once a second, because millions of terminals take seconds to start.
  Task<void> tell_ramp_up() {
    while (co_await coro::slept_until(Worker::current().now() + std::chrono::seconds(1))) {
      std::uint64_t terminals = 0;
      std::uint64_t steps = 0;  // two of each terminal
      for (const auto& worker : workers_.all) {
        const WorkerMetrics& metrics = worker->metrics();
        terminals += metrics.terminals_wanted.get();
        steps += metrics.terminals_made.get() + metrics.terminals_up.get();
      }
      if (terminals == 0) continue;
      observer_.on_note(
          fmt::format("{} terminals come up: {}%", terminals, steps * 100 / (2 * terminals)));
    }
  }

  // Runs the phases, until the terminals have ended.
  Task<void> measure() {
    stop_.on_request([this] {
      outcome_.interrupted = true;
      end_measurement();
      stop_workers();
    });
    if (stop_.requested()) end_measurement();
    sampled_until_ = sample_read_ = timetable_.start;
    Scope watching(co_await coro::current_source());
    watching.start(watch());
    watching.start(end_when_done());
    Scope following(co_await coro::current_source());
    for (const auto& worker : workers_.all) following.start(follow(*worker));
    co_await following.join();
    stop_.on_request({});
    outcome_.interrupted = outcome_.interrupted || stop_.requested();
    end_measurement();
    watching.cancel();
    co_await watching.join();
    complete_series();
    outcome_.availability = shared_.availability.record(ended_at_);
    observer_.on_ended(shared_.availability.down() && plan_.workload.looks_up_commits);
  }

  // Ends the run when all workers have executed their operations.
  Task<void> end_when_done() {
    co_await workers_.reached(Stage::done);
    if (ended_) co_return;
    end_measurement();
    workers_.stop();
  }

  Task<void> follow(RunWorker& worker) {
    co_await worker.reached(Stage::ending);
    // A worker that ends early has given up, which ends the run.
    if (Worker::current().now() < timetable_.measure_end) {
      end_measurement();
      workers_.stop();
    }
    co_await worker.reached(Stage::ended);
  }

  Reading read_client() const {
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

  // Takes a sample every second until the interval ends, then reports what the run still waits for.
  // The caller cancels it when the last transaction has ended.
  Task<void> watch() {
    Instant tick = timetable_.start;
    while (tick < timetable_.measure_end && !ended_) {
      const Instant next = next_tick(tick);
      if (!co_await coro::slept_until(next) || ended_) break;
      const Instant now = Worker::current().now();
      if (next == timetable_.measure_start) first_ = read_client();
      take_sample(now);
      tick = next;
      // After a standstill of this thread, one sample covers all seconds that its phase missed.
      while (next_tick(tick) <= now && next_tick(tick) > tick) {
        tick = next_tick(tick);
        if (tick == timetable_.measure_start) first_ = read_client();
      }
    }
    end_measurement();
    // Cancelled when the last transaction has ended.
    if (!co_await coro::slept_until(Worker::current().now() + std::chrono::seconds(1))) co_return;
    observer_.on_note(
        fmt::format("the load has ended. Waiting up to {:g} s for transactions in flight",
                    coro::seconds_of(plan_.drain_patience)));
  }

  // Takes a sample that begins where the previous one ended, and ends at `now` or at the end of its
  // phase. The sample contains no counts of another phase, so its length must not reach into that
  // phase either: the next sample begins at the edge, however late this one is read.
  void take_sample(Instant now) {
    const Phase phase = timetable_.phase_at(sampled_until_);
    if (phase == Phase::measure && !std::exchange(warmup_sampled_, true)) {
      series_.add_to_last(sampler_->take_rest(Phase::warmup));
    }
    const Instant end =
        std::min(now, phase == Phase::warmup ? timetable_.measure_start : timetable_.measure_end);
    Snapshot snapshot =
        sampler_->take(phase, end - timetable_.start, end - sampled_until_, now - sample_read_);
    sampled_until_ = end;
    sample_read_ = now;
    complete(snapshot, now);
    series_.add(snapshot.second);
    snapshot.second.latency = {};
    observer_.on_snapshot(snapshot);
  }

  // Adds what was counted after the last sample: the last part of a second in a run that is ended
  // early, the phase that a standstill of this thread left out, and what workers counted while a
  // sample was read. Requires: all workers have ended.
  void complete_series() {
    if (sampled_until_ < timetable_.measure_start && ended_at_ > timetable_.measure_start) {
      take_sample(timetable_.measure_start);
    }
    if (ended_at_ > sampled_until_) take_sample(ended_at_);
    const Phase phase = ended_at_ > timetable_.measure_start ? Phase::measure : Phase::warmup;
    series_.add_to_last(sampler_->take_rest(phase));
    outcome_.seconds_per_point = series_.seconds_per_point();
    outcome_.samples = series_.take(is_part());
  }

  // Ends the measured interval, once, at its end or when the run is stopped.
  void end_measurement() {
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

  // Returns the next sample time: every second, and at the end of each phase.
  Instant next_tick(Instant last) const {
    const Instant next = last + std::chrono::seconds(1);
    if (last < timetable_.measure_start) return std::min(next, timetable_.measure_start);
    return std::min(next, timetable_.measure_end);
  }

  // Adds the figures that workers do not count.
  void complete(Snapshot& snapshot, Instant now) const {
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

  // Looks up the unknown commits. A stop request leaves the rest unresolved.
  Task<void> settle() {
    stop_.on_request([this] { workers_.stop_settling(); });
    Scope settling(co_await coro::current_source());
    if (outcome_.interrupted) settling.start(stop_settling_late());
    co_await workers_.join();
    stop_.on_request({});
    settling.cancel();
    co_await settling.join();
    for (auto& worker : workers_.all) outcome_.workers.push_back(worker->take_metrics());
    if (const auto failure = workers_.first(&RunWorker::failure))
      outcome_.failure = message_of(failure);
    if (const auto bug = workers_.first(&RunWorker::bug)) std::rethrow_exception(bug);
  }

  Task<void> stop_settling_late() {
    co_await coro::sleep_for(settling_after_interrupt);
    workers_.stop_settling();
  }

  const Plan& plan_;
  const WorkloadFactory make_workload_;
  Observer& observer_;
  StopRequest& stop_;
  const Surroundings surroundings_;
  Outcome outcome_;
  SharedRecords shared_;  // outlives the workers
  RunWorkers workers_;
  Timetable timetable_;
  Reading first_;
  std::optional<Sampler> sampler_;  // once the phases have begun
  SampleSeries series_;
  Instant sampled_until_;  // the end of the last sample
  Instant sample_read_;    // when it was read: at its end, or after the end of its phase
  bool warmup_sampled_ = false;
  bool ended_ = false;  // the measured interval has ended, at `ended_at_`
  Instant ended_at_;
};

}  // namespace

Task<Outcome> run(const Plan& plan, WorkloadFactory make_workload, Observer& observer,
                  StopRequest& stop, Surroundings surroundings) {
  Run run(plan, std::move(make_workload), observer, stop, surroundings);
  auto body = [&run](Scope& scope) { return run.go(scope); };
  co_await coro::with_scope(body);
  co_return run.take_outcome();
}

}  // namespace drover::load
