#include "load/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "coro/block_on.h"
#include "coro/event.h"
#include "coro/promise.h"
#include "coro/sleep.h"
#include "coro/started_thread.h"
#include "load/herd.h"
#include "load/sampler.h"
#include "measure/process.h"
#include "measure/run_queue.h"

namespace drover::load {
namespace {

using coro::Duration;
using coro::Instant;
using coro::Task;
using coro::Worker;

// One worker thread and what the main thread says to it. Everything but the construction, the
// promises and the metrics happens on the thread's own worker.
class WorkerThread {
 public:
  WorkerThread(const Plan& plan, std::size_t index, const BackendFactory& make_backend,
               SharedRecords& shared, coro::Promise<bool> opened, coro::Promise<bool> up,
               coro::Promise<bool> ended, coro::Promise<bool> settled)
      : plan_(plan),
        index_(index),
        make_backend_(make_backend),
        shared_(shared),
        opened_(std::move(opened)),
        up_(std::move(up)),
        ended_(std::move(ended)),
        settled_(std::move(settled)),
        metrics_(std::make_unique<WorkerMetrics>()) {
    thread_ = coro::started_thread(fmt::format("worker {} of {}", index + 1, plan.threads),
                                   [this] { coro::block_on(worker_, main()); });
  }

  // When the run is left by an error: the thread ends, and is joined.
  ~WorkerThread() {
    stop();
    dismiss();
  }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // From the main thread. The run begins with a timetable's start and ends by schedule() or stop().
  void start(Timetable timetable) {
    worker_.post([this, timetable] {
      timetable_ = timetable;
      told_.set();
    });
  }
  // When all terminals are up: the phases of the run.
  void schedule(Timetable timetable) {
    worker_.post([this, timetable] {
      if (herd_ != nullptr) herd_->schedule(timetable);
    });
  }
  void stop() {
    worker_.post([this] {
      stopped_ = true;
      if (opening_ != nullptr) opening_->cancel();
      if (herd_ != nullptr) herd_->stop();
      told_.set();
    });
  }
  // What is ambiguous then remains so.
  void stop_settling() {
    worker_.post([this] {
      if (settling_ != nullptr) settling_->cancel();
    });
  }
  // The thread stays until then, so that it can be asked for its times.
  void dismiss() {
    worker_.post([this] { dismissed_.set(); });
  }
  void join() { thread_.join(); }

  const Worker& worker() const noexcept { return worker_; }
  const WorkerMetrics& metrics() const noexcept { return *metrics_; }
  std::unique_ptr<WorkerMetrics> take_metrics() { return std::move(metrics_); }
  std::exception_ptr failure() const { return failure_; }  // after join()

  // Once the backend is open. Nothing where the kernel does not tell.
  std::optional<measure::RunQueueTimes> run_queue_times() const {
    return measure::read_run_queue_times(thread_id_);
  }

 private:
  Task<void> main() {
    thread_id_ = gettid();
    std::unique_ptr<tpcc::Backend> backend;
    std::exception_ptr error;
    {
      coro::CancelSource& source = co_await coro::current_source();
      coro::CancelSource opening(source);
      opening_ = &opening;
      try {
        backend = make_backend_(index_);
        co_await backend->open().under(opening);
      } catch (const std::exception&) {
        error = std::current_exception();
      } catch (const coro::Cancelled&) {
        // Stopped before it began: told so below.
      }
      opening_ = nullptr;
    }
    if (error) {
      opened_.set_error(error);
      up_.set_value(false);
      ended_.set_value(true);
      settled_.set_value(true);
      co_return;
    }
    opened_.set_value(true);
    co_await told_.wait();
    if (!timetable_ || stopped_) {
      up_.set_value(false);
    } else {
      Herd herd(plan_, index_, *backend, *metrics_, shared_);
      herd_ = &herd;
      herd.on_all_up([this] { up_.set_value(true); });
      co_await herd.run(*timetable_);
      herd_ = nullptr;
      failure_ = herd.failure();
      ended_.set_value(true);
      co_await settle(herd);
      settled_.set_value(true);
      co_await dismissed_.wait();
      co_return;
    }
    ended_.set_value(true);
    settled_.set_value(true);
  }

