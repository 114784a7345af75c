#include "load/run.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <string>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "load/herd.h"
#include "load/run_watch.h"
#include "load/run_workers.h"

namespace drover::load {
namespace {

using coro::Duration;
using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;
using Stage = RunWorker::Stage;

// After an interrupt nobody wants to wait for long.
constexpr Duration settling_after_interrupt = std::chrono::seconds(5);

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

// A run in its order: the backends open, the terminals come up, the phases, and what is left to
// settle.
class Run {
 public:
  Run(const Plan& plan, WorkloadFactory make_workload, Observer& observer, StopRequest& stop,
      const Surroundings& surroundings)
      : plan_(plan),
        make_workload_(std::move(make_workload)),
        observer_(observer),
        stop_(stop),
        surroundings_(surroundings) {}

  // Workers without a thread of their own are tasks of `scope`.
  Task<void> go(Scope& scope) {
    for (std::size_t i = 0; i < plan_.threads; ++i) {
      workers_.all.push_back(
          std::make_unique<RunWorker>(plan_, i, make_workload_, shared_, surroundings_, scope));
    }
    stop_.on_request([this] { stop_workers(); });
    co_await workers_.reached(Stage::open);
    const std::exception_ptr refusal = workers_.refusal();
    if (refusal || stop_.requested()) {
      stop_.on_request({});
      workers_.stop();
      co_await workers_.join();
      if (refusal) std::rethrow_exception(refusal);
      outcome_.interrupted = true;
      co_return;
    }
    co_await come_up();
    co_await measure();
    co_await settle();
  }

  Outcome take_outcome() { return std::move(outcome_); }

 private:
  void stop_workers() {
    shared_.stop_asked.store(true, std::memory_order_relaxed);
    workers_.stop();
  }

  Task<void> come_up() {
    const Instant begun = Worker::current().now();
    workers_.start({.start = begun, .unix_start = surroundings_.unix_time()});
    auto all_up = [this](Scope& scope) -> Task<void> {
      scope.start(tell_ramp_up());
      co_await workers_.reached(Stage::up);
      scope.cancel();
    };
    co_await coro::with_scope(all_up);
    // What came up late has no part in the phases: they begin now.
    timetable_.start = Worker::current().now();
    timetable_.measure_start = timetable_.start + plan_.warmup;
    timetable_.measure_end = timetable_.measure_start + plan_.duration;
    timetable_.unix_start = surroundings_.unix_time();
    outcome_.ramp_up = timetable_.start - begun;
    outcome_.start = timetable_.start;
    outcome_.measure_start_ts =
        static_cast<std::int64_t>(timetable_.unix_start + coro::seconds_of(plan_.warmup));
    workers_.schedule(timetable_);
    if (!stop_.requested()) observer_.on_started(outcome_.ramp_up);
  }

  // Millions of terminals take seconds to come up: until then somebody looks on.
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

  // Until the terminals have ended.
  Task<void> measure() {
    RunWatch watch(plan_, timetable_, workers_, shared_, surroundings_, observer_, outcome_);
    stop_.on_request([this, &watch] {
      outcome_.interrupted = true;
      watch.finish();
      stop_workers();
    });
    if (stop_.requested()) watch.finish();
    Scope watching(co_await coro::current_source());
    watching.start(watch.run());
    Scope following(co_await coro::current_source());
    for (const auto& worker : workers_.all) following.start(follow(*worker, watch));
    co_await following.join();
    stop_.on_request({});
    outcome_.interrupted = outcome_.interrupted || stop_.requested();
    watch.finish();
    watching.cancel();
    co_await watching.join();
    outcome_.availability = shared_.availability.record(watch.ended_at());
    observer_.on_ended(shared_.availability.down());
  }

  Task<void> follow(RunWorker& worker, RunWatch& watch) {
    co_await worker.reached(Stage::ending);
    // One that ends before its time has given up: then it is over for all.
    if (Worker::current().now() < timetable_.measure_end) {
      watch.finish();
      workers_.stop();
    }
    co_await worker.reached(Stage::ended);
  }

  // The interval is over: to stop now only leaves unresolved what is ambiguous.
  Task<void> settle() {
    stop_.on_request([this] { workers_.stop_settling(); });
    Scope settling(co_await coro::current_source());
    if (outcome_.interrupted) settling.start(stop_settling_late());
    co_await workers_.join();
    stop_.on_request({});
    settling.cancel();
    co_await settling.join();
    for (auto& worker : workers_.all) outcome_.workers.push_back(worker->take_metrics());
    if (const auto failure = workers_.failure()) outcome_.failure = message_of(failure);
    if (const auto bug = workers_.bug()) std::rethrow_exception(bug);
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
