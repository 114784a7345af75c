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
#include "run/interrupt.h"
#include "run/usage_error.h"
#include "text/plain_text.h"
#include "ui/terminal/display.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/simulated/simulated_backend.h"
#include "workload/tpcc/terminals/terminals.h"

namespace drover::run {
namespace {

using coro::Duration;
using coro::Task;
using std::chrono::seconds;

// What is left to ask when the terminals have ended; for so long at most.
using Afterwards = std::function<Task<void>(Duration patience)>;

// After an interrupt nobody wants to wait for long.
constexpr Duration patience_after_interrupt = seconds(5);
// A run that was given up has waited for its database before.
constexpr Duration patience_after_failure = seconds(1);

Task<void> run_afterwards(Afterwards& afterwards, load::StopRequest& stop, Duration patience) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::CancelSource source(outer);
  stop.on_request([&source] { source.cancel(); });
  try {
    co_await afterwards(patience).under(source);
  } catch (const coro::Cancelled&) {
    if (outer.cancelled()) throw;
  }
  stop.on_request({});
}

// Begins to watch the server's checkpoints when the run's sessions are open: these come first.
class CheckpointsOfRun final : public load::Observer {
 public:
  CheckpointsOfRun(const RunPlace& place, load::Observer& log)
      : watch_(place.database.watch_checkpoints(
            [&log](std::string_view text) { log.on_note(text); })) {}

  // Until the scope is cancelled.
  void watch_in(coro::Scope& scope) { scope_ = &scope; }
  void on_started(Duration) override {
    if (scope_ != nullptr && watch_ != nullptr) scope_->start(watch_->run());
  }
  std::optional<std::vector<tpcc::ObservedCheckpoint>> observed() const {
    if (watch_ == nullptr) return std::nullopt;
    return watch_->observed();
  }

 private:
  std::unique_ptr<tpcc::CheckpointWatch> watch_;  // null: there are none to be seen
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

// Writes out the log of deferred Deliveries while the run goes on.
class DeliveryLogWriter final : public load::Observer {
 public:
  explicit DeliveryLogWriter(const std::string& path) : log(path) {}
  void on_snapshot(const load::Snapshot&) override { log.write_out(); }

  tpcc::DeliveryLog log;
};

// What stands beside the engine on the main thread: who looks on, and how a person ends the run.
struct Attendance {
  load::StopRequest stop;
  std::unique_ptr<ui::RunDisplay> display;
  std::unique_ptr<DeliveryLogWriter> log;         // none: nobody asked for it
  std::unique_ptr<CheckpointsOfRun> checkpoints;  // none without a database
  std::shared_ptr<metrics::MetricsEndpoint> metrics;
  load::Observers observers;