  Task<void> settle(Herd& herd) {
    coro::CancelSource& source = co_await coro::current_source();
    coro::CancelSource settling(source);
    settling_ = &settling;
    try {
      co_await herd.settle().under(settling);
    } catch (const coro::Cancelled&) {
      herd.leave_unsettled();
    }
    settling_ = nullptr;
  }

  const Plan& plan_;
  std::size_t index_;
  const BackendFactory& make_backend_;
  SharedRecords& shared_;
  coro::Promise<bool> opened_;
  coro::Promise<bool> up_;
  coro::Promise<bool> ended_;
  coro::Promise<bool> settled_;
  pid_t thread_id_ = 0;  // published by opened_
  std::unique_ptr<WorkerMetrics> metrics_;
  Worker worker_;
  coro::Event told_;
  coro::Event dismissed_;
  std::optional<Timetable> timetable_;
  bool stopped_ = false;
  coro::CancelSource* opening_ = nullptr;   // while connections are being opened
  coro::CancelSource* settling_ = nullptr;  // while ambiguous commits are looked up
  Herd* herd_ = nullptr;
  std::exception_ptr failure_;
  std::jthread thread_;
};

struct Workers {
  std::vector<std::unique_ptr<WorkerThread>> threads;
  std::vector<coro::Future<bool>> opened;
  std::vector<coro::Future<bool>> up;
  std::vector<coro::Future<bool>> ended;    // the terminals
  std::vector<coro::Future<bool>> settled;  // and the ambiguous commits

