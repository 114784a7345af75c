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
#include "ranks/member_run.h"
#include "report/audit/audit.h"
#include "report/merge/merge.h"
#include "run/attendance.h"
#include "run/conducted_run.h"
#include "run/conducting.h"
#include "run/interrupt.h"
#include "run/start_at.h"
#include "run/usage_error.h"
#include "text/plain_text.h"
#include "ui/display.h"

namespace drover::run {
namespace {

using coro::Duration;
using coro::Task;
using std::chrono::seconds;

// After an interrupt nobody wants to wait for long.
constexpr Duration patience_after_interrupt = seconds(5);
// A run that was given up has already waited for its database, and so has a run whose server does
// not answer at the end.
constexpr Duration patience_after_failure = seconds(1);

// Runs the engine on this thread's worker, with Ctrl-C as an orderly end, and asks what is left to ask, which Ctrl-C
// cuts short.
Task<load::Outcome> run_until_interrupted(const RunPlan& run, Benchmark& benchmark,
                                          Attendance& attendance, Duration patience) {
  load::StopRequest& stop = attendance.stop;
  InterruptWatch interrupt([&] {
    attendance.observers.on_note("interrupted: ending the run. Interrupt again to end it at once");
    if (run.member != nullptr) run.member->ask_for_end();
    stop.request();
  });
  coro::Scope watching(co_await coro::current_source());
  watching.start(interrupt.watch());
  watching.start(attendance.display->attend());
  if (run.member != nullptr) {
    // The conductor asks in answer to what this member was asked, too: once more would end what is left to ask.
    watching.start(run.member->attend([&stop] {
      if (!stop.requested()) stop.request();
    }));
  } else {  // else the conductor watches the server
    attendance.checkpoints.watch_in(watching);
    attendance.activity.watch_in(watching);
  }
  std::exception_ptr error;
  load::Outcome outcome;
  try {
    auto workload = benchmark.workload([&](std::string_view text) { attendance.notes.add(text); });
    load::Surroundings surroundings;
    surroundings.rendezvous = run.member;
    std::optional<StartAt> start_at;
    if (run.start_at) {
      surroundings.rendezvous =
          &start_at.emplace(*run.start_at, surroundings.unix_time, attendance.observers);
    }
    outcome = co_await load::run(benchmark.plan(), std::move(workload), attendance.observers, stop,
                                 surroundings);
    const coro::Instant load_ended = outcome.start + benchmark.plan().warmup + outcome.measured;
    Duration wait = patience_left(patience, coro::Worker::current().now() - load_ended);
    if (stop.requested()) wait = std::min(wait, patience_after_interrupt);
    if (outcome.failure) wait = std::min(wait, patience_after_failure);
    // Before anything else is asked, which would be among what the run cost.
    const std::vector<load::Stall>& stalls = outcome.availability.stalls;
    const bool is_silent = !stalls.empty() && !stalls.back().end;
    co_await attendance.activity.finish(
        std::min(wait, is_silent ? patience_after_failure : patience_after_interrupt));
    co_await stop.unless_requested(benchmark.ask_afterwards(wait));
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
      coro::block_on(worker, run_until_interrupted(run, benchmark, attendance, patience));
  facts.checkpoints = attendance.checkpoints.observed();
  facts.activity = attendance.activity.observed();
  MeasuredRun measured;
  measured.metrics = attendance.metrics;
  if (measured.metrics != nullptr) measured.metrics->show_outcome(outcome);
  measured.result = make_result(run, benchmark.plan(), facts, outcome);
  benchmark.add_to(outcome, measured.result);
  measured.result.audit = report::audit(measured.result);
  if (!measured.result.ranks.empty()) report::complete_rank(measured.result);
  measured.stop_requested = outcome.interrupted || outcome.stop_requested;
  return measured;
}

// Resolves what only the database could tell. Nothing if it was interrupted.
std::optional<database::ServerFacts> prepare(RunPlan& run, Benchmark& benchmark,
                                             const RunPlace& place) {
  database::ServerFacts server;
  const bool is_of_several = run.member != nullptr || run.conducting != nullptr;
  std::string identity;
  const auto ask = [&]() -> Task<void> {
    if (is_of_several && place.identity) identity = co_await place.identity();
    if (run.member != nullptr) require_same_database(run.member->work().database, identity);
    server = co_await benchmark.prepare();
  };
  if (run_command(ask()) != exit_success) return std::nullopt;
  if (run.conducting != nullptr) run.conducting->work["database"] = identity;
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

}  // namespace

Duration patience_left(Duration patience, Duration since_end) {
  const Duration left = patience - std::max(since_end, Duration::zero());
  return std::max(left, std::min(patience, patience_after_interrupt));
}

std::string plan_text(const load::Plan& plan, const std::string& place, const std::string& who) {
  std::string sizes;
  for (const load::Quantity& one : plan.workload.size) {
    sizes += text::counted(one.count, one.noun) + ", ";
  }
  return fmt::format("{} on {}: {}{}, {}, {}", plan.workload.benchmark, place, sizes,
                     text::counted(plan.terminal_count, plan.workload.terminal),
                     text::counted(plan.connections, "connection"), who);
}

std::unique_ptr<metrics::MetricsEndpoint> open_metrics_endpoint(
    const metrics::ListenAddress& address, const load::Plan& plan, const report::Tool& tool,
    const std::string& server_version, load::Observer& log) {
  std::vector<std::pair<std::string, std::string>> info = {{"version", tool.version},
                                                           {"commit", tool.commit}};
  if (!server_version.empty()) info.emplace_back("server_version", server_version);
  auto endpoint = std::make_unique<metrics::MetricsEndpoint>(address, plan, std::move(info));
  log.on_note(fmt::format("metrics: {}", endpoint->url()));
  if (!address.loopback) {
    log.on_note(
        fmt::format("note: every machine that can reach {} can read the metrics", endpoint->url()));
  }
  return endpoint;
}

std::optional<MeasuredRun> measure_on_database(RunPlan run, Benchmark& benchmark,
                                               const RunPlace& place) {
  const std::optional<database::ServerFacts> server = prepare(run, benchmark, place);
  if (!server) return std::nullopt;
  complete_plan(run, benchmark);
  RunFacts facts;
  facts.server = {server->version, server->settings,
                  server->product.empty() ? place.kind_name : server->product};
  const std::string where = fmt::format("{}, {}", place.description, facts.server->name());
  if (run.conducting != nullptr) {
    return conduct(run, benchmark, std::move(facts), {where, server->notes, place.kind_name});
  }
  require_room(benchmark.plan(), place.kind);
  // From here on Ctrl-C ends the run, with its result.
  const BlockedInterrupts blocked;
  coro::Worker worker;
  Attendance attendance(run, benchmark, {where, benchmark.title()}, server->version);
  attendance.observers.on_note(
      plan_text(benchmark.plan(), where, text::counted(benchmark.plan().threads, "thread")));
  tell_notes(run, benchmark, server->notes, place.kind_name, attendance);
  // For the database to be there again, when the terminals have ended.
  const Duration patience = run.settings.patience_afterwards();
  return measure(run, benchmark, worker, attendance, std::move(facts), patience);
}

std::optional<MeasuredRun> measure_simulated(RunPlan run, Benchmark& benchmark,
                                             const std::string& place) {
  resolve_threads(run, benchmark);
  resolve_permits(run, benchmark);
  complete_plan(run, benchmark);
  if (run.conducting != nullptr) return conduct(run, benchmark, {}, {place, {}, ""});
  require_room(benchmark.plan(), DatabaseKind::postgres);
  const BlockedInterrupts blocked;
  coro::Worker worker;
  Attendance attendance(run, benchmark, {place, ""}, "");
  return measure(run, benchmark, worker, attendance, {}, Duration::zero());
}

}  // namespace drover::run