  void watch_checkpoints(const RunPlace& place) {
    checkpoints = std::make_unique<CheckpointsOfRun>(place, observers);
    observers.add(*checkpoints);
  }

  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;
  // `server_version` is empty where there is no database.
  Attendance(const RunPlan& run, ui::RunTitle title, const std::string& server_version) {
    display = ui::make_run_display(run.ui, run.plan, std::move(title), [this] { stop.request(); });
    observers.add(*display);
    if (!run.delivery_log.empty()) {
      log = std::make_unique<DeliveryLogWriter>(run.delivery_log);
      observers.add(*log);
    }
    if (!run.metrics) return;
    metrics = open_metrics_endpoint(*run.metrics, run, server_version, observers);
    observers.add(*metrics);
  }
};

// Runs the engine on this thread's worker, with Ctrl-C as an orderly end, and then `afterwards`,
// which Ctrl-C cuts short.
Task<load::Outcome> run_until_interrupted(const tpcc::Plan& plan, load::WorkloadFactory workload,
                                          Attendance& attendance, Afterwards afterwards,
                                          Duration patience) {
  load::StopRequest& stop = attendance.stop;
  InterruptWatch interrupt([&] {
    attendance.observers.on_note("interrupted: ending the run (once more ends it at once)");
    stop.request();
  });
  coro::Scope watching(co_await coro::current_source());
  watching.start(interrupt.watch());
  watching.start(attendance.display->attend());
  if (attendance.checkpoints != nullptr) attendance.checkpoints->watch_in(watching);
  std::exception_ptr error;
  load::Outcome outcome;
  try {
    outcome = co_await load::run(plan, std::move(workload), attendance.observers, stop);
    if (attendance.log != nullptr) attendance.log->log.close();
    Duration wait = patience;
    if (stop.requested()) wait = std::min(wait, patience_after_interrupt);
    if (outcome.failure) wait = std::min(wait, patience_after_failure);
    co_await run_afterwards(afterwards, stop, wait);
    outcome.stop_requested = stop.requested();
  } catch (...) {
    error = std::current_exception();
  }
  watching.cancel();
  co_await watching.join();
  if (error) std::rethrow_exception(error);
  co_return outcome;
}

// Measures with these backends; `facts` are to be there when `afterwards` has ended.
MeasuredRun measure(const RunPlan& run, coro::Worker& worker, Attendance& attendance,
                    const tpcc::BackendFactory& backends, RunFacts& facts, Afterwards afterwards,
                    Duration patience) {
  tpcc::RunRecords records(run.plan, attendance.log != nullptr ? &attendance.log->log : nullptr);
  const load::Outcome outcome = coro::block_on(
      worker, run_until_interrupted(run.plan, tpcc::make_terminals(run.plan, backends, records),
                                    attendance, std::move(afterwards), patience));
  if (attendance.checkpoints != nullptr) facts.checkpoints = attendance.checkpoints->observed();
  MeasuredRun measured;
  measured.metrics = attendance.metrics;
  if (measured.metrics != nullptr) measured.metrics->show_outcome(outcome);
  measured.result = make_result(run, facts, outcome, records);
  measured.stop_requested = outcome.interrupted || outcome.stop_requested;
  if (attendance.log != nullptr) measured.delivery_log_failure = attendance.log->log.failure();
  return measured;
}

// For the database to be there again, when the terminals have ended.
Duration patience(const RunPlan& run) {
  return run.settings.waits_for_database() ? seconds(60) : seconds(5);
}

tpcc::BackendSettings backend_settings(const RunPlan& run, std::size_t worker) {
  tpcc::BackendSettings settings;
  settings.run = run.settings;
  settings.style = run.style;
  settings.isolation = run.isolation;
  settings.connections = run.plan.share_of_worker(worker, run.plan.connections);
  settings.resolve_patience = patience(run);
  settings.seed = run.plan.seed + worker;
  return settings;
}

report::Server server_of(const tpcc::RunPreparation& prepared, const RunPlace& place) {
  return {prepared.server.version, prepared.server.settings, std::string(place.database.kind())};
}

// Resolves what only the database could tell. Nothing if it was interrupted.
std::optional<tpcc::RunPreparation> prepare_plan(RunPlan& run, const RunPlace& place) {
  tpcc::Plan& plan = run.plan;
  std::optional<std::int32_t> warehouses = plan.warehouses;
  if (run.all_warehouses) warehouses.reset();
  tpcc::RunPreparation prepared;
  const auto ask = [&]() -> Task<void> {
    prepared = co_await place.database.prepare(warehouses);
    co_await place.database.require_isolation(run.isolation);
  };
  if (run_command(ask()) != exit_success) return std::nullopt;
  if (run.all_warehouses) plan.warehouses = prepared.loaded.warehouses;
  resolve_threads(run);
  resolve_connections(run, prepared.server);
  run.settings.schema = place.schema;
  complete_plan(run);
  require_descriptors(place.kind, plan.connections, plan.threads);
  require_address_space_for_threads(plan.threads);
  require_memory_for_terminals(plan.terminals());
  plan.constants = prepared.loaded.load_constants
                       ? tpcc::run_constants(plan.seed, *prepared.loaded.load_constants)
                       : tpcc::load_constants(plan.seed);
  return prepared;
}

// "host=db dbname=tpcc, PostgreSQL 15.20"
std::string place_of(const tpcc::RunPreparation& prepared, const RunPlace& place) {
  return fmt::format("{}, {}", place.description, server_of(prepared, place).name());
}

void note_plan(Attendance& attendance, const tpcc::Plan& plan, const tpcc::RunPreparation& prepared,
               const RunPlace& place) {
  attendance.observers.on_note(fmt::format(
      "TPC-C on {}: {}, {}, {}, {}", place_of(prepared, place),
      text::counted(static_cast<std::size_t>(plan.warehouses), "warehouse"),
      text::counted(plan.terminals(), "terminal"), text::counted(plan.connections, "connection"),
      text::counted(plan.threads, "thread")));
  for (const std::string& note : prepared.notes) attendance.observers.on_note(note);
  if (prepared.loaded.load_constants) return;
  attendance.observers.on_note(
      "note: another tool loaded these tables, so its C-Load is unknown: the distance of C-Run to "
      "it (clause 2.1.6.1) is not ensured");
}

}  // namespace

std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const RunPlan& run, const std::string& server_version,
    load::Observer& log) {
  std::vector<std::pair<std::string, std::string>> info = {{"version", run.tool.version},
                                                           {"commit", run.tool.commit}};
  if (!server_version.empty()) info.emplace_back("server_version", server_version);
  auto endpoint = std::make_unique<metrics::MetricsEndpoint>(address, run.plan, std::move(info));
  log.on_note(fmt::format("metrics: {}", endpoint->url()));
  if (!address.loopback) {
    log.on_note(fmt::format("note: whoever reaches {} over the network can read the metrics",
                            endpoint->url()));
  }
  return endpoint;
}

