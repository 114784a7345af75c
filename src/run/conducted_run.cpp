#include "run/conducted_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "coro/block_on.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"
#include "ranks/live.h"
#include "report/audit/audit.h"
#include "report/document/result_json.h"
#include "report/merge/merge.h"
#include "run/process.h"
#include "run/run_monitors.h"
#include "text/plain_text.h"

namespace drover::run {

using coro::Duration;
using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;
using load::Snapshot;
using ranks::Message;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// Time between the agreement on the start and the start: more than a message takes on a fast
// network.
constexpr Duration notice_of_start = milliseconds(500);
// Time after the end of a second in which the figures of the hosts arrive.
constexpr Duration figures_arrive_within = milliseconds(250);
// Beyond ConductorSettings::silence_most: the time after which a rank whose connection lives is
// lost because its run sends no figures.
constexpr Duration silence_of_seconds_most = seconds(10);
constexpr std::size_t clocks_at_a_time = 16;
// Time from the end of the load to the part of a host, which may wait for its database and look up
// unknown commits.
constexpr Duration parts_within = std::chrono::minutes(20);
// Time in which the processes of the agents end after their release.
constexpr Duration agents_end_within = seconds(10);

struct RankState {
  ReceivedFigures received;
  Instant heard_at{};
  bool is_over = false;    // no longer measures
  bool has_ended = false;  // its part has arrived
};

class ConductedRun {
 public:
  ConductedRun(const RunPlan& run, Benchmark& benchmark, RunMonitors& monitors)
      : run_(run),
        conducting_(*run.conducting),
        conductor_(*conducting_.conductor),
        benchmark_(benchmark),
        monitors_(monitors),
        states_(conductor_.ranks(),
                {.received = ReceivedFigures(benchmark.plan().warmup, conductor_.ranks())}) {
    conductor_.on_message(
        {"live", "note", "end", "begun", "over"},
        [this](std::size_t rank, const Message& message) { take(rank, message); });
    conductor_.on_lost([this](std::size_t rank) { on_lost(rank); });
  }

  // Returns true if the run has begun, and has a result.
  Task<bool> go();
  report::Result take_result() { return std::move(result_); }
  load::Outcome outcome() const;

 private:
  Task<void> begin();
  Task<void> gather();
  Task<bool> unless_stopped(Task<void> waiting);
  Task<void> compare_clocks();
  Task<void> gather_part(std::size_t rank);
  Task<std::optional<ranks::ClockDifference>> clock_at_end(std::size_t rank);
  Task<void> show_seconds();
  void lose_silent(Instant now);
  void show_second();
  void take(std::size_t rank, const Message& message);
  void on_lost(std::size_t rank);
  void stop_all();
  report::Result part_of_lost(std::size_t rank);
  Instant end_of_measurement() const {
    const load::Plan& plan = benchmark_.plan();
    return start_ + plan.warmup + plan.duration;
  }
  bool is_running(std::size_t rank) const {
    return !conductor_.is_lost(rank) && !states_[rank].has_ended;
  }

