#include "run/measured_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "load/run.h"
#include "load/snapshot.h"
#include "ranks/member_run.h"
#include "report/audit/audit.h"
#include "report/merge/merge.h"
#include "run/conducted_run.h"
#include "run/run_monitors.h"
#include "run/usage_error.h"
#include "text/plain_text.h"

namespace drover::run {
namespace {

using coro::Duration;
using coro::Task;
using std::chrono::seconds;

// Longest time to wait for the database after an interrupt.
constexpr Duration wait_after_interrupt = seconds(5);
// The same after a failure, where the run has already waited for its database, and for a server
// that does not answer at the end.
constexpr Duration wait_after_failure = seconds(1);

// Longest time between two looks at the machine's clock, which may be set during the wait. The last
// look is shortly before the start.
constexpr double look_again_s = 10;
constexpr double shortly_before_s = 1;

coro::Duration duration_of(double seconds) {
  return coro::Duration(static_cast<std::int64_t>(seconds * 1e9));
}

// Runs the engine on this thread's worker, and then the look-ups in the database, which Ctrl-C
// ends.
Task<load::Outcome> execute(const RunPlan& run, Benchmark& benchmark, RunMonitors& monitors,
                            Duration timeout) {
  load::StopRequest& stop = monitors.stop;
  auto workload =
      benchmark.workload([&monitors](std::string_view text) { monitors.notes.add(text); });
  load::Surroundings surroundings;
  surroundings.rendezvous = run.member;
  std::optional<StartAt> start_at;
  if (run.start_at) {
    surroundings.rendezvous =
        &start_at.emplace(*run.start_at, surroundings.unix_time, monitors.observers);
  }
  load::Outcome outcome = co_await load::run(benchmark.plan(), std::move(workload),
                                             monitors.observers, stop, surroundings);
  const coro::Instant load_ended = outcome.start + benchmark.plan().warmup + outcome.measured;
  Duration wait = patience_left(timeout, coro::Worker::current().now() - load_ended);
  if (stop.requested()) wait = std::min(wait, wait_after_interrupt);
  if (outcome.failure) wait = std::min(wait, wait_after_failure);
  const std::vector<load::Stall>& stalls = outcome.availability.stalls;
  const bool is_silent = !stalls.empty() && !stalls.back().end;
  // Reads the statement statistics before ask_afterwards(), whose look-ups they must not contain.
  co_await monitors.server.finish_activity(
      std::min(wait, is_silent ? wait_after_failure : wait_after_interrupt));
  co_await stop.unless_requested(benchmark.ask_afterwards(wait));
  outcome.stop_requested = stop.requested();
  co_return outcome;
}

MeasuredRun measure(const RunPlan& run, Benchmark& benchmark, coro::Worker& worker,
                    RunMonitors& monitors, RunFacts facts, Duration timeout) {
  load::Outcome outcome;
  const auto work = [&]() -> Task<void> {
    outcome = co_await execute(run, benchmark, monitors, timeout);
  };
  const auto start_beside = [&](coro::Scope& beside) {
    if (run.member == nullptr) return monitors.server.watch_in(beside);
    // The coordinator watches the server. It answers a request for the end that this host has sent
    // by a "stop", which must not end the look-ups, too.
    beside.start(run.member->attend([&monitors] {
      if (!monitors.stop.requested()) monitors.stop.request();
    }));
  };
  coro::block_on(worker, monitors.run(work, start_beside));
  monitors.server.add_to(facts);
  MeasuredRun measured;
  measured.metrics = monitors.metrics;
  if (measured.metrics != nullptr) measured.metrics->show_outcome(outcome);
  measured.result = make_result(run, benchmark.plan(), facts, outcome);
  benchmark.add_to(outcome, measured.result);
  measured.result.audit = report::audit(measured.result);
  if (!measured.result.ranks.empty()) report::complete_rank(measured.result);
  measured.stop_requested = outcome.interrupted || outcome.stop_requested;
  return measured;
}

// Asks the database for the values that were left to Drover. Returns none if it was interrupted.
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

coro::Task<coro::Instant> StartAt::terminals_up() {
  double left = unix_s_ - unix_time_();
  if (left < 0) {
    log_.on_note(fmt::format(
        "note: the time of --start-at passed while the terminals started. The run begins {} late",
        text::length_text(-left)));
  } else {
    log_.on_note(fmt::format("all terminals have started. Waiting {1} until {0}",
                             text::moment_text(static_cast<std::int64_t>(unix_s_)),
                             text::length_text(left)));
  }
  for (; left > shortly_before_s; left = unix_s_ - unix_time_()) {
    co_await coro::sleep_for(
        duration_of(std::min(std::max(left - shortly_before_s, 0.001), look_again_s)));
  }
  co_return coro::Worker::current().now() + duration_of(left);
}

Duration patience_left(Duration patience, Duration since_end) {
  const Duration left = patience - std::max(since_end, Duration::zero());
  return std::max(left, std::min(patience, wait_after_interrupt));
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
  RunMonitors monitors(run, benchmark, {where, benchmark.title()}, server->version);
  monitors.observers.on_note(
      plan_text(benchmark.plan(), where, text::counted(benchmark.plan().threads, "thread")));
  monitors.print_notes(server->notes, place.kind_name);
  return measure(run, benchmark, worker, monitors, std::move(facts),
                 run.settings.patience_afterwards());
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
  RunMonitors monitors(run, benchmark, {place, ""}, "");
  return measure(run, benchmark, worker, monitors, {}, Duration::zero());
}

}  // namespace drover::run
