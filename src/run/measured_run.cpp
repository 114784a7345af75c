#include "run/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "report/audit/audit.h"
#include "report/merge/merge.h"
#include "run/interrupt.h"
#include "run/usage_error.h"
#include "text/plain_text.h"
#include "ui/terminal/display.h"

namespace drover::run {
namespace {

using coro::Duration;
using coro::Task;
using std::chrono::seconds;

// After an interrupt nobody wants to wait for long.
constexpr Duration patience_after_interrupt = seconds(5);
// A run that was given up has waited for its database before.
constexpr Duration patience_after_failure = seconds(1);

Task<void> run_afterwards(Benchmark& benchmark, load::StopRequest& stop, Duration patience) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::CancelSource source(outer);
  stop.on_request([&source] { source.cancel(); });
  try {
    co_await benchmark.ask_afterwards(patience).under(source);
  } catch (const coro::Cancelled&) {
    if (outer.cancelled()) throw;
  }
  stop.on_request({});
}

// Begins to watch the server's checkpoints when the run's sessions are open: these come first.
class CheckpointsOfRun final : public load::Observer {
 public:
  CheckpointsOfRun(const Benchmark& benchmark, load::Observer& log)
      : watch_(benchmark.watch_checkpoints([&log](std::string_view text) { log.on_note(text); })) {}

  // Until the scope is cancelled.
  void watch_in(coro::Scope& scope) { scope_ = &scope; }
  void on_started(Duration) override {
    if (scope_ != nullptr && watch_ != nullptr) scope_->start(watch_->run());
  }
  std::optional<std::vector<database::ObservedCheckpoint>> observed() const {
    if (watch_ == nullptr) return std::nullopt;
    return watch_->observed();
  }

 private:
  std::unique_ptr<database::CheckpointWatch> watch_;  // null: there are none to be seen
  coro::Scope* scope_ = nullptr;
};

// Begins to watch what the server does for the run when its sessions are open, where that was asked for.
class ActivityOfRun final : public load::Observer {
 public:
  ActivityOfRun(const RunPlan& run, const Benchmark& benchmark, load::Observer& log) {
    if (!run.settings.server_stats) return;
    watch_ = benchmark.watch_activity([&log](std::string_view text) { log.on_note(text); });
  }

  bool can_watch() const { return watch_ != nullptr; }
  // Until the scope is cancelled.
  void watch_in(coro::Scope& scope) { scope_ = &scope; }
  void on_started(Duration) override {
    if (scope_ != nullptr && watch_ != nullptr) scope_->start(watch_->run());
  }
  Task<void> finish(Duration patience) {
    if (watch_ != nullptr) co_await watch_->finish(patience);
  }
  std::optional<database::ObservedActivity> observed() const {
    return watch_ != nullptr ? watch_->observed() : std::nullopt;
  }

 private:
  std::unique_ptr<database::ActivityWatch> watch_;  // null: nothing is watched
  coro::Scope* scope_ = nullptr;
};

// What backends say to people, from their threads: handed on by the main thread, each line once.
class NotesOfBackends final : public load::Observer {
 public:
  explicit NotesOfBackends(load::Observer& log) : log_(log) {}

  // Any thread.
  void add(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.emplace_back(text);
  }

  void on_snapshot(const load::Snapshot&) override { hand_on(); }
  void on_ended(bool) override { hand_on(); }

 private:
  void hand_on() {
    std::vector<std::string> news;
    {
      const std::lock_guard lock(mutex_);
      news.assign(notes_.begin() + handed_on_, notes_.end());
      handed_on_ += static_cast<std::ptrdiff_t>(news.size());
    }
    for (const std::string& note : news) log_.on_note(note);
  }