  const RunPlan& run_;
  const Conducting& conducting_;
  ranks::Conductor& conductor_;
  Benchmark& benchmark_;
  RunMonitors& monitors_;
  std::vector<RankState> states_;
  bool stopping_ = false;
  coro::CancelSource* beginning_ = nullptr;  // not null until the phases begin
  Instant start_{};                          // of the phases, by this host's clock
  double unix_start_ = 0;
  coro::Semaphore merging_{1};
  report::Merger merger_;
  report::Result result_;
};

void ConductedRun::take(std::size_t rank, const Message& message) {
  const std::string kind = ranks::kind_of(message);
  RankState& state = states_[rank];
  if (kind == "live") {
    state.received.take(message);
    state.heard_at = Worker::current().now();
  } else if (kind == "begun") {
    state.received.has_begun = true;
    state.heard_at = Worker::current().now();
  } else if (kind == "over") {
    state.is_over = true;
    state.heard_at = Worker::current().now();
  } else if (kind == "note") {
    monitors_.observers.on_note(
        fmt::format("{}: {}", conductor_.name(rank), message.at("text").get<std::string>()));
  } else if (!monitors_.stop.requested()) {
    monitors_.observers.on_note(fmt::format(
        "{} received a signal to stop. Ending the run on all hosts", conductor_.name(rank)));
    monitors_.stop.request();
  }
}

void ConductedRun::on_lost(std::size_t rank) {
  // Before the phases begin, one error names all lost hosts.
  if (beginning_ != nullptr) return beginning_->cancel();
  monitors_.observers.on_note(
      fmt::format("host {} is lost: {}", conductor_.name(rank), conductor_.loss(rank)->reason));
  stop_all();
}

void ConductedRun::stop_all() {
  if (std::exchange(stopping_, true)) return;
  conductor_.tell_all(ranks::message("stop"));
}

// Returns false if the user ended the run before `waiting` had ended. Throws RankLost if any rank
// is lost meanwhile.
Task<bool> ConductedRun::unless_stopped(Task<void> waiting) {
  if (monitors_.stop.requested()) co_return false;
  coro::CancelSource& outer = co_await coro::current_source();
  coro::CancelSource source(outer);
  beginning_ = &source;
  if (conductor_.any_lost()) source.cancel();
  bool has_ended = false;
  std::exception_ptr error;
  try {
    has_ended = co_await monitors_.stop.unless_requested(std::move(waiting)).under(source);
  } catch (...) {
    error = std::current_exception();
  }
  beginning_ = nullptr;
  if (!error) co_return has_ended;
  if (outer.cancelled()) std::rethrow_exception(error);
  if (monitors_.stop.requested()) co_return false;
  if (conductor_.any_lost()) co_await conductor_.throw_losses();
  std::rethrow_exception(error);
}

Task<bool> ConductedRun::go() {
  bool has_begun = false;
  std::exception_ptr error;
  try {
    has_begun = co_await unless_stopped(begin());
  } catch (const std::exception&) {
    error = std::current_exception();
  }
  if (has_begun) {
    monitors_.stop.on_request([this] { stop_all(); });
    if (monitors_.stop.requested() || conductor_.any_lost()) stop_all();
    co_await gather();
    monitors_.stop.on_request({});
  } else {
    stop_all();
    for (std::size_t rank = 0; rank < conductor_.ranks(); ++rank) conductor_.release(rank);
  }
  co_await conductor_.all_gone(agents_end_within);
  if (error) std::rethrow_exception(error);
  co_return has_begun;
}

// Prepares all hosts, and tells them when the phases begin.
Task<void> ConductedRun::begin() {
  const std::size_t ranks = conductor_.ranks();
  co_await all_here(conductor_,
                    [this](std::string_view line) { monitors_.observers.on_note(line); });
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Message work = work_for(conducting_, rank);
    work["connections"] = benchmark_.plan().connections;
    work["found"] = benchmark_.found_for_all();
    conductor_.tell(rank, work);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) co_await conductor_.next(rank, "open");
  co_await compare_clocks();
  conductor_.tell_all(ranks::message("come_up"));
  const Instant coming = Worker::current().now();
  for (std::size_t rank = 0; rank < ranks; ++rank) co_await conductor_.next(rank, "up");
  const Duration ramp_up = Worker::current().now() - coming;
  Duration notice = notice_of_start;
  for (const RankState& state : states_) {
    // Twice the uncertainty is the shortest measured round trip.
    notice = std::max(
        notice, notice_of_start +
                    2 * std::chrono::nanoseconds(state.received.clock_at_start->uncertainty_ns));
  }
  start_ = Worker::current().now() + notice;
  unix_start_ = load::unix_time_now() + coro::seconds_of(notice);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Message start = ranks::message("start");
    const Instant theirs = states_[rank].received.clock_at_start.value().theirs(start_);
    start["at_ns"] = theirs.time_since_epoch().count();
    conductor_.tell(rank, start);
  }
  monitors_.observers.on_started(ramp_up);
}

// Compares a limited number of clocks at a time. More comparisons would wait for each other on this
// worker, and so lengthen the round trips.
Task<void> ConductedRun::compare_clocks() {
  coro::Semaphore turns{clocks_at_a_time};
  const auto compare = [this, &turns](std::size_t rank) -> Task<void> {
    const auto turn = co_await turns.acquire();
    states_[rank].received.clock_at_start = co_await conductor_.compare_clocks(rank);
  };
  const auto all = [&](Scope& scope) -> Task<void> {
    for (std::size_t rank = 0; rank < states_.size(); ++rank) scope.start(compare(rank));
    co_return;
  };
  co_await coro::with_scope(all);
}

Task<void> ConductedRun::gather() {
  Scope showing(co_await coro::current_source());
  showing.start(show_seconds());
  Scope gathering(co_await coro::current_source());
  for (std::size_t rank = 0; rank < conductor_.ranks(); ++rank) {
    gathering.start(gather_part(rank));
  }
  co_await gathering.join();
  showing.cancel();
  co_await showing.join();
  for (std::size_t rank = 0; rank < conductor_.ranks(); ++rank) {
    if (!states_[rank].has_ended) merger_.add(part_of_lost(rank), conductor_.name(rank));
  }
  result_ = merger_.take();
}