  void start_all(const Timetable& timetable) {
    for (auto& thread : threads) thread->start(timetable);
  }
  void schedule_all(const Timetable& timetable) {
    for (auto& thread : threads) thread->schedule(timetable);
  }
  void stop_all() {
    for (auto& thread : threads) thread->stop();
  }
};

Workers make_workers(const Plan& plan, const BackendFactory& make_backend, SharedRecords& shared) {
  Workers workers;
  for (std::size_t i = 0; i < plan.threads; ++i) {
    auto [opened, opened_future] = coro::make_promise<bool>();
    auto [up, up_future] = coro::make_promise<bool>();
    auto [ended, ended_future] = coro::make_promise<bool>();
    auto [settled, settled_future] = coro::make_promise<bool>();
    workers.threads.push_back(std::make_unique<WorkerThread>(plan, i, make_backend, shared,
                                                             std::move(opened), std::move(up),
                                                             std::move(ended), std::move(settled)));
    workers.opened.push_back(std::move(opened_future));
    workers.up.push_back(std::move(up_future));
    workers.ended.push_back(std::move(ended_future));
    workers.settled.push_back(std::move(settled_future));
  }
  return workers;
}

// Waits until every backend is open; the first error, once all have answered.
Task<std::exception_ptr> all_opened(Workers& workers) {
  std::exception_ptr first;
  for (auto& future : workers.opened) {
    try {
      co_await std::move(future).get();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  co_return first;
}

// Millions of terminals take seconds to come up: until then somebody looks on.
Task<void> tell_ramp_up(const Plan& plan, const Workers& workers, Observer& observer) {
  while (co_await coro::slept_until(Worker::current().now() + std::chrono::seconds(1))) {
    std::uint64_t steps = 0;  // two of each terminal
    for (const auto& thread : workers.threads) {
      steps += thread->metrics().terminals_made.get() + thread->metrics().terminals_up.get();
    }
    observer.on_note(fmt::format("{} terminals come up: {}%", plan.terminals(),
                                 steps * 100 / (2 * plan.terminals())));
  }
}

Task<void> all_up(const Plan& plan, Workers& workers, Observer& observer) {
  auto wait = [&](coro::Scope& scope) -> Task<void> {
    scope.start(tell_ramp_up(plan, workers, observer));
    for (auto& up : workers.up) co_await std::move(up).get();
    scope.cancel();
  };
  co_await coro::with_scope(wait);
}

// After an interrupt nobody wants to wait for long.
constexpr Duration settling_after_interrupt = std::chrono::seconds(5);

Task<void> stop_settling_after(Workers& workers, Duration patience) {
  co_await coro::sleep_for(patience);
  for (auto& thread : workers.threads) thread->stop_settling();
}

Task<void> join_all(Workers& workers) {
  for (auto& future : workers.settled) co_await std::move(future).get();
  for (auto& thread : workers.threads) thread->dismiss();
  for (auto& thread : workers.threads) thread->join();
}

// What is read at both ends of the measurement interval.
struct Reading {
  Instant instant;
  double cpu_seconds = 0;
  std::vector<Duration> cpu_times;  // of the workers
  std::vector<std::optional<measure::RunQueueTimes>> run_queues;
};

Reading read_client(const Workers& workers) {
  Reading reading{.instant = Worker::current().now(),
                  .cpu_seconds = measure::read_process_usage().cpu_seconds,
                  .cpu_times = {},
                  .run_queues = {}};
  for (const auto& thread : workers.threads) {
    reading.cpu_times.push_back(thread->worker().cpu_time());
    reading.run_queues.push_back(thread->run_queue_times());
  }
  return reading;
}

// What became of the worker `i` between two readings.
WorkerHealth health_between(const Reading& first, const Reading& last, std::size_t i) {
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

// The main thread's side of a run that goes on: samples, and the readings of the interval.
class Watch {
 public:
  Watch(const Plan& plan, const Timetable& timetable, Workers& workers, SharedRecords& shared,
        Observer& observer, Outcome& outcome)
      : plan_(plan),
        timetable_(timetable),
        workers_(workers),
        shared_(shared),
        observer_(observer),
        outcome_(outcome),
        first_(read_client(workers)) {}

  // Ends with the interval; when it is ended before, by finish(), it is to be cancelled.
  Task<void> run() {
    std::vector<SampledWorker> sampled;
    for (const auto& thread : workers_.threads) {
      sampled.push_back({&thread->metrics(), &thread->worker()});
    }
    Sampler sampler(std::move(sampled));
    Instant last = timetable_.start;
    Instant last_read = last;
    while (last < timetable_.measure_end && !ended_) {
      const Instant next = next_sample(last);
      if (!co_await coro::slept_until(next)) break;
      const Instant now = Worker::current().now();
      const Phase phase = timetable_.phase_at(last);
      if (next == timetable_.measure_start) first_ = read_client(workers_);
      Snapshot snapshot = sampler.take(now - timetable_.start, now - last_read, phase);
      last_read = now;
      complete(snapshot, now);
      outcome_.samples.push_back(snapshot.second);
      if (shared_.delivery_log != nullptr) shared_.delivery_log->write_out();
      observer_.on_snapshot(snapshot);
      last = next;
      // After a stall of this process, the seconds that it has missed are one.
      while (next_sample(last) <= now && next_sample(last) > last) {
        last = next_sample(last);
        if (last == timetable_.measure_start) first_ = read_client(workers_);
      }
    }
    finish();
  }

  // When it was; requires that finish() was called.
  Instant ended_at() const noexcept { return ended_at_; }

  // At the end, or when the run is stopped before it.
  void finish() {
    if (std::exchange(ended_, true)) return;
    const Reading end = read_client(workers_);
    ended_at_ = std::min(end.instant, timetable_.measure_end);
    if (ended_at_ <= timetable_.measure_start) return;
    outcome_.measured = ended_at_ - timetable_.measure_start;
    outcome_.client_cpu_seconds = end.cpu_seconds - first_.cpu_seconds;
    for (std::size_t i = 0; i < end.cpu_times.size(); ++i) {
      outcome_.health.push_back(health_between(first_, end, i));
      outcome_.run_queue_known = end.run_queues[i].has_value();
    }
  }

 private:
  // Every second of the run, and the edges of its phases.
  Instant next_sample(Instant last) const {
    const Instant next = last + std::chrono::seconds(1);
    if (last < timetable_.measure_start) return std::min(next, timetable_.measure_start);
    return std::min(next, timetable_.measure_end);
  }

  // What the workers do not count.
  void complete(Snapshot& snapshot, Instant now) const {
    constexpr std::size_t outages_shown = 100;
    snapshot.second.away = shared_.availability.away_for(now);
    snapshot.second.silent = shared_.availability.silent_for(now);
    snapshot.availability = shared_.availability.recent(now, outages_shown);
    const AvailabilityRecord& record = snapshot.availability;
    const std::uint64_t lost =
        record.sessions_lost - std::min(record.sessions_lost, record.sessions_reopened);
    snapshot.connections_open = plan_.connections - std::min(plan_.connections, lost);
    snapshot.process = measure::read_process_usage();
  }

  const Plan& plan_;
  const Timetable& timetable_;
  Workers& workers_;
  SharedRecords& shared_;
  Observer& observer_;
  Outcome& outcome_;
  Reading first_;
  bool ended_ = false;
  Instant ended_at_;
};

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

double unix_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Task<Outcome> run(const Plan& plan, BackendFactory make_backend, Observer& observer,
                  StopRequest& stop, DeliveryLog* delivery_log) {
  Outcome outcome;
  SharedRecords shared;  // outlives the workers
  shared.delivery_log = delivery_log;
  Workers workers = make_workers(plan, make_backend, shared);
  stop.on_request([&workers, &shared] {
    shared.stop_asked.store(true, std::memory_order_relaxed);
    workers.stop_all();
  });
  const std::exception_ptr error = co_await all_opened(workers);
  if (error || stop.requested()) {
    stop.on_request({});
    workers.stop_all();
    co_await join_all(workers);
    if (error) std::rethrow_exception(error);
    outcome.interrupted = true;
    co_return outcome;
  }
  const Instant begun = Worker::current().now();
  workers.start_all({.start = begun, .unix_start = unix_time_now()});
  co_await all_up(plan, workers, observer);
  // What came up late has no part in the phases: they begin now.
  Timetable timetable;
  timetable.start = Worker::current().now();
  outcome.ramp_up = timetable.start - begun;
  timetable.measure_start = timetable.start + plan.warmup;
  timetable.measure_end = timetable.measure_start + plan.duration;
  timetable.unix_start = unix_time_now();
  outcome.start = timetable.start;
  outcome.measure_start_ts = static_cast<std::int64_t>(
      timetable.unix_start + std::chrono::duration<double>(plan.warmup).count());
  workers.schedule_all(timetable);
  if (!stop.requested()) observer.on_started(outcome.ramp_up);

  Watch watch(plan, timetable, workers, shared, observer, outcome);
  stop.on_request([&workers, &watch, &outcome, &shared] {
    shared.stop_asked.store(true, std::memory_order_relaxed);
    outcome.interrupted = true;
    watch.finish();
    workers.stop_all();
  });
  if (stop.requested()) watch.finish();
  auto follow = [&](std::size_t i) -> Task<void> {
    co_await std::move(workers.ended[i]).get();
    // One that ends before its time has given up: then it is over for all.
    if (Worker::current().now() >= timetable.measure_end) co_return;
    watch.finish();
    workers.stop_all();
  };
  auto follow_all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < workers.ended.size(); ++i) scope.start(follow(i));
    co_return;
  };
  coro::Scope watching(co_await coro::current_source());
  watching.start(watch.run());
  std::exception_ptr bug;
  try {
    co_await coro::with_scope(follow_all);
  } catch (...) {
    bug = std::current_exception();
  }
  stop.on_request({});
  outcome.interrupted = outcome.interrupted || stop.requested();
  watch.finish();
  watching.cancel();
  co_await watching.join();
  outcome.availability = shared.availability.record(watch.ended_at());
  observer.on_ended(shared.availability.down());
  // The interval is over: to stop now only leaves unresolved what is ambiguous.
  stop.on_request([&workers] {
    for (auto& thread : workers.threads) thread->stop_settling();
  });
  coro::Scope settling(co_await coro::current_source());
  if (outcome.interrupted) settling.start(stop_settling_after(workers, settling_after_interrupt));
  co_await join_all(workers);
  stop.on_request({});
  settling.cancel();
  co_await settling.join();
  if (delivery_log != nullptr) delivery_log->close();
  for (auto& thread : workers.threads) {
    outcome.workers.push_back(thread->take_metrics());
    if (thread->failure() && !outcome.failure) outcome.failure = message_of(thread->failure());
  }
  if (bug) std::rethrow_exception(bug);
  co_return outcome;
}

}  // namespace drover::load