std::optional<MeasuredRun> measure_on_database(RunPlan run, const RunPlace& place) {
  const tpcc::Plan& plan = run.plan;
  const std::optional<tpcc::RunPreparation> prepared = prepare_plan(run, place);
  if (!prepared) return std::nullopt;
  // From here on Ctrl-C ends the run, with its result.
  const BlockedInterrupts blocked;
  coro::Worker worker;
  ui::RunTitle title{place_of(*prepared, place),
                     fmt::format("{}, {}", run.settings.statements, run.settings.isolation)};
  Attendance attendance(run, std::move(title), prepared->server.version);
  attendance.watch_checkpoints(place);
  NotesOfBackends notes(attendance.observers);
  attendance.observers.add(notes);
  note_plan(attendance, plan, *prepared, place);
  const auto backends = [&](std::size_t index) -> std::unique_ptr<tpcc::Backend> {
    tpcc::BackendSettings settings = backend_settings(run, index);
    settings.on_note = [&notes](std::string_view text) { notes.add(text); };
    return place.database.make_backend(std::move(settings));
  };
  RunFacts facts;
  facts.server = server_of(*prepared, place);
  const auto read_ledger = [&](Duration wait) -> Task<void> {
    const auto after = co_await place.database.read_ledger_patiently(plan.warehouses, wait);
    if (after) facts.ledger_in_data = ledger_between(prepared->ledger, *after);
  };
  return measure(run, worker, attendance, backends, facts, read_ledger, patience(run));
}

MeasuredRun measure_simulated(RunPlan run) {
  tpcc::Plan& plan = run.plan;
  resolve_threads(run);
  plan.max_inflight = static_cast<std::size_t>(run.max_inflight.value_or(0));
  if (plan.max_inflight > 0) plan.threads = std::min(plan.threads, plan.max_inflight);
  complete_plan(run);
  require_descriptors(DatabaseKind::postgres, 0, plan.threads);
  require_address_space_for_threads(plan.threads);
  require_memory_for_terminals(plan.terminals());
  plan.constants = tpcc::run_constants(plan.seed, tpcc::load_constants(plan.seed));
  const auto time = Duration(std::llround(*run.settings.simulate_ms * 1e6));
  const BlockedInterrupts blocked;
  coro::Worker worker;
  Attendance attendance(
      run,
      {fmt::format("no database: every transaction takes {} ms", *run.settings.simulate_ms), ""},
      "");
  const auto nothing = [](Duration) -> Task<void> { co_return; };
  const auto backends = [time](std::size_t) -> std::unique_ptr<tpcc::Backend> {
    return std::make_unique<tpcc::SimulatedBackend>(time);
  };
  RunFacts facts;
  return measure(run, worker, attendance, backends, facts, nothing, Duration::zero());
}

}  // namespace drover::run