// Returns none if the rank is lost, whose part has arrived nevertheless.
Task<std::optional<ranks::ClockDifference>> ConductedRun::clock_at_end(std::size_t rank) {
  try {
    co_return co_await conductor_.compare_clocks(rank);
  } catch (const ranks::RankLost&) {
    co_return std::nullopt;
  }
}

Task<void> ConductedRun::gather_part(std::size_t rank) {
  try {
    Message delivery = co_await conductor_.next(rank, "part");
    const std::string name = conductor_.name(rank);
    const std::optional<ranks::ClockDifference> at_end = co_await clock_at_end(rank);
    // Reads one part per turn of the worker, because reading takes up to seconds, and the worker
    // must send signs of life between two parts.
    const auto turn = co_await merging_.acquire();
    co_await coro::sleep_for(milliseconds(1));
    report::Result part = report::read_result(delivery.at("text").get<std::string>(), name);
    if (part.ranks.size() != 1 || part.ranks.front().rank != rank) {
      throw report::ResultReadError(fmt::format("{} sent the part of another host", name));
    }
    if (const auto clock = states_[rank].received.clock_at_start) {
      part.ranks.front().clock_at_start = clock->offset();
    }
    if (at_end) part.ranks.front().clock_at_end = at_end->offset();
    // A host that failed or was interrupted ends the run on all hosts.
    if (part.failure || part.interrupted) stop_all();
    const std::string trouble = delivery.value("trouble", std::string());
    if (!trouble.empty()) {
      monitors_.observers.on_note(
          fmt::format("note: {} could not keep its part of the result: {}", name, trouble));
    }
    merger_.add(std::move(part), name);
    states_[rank].has_ended = true;
    states_[rank].received.seconds = load::SampleSeries(benchmark_.plan().warmup);
    conductor_.release(rank);
  } catch (const ranks::RankLost&) {
    // on_lost() has reported the loss.
  } catch (const report::ResultReadError& error) {
    conductor_.lose(rank, error.what());
  } catch (const report::MergeError& error) {
    conductor_.lose(rank, error.what());
  } catch (const nlohmann::json::exception&) {
    conductor_.lose(rank, "the host sent a part of the result that cannot be read");
  }
}

Task<void> ConductedRun::show_seconds() {
  Instant next = start_ + seconds(1) + figures_arrive_within;
  bool has_ended = false;
  for (;;) {
    if (!co_await coro::slept_until(next)) co_return;
    const Instant now = Worker::current().now();
    // If this process stood still, messages of the hosts may not have been read yet.
    if (now - next > seconds(1)) {
      for (RankState& state : states_) state.heard_at = now;
    }
    while (next <= now) next += seconds(1);
    const bool ends = stopping_ || now >= end_of_measurement();
    lose_silent(now);
    if (!has_ended) show_second();
    if (ends && !std::exchange(has_ended, true)) monitors_.observers.on_ended(false);
  }
}

// Loses the ranks that are connected but send no figures.
void ConductedRun::lose_silent(Instant now) {
  const bool all_over = stopping_ || now >= end_of_measurement();
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const bool is_over = all_over || states_[rank].is_over;
    const Duration most =
        is_over ? parts_within : silence_of_seconds_most + conductor_.silence_most();
    const Instant heard = std::max(states_[rank].heard_at, start_);
    if (is_running(rank) && now - heard > most) {
      conductor_.lose(rank, "the host is connected, but its run has sent no figures");
    }
  }
}

// Returns the counts of a host that is lost or has ended, so that the sums never fall.
Snapshot counts_of(const Snapshot& last) {
  Snapshot counts;
  counts.warmup = last.warmup;
  counts.measured = last.measured;
  counts.availability = last.availability;
  return counts;
}

void ConductedRun::show_second() {
  Snapshot sum;
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const Snapshot& last = states_[rank].received.last;
    const bool is_lost = conductor_.is_lost(rank);
    ranks::add_snapshot(is_running(rank) ? last : counts_of(last), sum);
    load::RankNow& now = sum.ranks.emplace_back();
    now.name = conductor_.name(rank);
    now.is_lost = is_lost;
    measure::HistogramSnapshot lag;
    for (const load::WorkerSnapshot& worker : last.workers) lag.merge(worker.timer_lag);
    now.timer_lag_p99_ms = static_cast<double>(lag.percentile_ns(99)) * 1e-6;
    now.worker_load = last.second.client_load;
    now.connections_open = last.connections_open;
    if (!is_running(rank) && !is_lost) continue;  // has executed all of its operations
    now.in_flight = last.second.in_flight;
    const double length = coro::seconds_of(last.second.length);
    std::uint64_t committed = 0;
    for (const std::uint64_t one : last.second.ok) committed += one;
    now.per_second = length > 0 ? static_cast<double>(committed) / length : 0;
  }
  sum.second.set_percentiles(sum.second_latency);
  if (sum.second.length > Duration::zero()) monitors_.observers.on_snapshot(sum);
}