  load::Observer& log_;
  std::mutex mutex_;  // of the two below
  std::vector<std::string> notes_;
  std::ptrdiff_t handed_on_ = 0;
};

// What stands beside the engine on the main thread: who looks on, and how a person ends the run.
struct Attendance {
  load::StopRequest stop;
  load::Observers observers;
  std::unique_ptr<ui::RunDisplay> display;
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
  CheckpointsOfRun checkpoints;
  ActivityOfRun activity;
  NotesOfBackends notes;

  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;
  // `server_version` is empty where there is no database.
  Attendance(const RunPlan& run, Benchmark& benchmark, ui::RunTitle title,
             const std::string& server_version)
      : display(ui::make_run_display(run.ui, benchmark.plan(), std::move(title),
                                     [this] { stop.request(); })),
        checkpoints(benchmark, observers),
        activity(run, benchmark, observers),
        notes(observers) {
    observers.add(*display);
    if (load::Observer* own = benchmark.observer()) observers.add(*own);
    if (run.metrics) {
      metrics = open_metrics_endpoint(*run.metrics, benchmark.plan(), run.tool, server_version,
                                      observers);
      observers.add(*metrics);
    }
    observers.add(checkpoints);
    observers.add(activity);
    observers.add(notes);
  }
};

// Runs the engine on this thread's worker, with Ctrl-C as an orderly end, and asks what is left to ask, which Ctrl-C
// cuts short.
Task<load::Outcome> run_until_interrupted(Benchmark& benchmark, Attendance& attendance,
                                          Duration patience) {
  load::StopRequest& stop = attendance.stop;
  InterruptWatch interrupt([&] {
    attendance.observers.on_note("interrupted: ending the run (once more ends it at once)");
    stop.request();
  });
  coro::Scope watching(co_await coro::current_source());
  watching.start(interrupt.watch());
  watching.start(attendance.display->attend());
  attendance.checkpoints.watch_in(watching);
  attendance.activity.watch_in(watching);
  std::exception_ptr error;
  load::Outcome outcome;
  try {
    auto workload = benchmark.workload([&](std::string_view text) { attendance.notes.add(text); });
    outcome = co_await load::run(benchmark.plan(), std::move(workload), attendance.observers, stop);
    Duration wait = patience;
    if (stop.requested()) wait = std::min(wait, patience_after_interrupt);
    if (outcome.failure) wait = std::min(wait, patience_after_failure);
    // Before anything else is asked, which would be among what the run cost.
    co_await attendance.activity.finish(std::min(wait, patience_after_interrupt));
    co_await run_afterwards(benchmark, stop, wait);
    outcome.stop_requested = stop.requested();
  } catch (...) {
    error = std::current_exception();
  }
  watching.cancel();
  co_await watching.join();
  if (error) std::rethrow_exception(error);
  co_return outcome;
}

MeasuredRun measure(const RunPlan& run, Benchmark& benchmark, coro::Worker& worker,
                    Attendance& attendance, RunFacts facts, Duration patience) {
  const load::Outcome outcome =
      coro::block_on(worker, run_until_interrupted(benchmark, attendance, patience));
  facts.checkpoints = attendance.checkpoints.observed();
  facts.activity = attendance.activity.observed();
  MeasuredRun measured;
  measured.metrics = attendance.metrics;
  if (measured.metrics != nullptr) measured.metrics->show_outcome(outcome);
  measured.result = make_result(run, benchmark.plan(), facts, outcome);
  benchmark.add_to(measured.result);
  measured.result.audit = report::audit(measured.result);
  if (!measured.result.ranks.empty()) report::complete_rank(measured.result);
  measured.stop_requested = outcome.interrupted || outcome.stop_requested;
  return measured;
}

// Resolves what only the database could tell. Nothing if it was interrupted.
std::optional<database::ServerFacts> prepare(RunPlan& run, Benchmark& benchmark,
                                             const RunPlace& place) {
  database::ServerFacts server;
  const auto ask = [&]() -> Task<void> { server = co_await benchmark.prepare(); };
  if (run_command(ask()) != exit_success) return std::nullopt;
  resolve_threads(run, benchmark);
  resolve_connections(run, benchmark, server);
  run.settings.schema = place.schema;
  return server;
}

void require_room(const load::Plan& plan, DatabaseKind kind) {
  require_descriptors(kind, plan.connections, plan.threads);
  require_address_space_for_threads(plan.threads);
  require_memory_for_terminals(plan.terminal_count);
}

// "… on the private server, PostgreSQL 15.20: 10 rows, 100 terminals, 16 connections, 1 thread"
std::string plan_text(const load::Plan& plan, const std::string& place) {
  std::string sizes;
  for (const load::Quantity& one : plan.presentation.size) {
    sizes += text::counted(one.count, one.noun) + ", ";
  }
  return fmt::format("{} on {}: {}{}, {}, {}", plan.presentation.benchmark, place, sizes,
                     text::counted(plan.terminal_count, plan.presentation.terminal),
                     text::counted(plan.connections, "connection"),
                     text::counted(plan.threads, "thread"));
}

}  // namespace

std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const load::Plan& plan, const report::Tool& tool,
    const std::string& server_version, load::Observer& log) {
  std::vector<std::pair<std::string, std::string>> info = {{"version", tool.version},
                                                           {"commit", tool.commit}};
  if (!server_version.empty()) info.emplace_back("server_version", server_version);
  auto endpoint = std::make_unique<metrics::MetricsEndpoint>(address, plan, std::move(info));
  log.on_note(fmt::format("metrics: {}", endpoint->url()));
  if (!address.loopback) {
    log.on_note(fmt::format("note: whoever reaches {} over the network can read the metrics",
                            endpoint->url()));
  }
  return endpoint;
}

std::optional<MeasuredRun> measure_on_database(RunPlan run, Benchmark& benchmark,
                                               const RunPlace& place) {
  const std::optional<database::ServerFacts> server = prepare(run, benchmark, place);
  if (!server) return std::nullopt;
  complete_plan(run, benchmark);
  require_room(benchmark.plan(), place.kind);
  // From here on Ctrl-C ends the run, with its result.
  const BlockedInterrupts blocked;
  coro::Worker worker;
  RunFacts facts;
  facts.server = {server->version, server->settings,
                  server->product.empty() ? place.kind_name : server->product};
  const std::string where = fmt::format("{}, {}", place.description, facts.server->name());
  Attendance attendance(run, benchmark, {where, benchmark.title()}, server->version);
  attendance.observers.on_note(plan_text(benchmark.plan(), where));
  for (const std::string& note : server->notes) attendance.observers.on_note(note);
  for (const std::string& note : benchmark.notes()) attendance.observers.on_note(note);
  if (run.settings.server_stats && !attendance.activity.can_watch()) {
    attendance.observers.on_note(fmt::format(
        "note: --server-stats: {} does not tell what its sessions do", place.kind_name));
  }
  // For the database to be there again, when the terminals have ended.
  const Duration patience = run.settings.patience_afterwards();
  return measure(run, benchmark, worker, attendance, std::move(facts), patience);
}

MeasuredRun measure_simulated(RunPlan run, Benchmark& benchmark, const std::string& place) {
  resolve_threads(run, benchmark);
  resolve_permits(run, benchmark);
  complete_plan(run, benchmark);
  require_room(benchmark.plan(), DatabaseKind::postgres);
  const BlockedInterrupts blocked;
  coro::Worker worker;
  Attendance attendance(run, benchmark, {place, ""}, "");
  return measure(run, benchmark, worker, attendance, {}, Duration::zero());
}

}  // namespace drover::run
