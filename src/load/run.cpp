#include "load/run.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <thread>

#include "coro/block_on.h"
#include "coro/event.h"
#include "coro/promise.h"
#include "coro/sleep.h"
#include "load/herd.h"
#include "load/sampler.h"
#include "measure/process.h"

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
               coro::Promise<bool> opened, coro::Promise<bool> up, coro::Promise<bool> finished)
      : plan_(plan),
        index_(index),
        make_backend_(make_backend),
        opened_(std::move(opened)),
        up_(std::move(up)),
        finished_(std::move(finished)),
        metrics_(std::make_unique<WorkerMetrics>()) {
    thread_ = std::jthread([this] { coro::block_on(worker_, main()); });
  }

  // When the run is left by an error: the thread ends, and is joined.
  ~WorkerThread() { stop(); }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // From the main thread. The run begins with a timetable and ends by it, or by stop().
  void start(Timetable timetable) {
    worker_.post([this, timetable] {
      timetable_ = timetable;
      told_.set();
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
  void join() { thread_.join(); }

  const Worker& worker() const noexcept { return worker_; }
  const WorkerMetrics& metrics() const noexcept { return *metrics_; }
  std::unique_ptr<WorkerMetrics> take_metrics() { return std::move(metrics_); }
  std::exception_ptr failure() const { return failure_; }  // after join()

 private:
  Task<void> main() {
    const auto backend = make_backend_(index_);
    std::exception_ptr error;
    {
      coro::CancelSource& source = co_await coro::current_source();
      coro::CancelSource opening(source);
      opening_ = &opening;
      try {
        co_await backend->open().under(opening);
      } catch (const database::Error&) {
        error = std::current_exception();
      } catch (const coro::Cancelled&) {
        // Stopped before it began: told so below.
      }
      opening_ = nullptr;
    }
    if (error) {
      opened_.set_error(error);
      up_.set_value(false);
      finished_.set_value(true);
      co_return;
    }
    opened_.set_value(true);
    co_await told_.wait();
    if (!timetable_ || stopped_) {
      up_.set_value(false);
    } else {
      Herd herd(plan_, index_, *backend, *metrics_);
      herd_ = &herd;
      herd.on_all_up([this] { up_.set_value(true); });
      co_await herd.run(*timetable_);
      herd_ = nullptr;
      failure_ = herd.failure();
    }
    finished_.set_value(true);
  }

  const Plan& plan_;
  std::size_t index_;
  const BackendFactory& make_backend_;
  coro::Promise<bool> opened_;
  coro::Promise<bool> up_;
  coro::Promise<bool> finished_;
  std::unique_ptr<WorkerMetrics> metrics_;
  Worker worker_;
  coro::Event told_;
  std::optional<Timetable> timetable_;
  bool stopped_ = false;
  coro::CancelSource* opening_ = nullptr;  // while connections are being opened
  Herd* herd_ = nullptr;
  std::exception_ptr failure_;
  std::jthread thread_;
};

struct Workers {
  std::vector<std::unique_ptr<WorkerThread>> threads;
  std::vector<coro::Future<bool>> opened;
  std::vector<coro::Future<bool>> up;
  std::vector<coro::Future<bool>> finished;

  void start_all(const Timetable& timetable) {
    for (auto& thread : threads) thread->start(timetable);
  }
  void stop_all() {
    for (auto& thread : threads) thread->stop();
  }
};

Workers make_workers(const Plan& plan, const BackendFactory& make_backend) {
  Workers workers;
  for (std::size_t i = 0; i < plan.threads; ++i) {
    auto [opened, opened_future] = coro::make_promise<bool>();
    auto [up, up_future] = coro::make_promise<bool>();
    auto [finished, finished_future] = coro::make_promise<bool>();
    workers.threads.push_back(std::make_unique<WorkerThread>(
        plan, i, make_backend, std::move(opened), std::move(up), std::move(finished)));
    workers.opened.push_back(std::move(opened_future));
    workers.up.push_back(std::move(up_future));
    workers.finished.push_back(std::move(finished_future));
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

Task<void> join_all(Workers& workers) {
  for (auto& future : workers.finished) co_await std::move(future).get();
  for (auto& thread : workers.threads) thread->join();
}

// What is read at both ends of the measurement interval.
struct Reading {
  Instant instant;
  double cpu_seconds = 0;
  std::vector<Duration> cpu_times;  // of the workers
};

Reading read_client(const Workers& workers) {
  Reading reading{.instant = Worker::current().now(),
                  .cpu_seconds = measure::read_process_usage().cpu_seconds,
                  .cpu_times = {}};
  for (const auto& thread : workers.threads) {
    reading.cpu_times.push_back(thread->worker().cpu_time());
  }
  return reading;
}

// The main thread's side of a run that goes on: samples, and the readings of the interval.
class Watch {
 public:
  Watch(const Timetable& timetable, Workers& workers, Observer& observer, Outcome& outcome)
      : timetable_(timetable), workers_(workers), observer_(observer), outcome_(outcome) {}

  // Ends with the interval; when it is ended before, by finish(), it is to be cancelled.
  Task<void> run() {
    std::vector<SampledWorker> sampled;
    for (const auto& thread : workers_.threads) {
      sampled.push_back({&thread->metrics(), &thread->worker()});
    }
    Sampler sampler(std::move(sampled));
    first_ = read_client(workers_);
    Instant last = timetable_.start;
    while (last < timetable_.measure_end && !ended_) {
      const Instant next = next_sample(last);
      if (!co_await coro::slept_until(next)) break;
      const Instant now = Worker::current().now();
      const Phase phase = timetable_.phase_at(last);
      if (next == timetable_.measure_start) first_ = read_client(workers_);
      outcome_.samples.push_back(sampler.take(now - timetable_.start, now - last, phase));
      observer_.on_sample(outcome_.samples.back(), sampler.last_latency());
      last = next;
    }
    finish();
  }

  // At the end, or when the run is stopped before it.
  void finish() {
    if (std::exchange(ended_, true)) return;
    const Reading end = read_client(workers_);
    const Instant measured_until = std::min(end.instant, timetable_.measure_end);
    if (measured_until <= timetable_.measure_start) return;
    outcome_.measured = measured_until - timetable_.measure_start;
    outcome_.client_cpu_seconds = end.cpu_seconds - first_.cpu_seconds;
    const auto elapsed = static_cast<double>((end.instant - first_.instant).count());
    for (std::size_t i = 0; i < end.cpu_times.size(); ++i) {
      const auto busy = static_cast<double>((end.cpu_times[i] - first_.cpu_times[i]).count());
      outcome_.worker_loads.push_back(elapsed > 0 ? busy / elapsed : 0);
    }
  }

 private:
  // Every second of the run, and the edges of its phases.
  Instant next_sample(Instant last) const {
    const Instant next = last + std::chrono::seconds(1);
    if (last < timetable_.measure_start) return std::min(next, timetable_.measure_start);
    return std::min(next, timetable_.measure_end);
  }

  const Timetable& timetable_;
  Workers& workers_;
  Observer& observer_;
  Outcome& outcome_;
  Reading first_;
  bool ended_ = false;
};

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

std::int64_t unix_time_of(Instant instant) {
  const auto until =
      std::chrono::duration_cast<std::chrono::seconds>(instant - Worker::current().now());
  return std::time(nullptr) + until.count();
}

}  // namespace

Task<Outcome> run(const Plan& plan, BackendFactory make_backend, Observer& observer,
                  StopRequest& stop) {
  Outcome outcome;
  Workers workers = make_workers(plan, make_backend);
  stop.on_request([&workers] { workers.stop_all(); });
  const std::exception_ptr error = co_await all_opened(workers);
  if (error || stop.requested()) {
    stop.on_request({});
    workers.stop_all();
    co_await join_all(workers);
    if (error) std::rethrow_exception(error);
    outcome.interrupted = true;
    co_return outcome;
  }
  Timetable timetable;
  timetable.start = Worker::current().now();
  timetable.measure_start = timetable.start + plan.warmup;
  timetable.measure_end = timetable.measure_start + plan.duration;
  outcome.measure_start_ts = unix_time_of(timetable.measure_start);
  workers.start_all(timetable);
  for (auto& up : workers.up) co_await std::move(up).get();
  outcome.ramp_up = Worker::current().now() - timetable.start;
  observer.on_started(outcome.ramp_up);

  Watch watch(timetable, workers, observer, outcome);
  stop.on_request([&workers, &watch, &outcome] {
    outcome.interrupted = true;
    watch.finish();
    workers.stop_all();
  });
  auto follow = [&](std::size_t i) -> Task<void> {
    co_await std::move(workers.finished[i]).get();
    // One that ends before its time has given up: then it is over for all.
    if (Worker::current().now() >= timetable.measure_end) co_return;
    watch.finish();
    workers.stop_all();
  };
  auto follow_all = [&](coro::Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < workers.finished.size(); ++i) scope.start(follow(i));
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
  for (auto& thread : workers.threads) {
    thread->join();
    outcome.workers.push_back(thread->take_metrics());
    if (thread->failure() && !outcome.failure) outcome.failure = message_of(thread->failure());
  }
  if (bug) std::rethrow_exception(bug);
  co_return outcome;
}

}  // namespace drover::load