report::Result ConductedRun::part_of_lost(std::size_t rank) {
  const load::Plan& plan = benchmark_.plan();
  report::Result empty = empty_result(run_, plan);
  empty.client.terminals = benchmark_.terminals_of(conducting_.shares[rank]);
  return run::part_of_lost(conducting_, rank, benchmark_, states_[rank].received, std::move(empty),
                           plan, start_, unix_start_);
}

// Returns an outcome with the times only.
load::Outcome ConductedRun::outcome() const {
  load::Outcome outcome;
  outcome.start = start_;
  outcome.unix_start = unix_start_;
  outcome.measured = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(result_.summary.time_seconds));
  return outcome;
}

struct Conducted {
  bool has_begun = false;
  report::Result result;
  load::Outcome outcome;
};

// Serves the connections to the agents. Loses all ranks if this fails.
Task<void> attend(ranks::Conductor& conductor) {
  std::string reason;
  try {
    co_await conductor.attend();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  for (std::size_t rank = 0; rank < conductor.ranks(); ++rank) conductor.lose(rank, reason);
}

Task<void> conducted(const RunPlan& run, Benchmark& benchmark, RunMonitors& monitors,
                     Conducted& conducted) {
  ConductedRun all(run, benchmark, monitors);
  const auto work = [&]() -> Task<void> {
    Scope launching(co_await coro::current_source());
    launching.start(
        run.conducting->launch([&](std::string_view line) { monitors.observers.on_note(line); }));
    std::exception_ptr error;
    try {
      conducted.has_begun = co_await all.go();
      if (conducted.has_begun) {
        co_await monitors.server.finish_activity(seconds(5));
        const Duration timeout =
            monitors.stop.requested() ? Duration(seconds(5)) : run.settings.patience_afterwards();
        co_await monitors.stop.unless_requested(benchmark.ask_what_all_wrote(timeout));
        conducted.outcome = all.outcome();
        conducted.result = all.take_result();
      }
    } catch (...) {
      error = std::current_exception();
    }
    launching.cancel();
    co_await launching.join();
    if (error) std::rethrow_exception(error);
  };
  co_await monitors.run(work, [&](Scope& beside) {
    beside.start(attend(*run.conducting->conductor));
    monitors.server.watch_in(beside);
  });
}

// Throws UsageError if a host would have nothing of a divided figure.
void require_parts(const RunPlan& run, Benchmark& benchmark) {
  const load::Plan& plan = benchmark.plan();
  const std::array<std::pair<std::uint64_t, std::string_view>, 4> wholes = {
      {{run.settings.warehouses, "warehouse"},
       {plan.connections, "connection"},
       {plan.max_inflight, "transaction at a time"},
       {plan.operations, "operation"}}};
  for (const auto& [whole, noun] : wholes) {
    require_part_for_each(*run.conducting, whole, noun,
                          [whole](const load::Share& share) { return share.of(whole); });
  }
  require_part_for_each(
      *run.conducting, plan.terminal_count, plan.workload.terminal,
      [&benchmark](const load::Share& share) { return benchmark.terminals_of(share); });
}

}  // namespace

std::optional<MeasuredRun> conduct(const RunPlan& run, Benchmark& benchmark, RunFacts facts,
                                   const ConductedPlace& place) {
  require_parts(run, benchmark);
  const BlockedInterrupts blocked;
  coro::Worker worker;
  const std::string version = facts.server ? facts.server->version : "";
  const std::string hosts = text::counted(run.conducting->shares.size(), "host");
  RunMonitors monitors(run, benchmark,
                       {fmt::format("{}, {}", place.description, hosts), benchmark.title()},
                       version);
  monitors.observers.on_note(plan_text(benchmark.plan(), place.description, hosts));
  if (facts.server) monitors.print_notes(place.notes, place.kind_name);
  Conducted made;
  coro::block_on(worker, conducted(run, benchmark, monitors, made));
  if (!made.has_begun) return std::nullopt;
  monitors.server.add_to(facts);
  MeasuredRun measured;
  measured.metrics = monitors.metrics;
  measured.result = std::move(made.result);
  measured.result.environment.server = facts.server;
  measured.result.plan.server_stats = run.settings.server_stats;  // the coordinator watches
  add_facts(facts, benchmark.plan(), made.outcome, measured.result);
  benchmark.complete_accounts(measured.result);
  measured.result.audit = report::audit(measured.result);
  measured.stop_requested = monitors.stop.requested();
  return measured;
}

}  // namespace drover::run
