#include "run/conducted_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <map>
#include <stdexcept>
#include <utility>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"
#include "file/bounded_file.h"
#include "ranks/live.h"
#include "report/audit/audit.h"
#include "report/document/result_json.h"
#include "report/merge/merge.h"
#include "run/attendance.h"
#include "run/interrupt.h"
#include "run/usage_error.h"
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

// For mpirun, ssh and the hosts to have all processes there.
constexpr Duration patience_for_ranks = std::chrono::minutes(2);
// Between the agreement on the start and the start: more than a message takes.
constexpr Duration notice_of_start = milliseconds(500);
// After a second for what is said of it to come.
constexpr Duration seconds_are_shown_after = milliseconds(250);
// A rank whose connection lives and whose run does not.
constexpr Duration silence_of_seconds_most = seconds(15);
// From the last second on, for a database that is to come back and for what may be lost to be looked up.
constexpr Duration patience_for_parts = std::chrono::minutes(20);
// For processes that were let go to end by themselves.
constexpr Duration patience_for_ends = seconds(10);

// What the conductor knows of a rank while it runs.
struct RankState {
  std::optional<ranks::ClockDifference> clock_at_start;
  Snapshot last;
  Instant last_at{};
  // Its seconds, as they came, for if nothing more comes.
  std::vector<std::vector<std::uint8_t>> seconds;
  bool has_begun = false;
  bool has_ended = false;  // its part is there
};

class ConductedRun {
 public:
  ConductedRun(const RunPlan& run, Benchmark& benchmark, Attendance& attendance)
      : run_(run),
        conducting_(*run.conducting),
        conductor_(*conducting_.conductor),
        benchmark_(benchmark),
        attendance_(attendance),
        states_(conductor_.ranks()) {
    conductor_.on_message(
        {"live", "note", "end", "begun"},
        [this](std::size_t rank, const Message& message) { take(rank, message); });
    conductor_.on_lost([this](std::size_t rank) { on_lost(rank); });
  }

  // Whether it has begun; then there is a result.
  Task<bool> go();
  report::Result take_result() { return std::move(result_); }
  load::Outcome outcome() const { return outcome_at(unix_start_); }

 private:
  Task<void> begin();
  Task<void> gather();
  Task<void> until_asked(Task<void> waiting);
  Task<void> compare_clocks();
  Task<void> gather_part(std::size_t rank);
  Task<std::optional<ranks::ClockDifference>> clock_at_end(std::size_t rank);
  Task<void> show_seconds();
  void lose_silent(Instant now);
  void show_second();
  void take(std::size_t rank, const Message& message);
  void on_lost(std::size_t rank);
  void stop_all();
  report::Result part_of_lost(std::size_t rank) const;
  void add_seconds_of_lost(std::size_t rank, report::Result& part) const;
  load::Outcome outcome_at(double unix_start) const;
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
  Attendance& attendance_;
  std::vector<RankState> states_;
  bool stopping_ = false;
  coro::CancelSource* beginning_ = nullptr;  // until the phases begin
  Instant start_{};                          // by this host's clock; none before
  double unix_start_ = 0;
  coro::Semaphore merging_{1};
  report::Merger merger_;
  report::Result result_;
};

void ConductedRun::take(std::size_t rank, const Message& message) {
  const std::string kind = ranks::kind_of(message);
  RankState& state = states_[rank];
  if (kind == "live") {
    state.last =
        ranks::snapshot_in(message, state.clock_at_start.value_or(ranks::ClockDifference{}));
    state.last_at = Worker::current().now();
    const Message kept = {message.at("second"), message.at("latency")};
    state.seconds.push_back(Message::to_cbor(kept));
  } else if (kind == "begun") {
    state.has_begun = true;
    state.last_at = Worker::current().now();
  } else if (kind == "note") {
    attendance_.observers.on_note(
        fmt::format("{}: {}", conductor_.name(rank), message.at("text").get<std::string>()));
  } else if (!attendance_.stop.requested()) {
    attendance_.observers.on_note(
        fmt::format("{} was asked to end: ending the run", conductor_.name(rank)));
    attendance_.stop.request();
  }
}

// The others end in order.
void ConductedRun::on_lost(std::size_t rank) {
  attendance_.observers.on_note(
      fmt::format("host {} is lost: {}", conductor_.name(rank), conductor_.loss(rank)->reason));
  stop_all();
  if (beginning_ != nullptr) beginning_->cancel();
}

void ConductedRun::stop_all() {
  if (std::exchange(stopping_, true)) return;
  conductor_.tell_all(ranks::message("stop"));
}

// Throws Cancelled when somebody asks for the end, and RankLost when a rank is lost, whichever is waited for.
Task<void> ConductedRun::until_asked(Task<void> waiting) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::CancelSource source(outer);
  beginning_ = &source;
  attendance_.stop.on_request([&source] { source.cancel(); });
  if (attendance_.stop.requested() || conductor_.any_lost()) source.cancel();
  std::exception_ptr error;
  try {
    co_await std::move(waiting).under(source);
  } catch (...) {
    error = std::current_exception();
  }
  attendance_.stop.on_request({});
  beginning_ = nullptr;
  if (!error) co_return;
  if (!outer.cancelled() && !attendance_.stop.requested()) {
    for (std::size_t rank = 0; rank < conductor_.ranks(); ++rank) {
      if (conductor_.is_lost(rank)) conductor_.throw_loss(rank);
    }
  }
  std::rethrow_exception(error);
}

Task<bool> ConductedRun::go() {
  coro::CancelSource& outer = co_await coro::current_source();
  bool has_begun = false;
  std::exception_ptr error;
  try {
    co_await until_asked(begin());
    has_begun = true;
  } catch (const coro::Cancelled&) {
    if (outer.cancelled()) throw;
  } catch (...) {
    error = std::current_exception();
  }
  if (has_begun) {
    attendance_.stop.on_request([this] { stop_all(); });
    if (attendance_.stop.requested() || conductor_.any_lost()) stop_all();
    co_await gather();
    attendance_.stop.on_request({});
  } else {
    stop_all();
    for (std::size_t rank = 0; rank < conductor_.ranks(); ++rank) conductor_.release(rank);
  }
  co_await conductor_.all_gone(patience_for_ends);
  if (error) std::rethrow_exception(error);
  co_return has_begun;
}

// Until all have been told when the phases begin.
Task<void> ConductedRun::begin() {
  const std::size_t ranks = conductor_.ranks();
  co_await all_here(conductor_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Message work = work_for(conducting_, rank);
    work["connections"] = benchmark_.plan().connections;
    conductor_.tell(rank, work);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) co_await conductor_.next(rank, "open");
  co_await compare_clocks();
  conductor_.tell_all(ranks::message("come_up"));
  const Instant coming = Worker::current().now();
  for (std::size_t rank = 0; rank < ranks; ++rank) co_await conductor_.next(rank, "up");
  const Duration ramp_up = Worker::current().now() - coming;
  start_ = Worker::current().now() + notice_of_start;
  unix_start_ = load::unix_time_now() + coro::seconds_of(notice_of_start);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    Message start = ranks::message("start");
    const Instant theirs = states_[rank].clock_at_start.value().theirs(start_);
    start["at_ns"] = theirs.time_since_epoch().count();
    conductor_.tell(rank, start);
  }
  attendance_.observers.on_started(ramp_up);
}

Task<void> ConductedRun::compare_clocks() {
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    states_[rank].clock_at_start = co_await conductor_.compare_clocks(rank);
  }
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

// Nothing if the rank is lost by now: its part is there all the same.
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
    // A part a turn of the worker: between them it says that it is there, and a long one takes seconds to read.
    const auto turn = co_await merging_.acquire();
    co_await coro::sleep_for(milliseconds(1));
    report::Result part = report::read_result(delivery.at("text").get<std::string>(), name);
    if (part.ranks.size() != 1 || part.ranks.front().rank != rank) {
      throw report::ResultReadError(fmt::format("{} sent the part of another rank", name));
    }
    if (const auto clock = states_[rank].clock_at_start) {
      part.ranks.front().clock_at_start = clock->offset();
    }
    if (at_end) part.ranks.front().clock_at_end = at_end->offset();
    // One that has given up, or was asked to end, ends it for all.
    if (part.failure || part.interrupted) stop_all();
    const std::string trouble = delivery.value("trouble", std::string());
    if (!trouble.empty()) {
      attendance_.observers.on_note(
          fmt::format("note: {} could not keep its part: {}", name, trouble));
    }
    merger_.add(std::move(part), name);
    states_[rank].has_ended = true;
    states_[rank].seconds = {};
    conductor_.release(rank);
  } catch (const ranks::RankLost&) {
    // It was told.
  } catch (const report::ResultReadError& error) {
    conductor_.lose(rank, error.what());
  } catch (const report::MergeError& error) {
    conductor_.lose(rank, error.what());
  } catch (const nlohmann::json::exception&) {
    conductor_.lose(rank, "it sent a part that cannot be read");
  }
}

Task<void> ConductedRun::show_seconds() {
  Instant next = start_ + seconds(1) + seconds_are_shown_after;
  bool has_ended = false;
  for (;;) {
    if (!co_await coro::slept_until(next)) co_return;
    const Instant now = Worker::current().now();
    while (next <= now) next += seconds(1);
    const bool ends = stopping_ || now >= end_of_measurement();
    lose_silent(now);
    if (!has_ended) show_second();
    if (ends && !std::exchange(has_ended, true)) attendance_.observers.on_ended(false);
  }
}

// Whose connection lives, and whose run does not.
void ConductedRun::lose_silent(Instant now) {
  const bool has_ended = stopping_ || now >= end_of_measurement();
  const Duration most = has_ended ? patience_for_parts : silence_of_seconds_most;
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const Instant heard = std::max(states_[rank].last_at, start_);
    if (is_running(rank) && now - heard > most) {
      conductor_.lose(rank, "it is there, and its run says nothing");
    }
  }
}

// What a host had counted that is lost, or has done all of its operations: sums never fall.
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
    const Snapshot& last = states_[rank].last;
    const bool is_lost = conductor_.is_lost(rank);
    ranks::add_snapshot(is_running(rank) ? last : counts_of(last), sum);
    load::RankNow& now = sum.ranks.emplace_back();
    now.name = conductor_.name(rank);
    now.is_lost = is_lost;
    measure::HistogramSnapshot lag;
    for (const load::WorkerSnapshot& worker : last.workers) lag.merge(worker.timer_lag);
    now.timer_lag_p99_ms = static_cast<double>(lag.percentile_ns(99)) * 1e-6;
    now.worker_load = last.second.busiest_worker_load;
    now.connections_open = last.connections_open;
    if (!is_running(rank) && !is_lost) continue;  // it has done all that it was to do
    now.in_flight = last.second.in_flight;
    const double length = coro::seconds_of(last.second.length);
    std::uint64_t committed = 0;
    for (const std::uint64_t one : last.second.committed) committed += one;
    now.per_second = length > 0 ? static_cast<double>(committed) / length : 0;
  }
  const auto ms = [&sum](double percent) {
    return static_cast<double>(sum.second_latency.percentile_ns(percent)) * 1e-6;
  };
  sum.second.p50_ms = ms(50);
  sum.second.p90_ms = ms(90);
  sum.second.p99_ms = ms(99);
  if (sum.second.length > Duration::zero()) attendance_.observers.on_snapshot(sum);
}

// What it said last, as if it had ended then. Counters and histograms were read one after the other while it counted on:
// the histogram says how many were committed.
report::Result ConductedRun::part_of_lost(std::size_t rank) const {
  const RankState& state = states_[rank];
  const Snapshot& last = state.last;
  const load::Plan& plan = benchmark_.plan();
  report::Result part = empty_result(run_, plan);
  part.plan.threads = last.workers.size();
  part.plan.connections = last.connections_open;
  part.plan.max_inflight = last.connections_open;
  const load::Share& share = conducting_.shares[rank];
  part.plan.clients = share.of(plan.clients);
  part.plan.rate = share.of_rate(plan.rate);
  part.plan.operations = share.of(plan.operations);
  for (std::size_t type = 0; type < part.transactions.size(); ++type) {
    const load::TransactionSnapshot& counted = last.measured[type];
    report::TransactionResult& one = part.transactions[type];
    one.latency = counted.latency;
    one.ok_count = counted.latency.count();
    one.user_aborted_count = counted.user_aborted;
    one.failed_count = counted.failed;
    one.retry_count = counted.retries;
    one.attempts = one.all_count() + one.retry_count;
    for (std::size_t i = 0; i < counted.errors.size(); ++i) {
      if (counted.errors[i] == 0) continue;
      const auto error = static_cast<database::ErrorClass>(i);
      one.errors_by_class[std::string(database::error_class_name(error))] = counted.errors[i];
    }
  }
  add_seconds_of_lost(rank, part);
  part.summary.time_seconds = std::max(coro::seconds_of(last.second.elapsed - plan.warmup), 0.0);
  // By its own clock, as all parts have it.
  double unix_start = unix_start_;
  if (state.clock_at_start) unix_start += state.clock_at_start->offset().wall_s;
  part.summary.measure_start_ts =
      static_cast<std::int64_t>(unix_start + coro::seconds_of(plan.warmup));
  report::complete_summary(part);
  load::Outcome outcome = outcome_at(unix_start);
  outcome.measured = last.second.elapsed - plan.warmup;
  outcome.availability = last.availability;
  part.availability = availability(plan, outcome);
  part.ledger.exact = false;
  part.client.cpu_seconds = last.process.cpu_seconds;
  part.client.peak_rss_bytes = last.process.peak_rss_bytes;
  part.client.threads = last.process.threads;
  part.client.connections = last.connections_open;
  part.client.terminals = conducting_.shares[rank].of(plan.terminal_count);
  for (const load::WorkerSnapshot& worker : last.workers) {
    part.client.workers.push_back({worker.load, 0, 0});
  }
  part.interrupted = true;
  report::RankResult& own = part.ranks.emplace_back();
  own.rank = rank;
  own.ranks = conductor_.ranks();
  own.run = conducting_.run;
  own.name = conductor_.name(rank);
  if (const std::uint64_t warehouses = run_.settings.warehouses; part.is_tpcc()) {
    own.warehouse_first = share.begin(warehouses) + 1;
    own.warehouse_last = share.end(warehouses);
  }
  own.lost = conductor_.loss(rank)->reason;
  own.lost_at_s = std::max(coro::seconds_of(conductor_.loss(rank)->at - start_), 0.0);
  if (state.clock_at_start) own.clock_at_start = state.clock_at_start->offset();
  report::complete_rank(part);
  own.start_ts = state.has_begun ? unix_start : 0;
  return part;
}

void ConductedRun::add_seconds_of_lost(std::size_t rank, report::Result& part) const {
  for (const std::vector<std::uint8_t>& bytes : states_[rank].seconds) {
    const Message kept = Message::from_cbor(bytes);
    const load::Sample second = ranks::second_in(kept.at(0));
    report::TimePoint& point = part.time_series.emplace_back(time_point(second));
    point.latency = ranks::histogram_of(kept.at(1).get_binary());
    const auto whole = measure::HistogramSnapshot::from_sparse(point.latency);
    if (!whole) continue;
    point.p50_ms = static_cast<double>(whole->percentile_ns(50)) * 1e-6;
    point.p90_ms = static_cast<double>(whole->percentile_ns(90)) * 1e-6;
    point.p99_ms = static_cast<double>(whole->percentile_ns(99)) * 1e-6;
  }
}

// As far as what is told of times needs it.
load::Outcome ConductedRun::outcome_at(double unix_start) const {
  load::Outcome outcome;
  outcome.start = start_;
  outcome.unix_start = unix_start;
  outcome.measured = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(result_.summary.time_seconds));
  return outcome;
}

struct Conducted {
  bool has_begun = false;
  report::Result result;
  load::Outcome outcome;
};

// Where it cannot go on, all are lost to it.
Task<void> attend(ranks::Conductor& conductor) {
  std::string reason;
  try {
    co_await conductor.attend();
  } catch (const std::exception& error) {
    reason = error.what();
  }
  for (std::size_t rank = 0; rank < conductor.ranks(); ++rank) conductor.lose(rank, reason);
}

// The ranks, and what stands beside them on this host's main thread.
Task<void> conducted(const RunPlan& run, Benchmark& benchmark, Attendance& attendance,
                     Conducted& conducted) {
  coro::CancelSource& outer = co_await coro::current_source();
  InterruptWatch interrupt([&] {
    attendance.observers.on_note("interrupted: ending the run (once more ends it at once)");
    attendance.stop.request();
  });
  Scope beside(outer);
  Scope launching(outer);
  beside.start(interrupt.watch());
  beside.start(attendance.display->attend());
  beside.start(attend(*run.conducting->conductor));
  attendance.checkpoints.watch_in(beside);
  attendance.activity.watch_in(beside);
  ConductedRun all(run, benchmark, attendance);
  launching.start(launched(*run.conducting,
                           [&](std::string_view line) { attendance.observers.on_note(line); }));
  std::exception_ptr error;
  try {
    conducted.has_begun = co_await all.go();
    if (conducted.has_begun) {
      co_await attendance.activity.finish(seconds(5));
      const Duration patience =
          attendance.stop.requested() ? Duration(seconds(5)) : run.settings.patience_afterwards();
      co_await unless_asked(benchmark.ask_what_all_wrote(patience), attendance.stop);
      conducted.outcome = all.outcome();
      conducted.result = all.take_result();
    }
  } catch (...) {
    error = std::current_exception();
  }
  launching.cancel();
  co_await launching.join();
  beside.cancel();
  co_await beside.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace

Task<void> all_here(ranks::Conductor& conductor) {
  bool in_time = true;
  try {
    co_await coro::with_deadline(Worker::current().now() + patience_for_ranks,
                                 conductor.all_here());
  } catch (const coro::DeadlineExceeded&) {
    in_time = false;
  }
  if (in_time) co_return;
  conductor.lose_missing(
      fmt::format("it did not come within {:.0f} s", coro::seconds_of(patience_for_ranks)));
  co_await conductor.all_here();
}

Message work_for(const Conducting& conducting, std::size_t rank) {
  Message work = conducting.work;
  work["files"] = file::remembered_files();  // they are on this host
  const load::Share& share = conducting.shares[rank];
  work["share"] = {share.before, share.own, share.total, share.rank, share.ranks};
  work["run"] = conducting.run;
  work["rank"] = rank;
  work["ranks"] = conducting.shares.size();
  work["name"] = conducting.conductor->name(rank);
  return work;
}

Task<void> launched(const Conducting& conducting, std::function<void(std::string_view)> on_note) {
  std::string reason = "its process ended before it came";
  try {
    co_await conducting.launch(std::move(on_note));
  } catch (const std::exception& error) {
    reason = error.what();
  }
  conducting.conductor->lose_missing(reason);
}

namespace {

// What a host would find wrong with its part is said before any is started.
void require_part_for_each(const RunPlan& run, const load::Plan& plan) {
  const Conducting& conducting = *run.conducting;
  const std::array<std::pair<std::uint64_t, std::string_view>, 5> wholes = {
      {{run.settings.warehouses, "warehouse"},
       {plan.terminal_count, plan.presentation.terminal},
       {plan.connections, "connection"},
       {plan.max_inflight, "transaction at a time"},
       {plan.operations, "operation"}}};
  for (const auto& [whole, noun] : wholes) {
    for (std::size_t rank = 0; whole > 0 && rank < conducting.shares.size(); ++rank) {
      if (conducting.shares[rank].of(whole) > 0) continue;
      throw UsageError(fmt::format(
          "{} cannot be shared by {}: host {} would have none", text::counted(whole, noun),
          text::counted(conducting.shares.size(), "host"), conducting.conductor->name(rank)));
    }
  }
}

}  // namespace

std::optional<MeasuredRun> conduct(const RunPlan& run, Benchmark& benchmark, RunFacts facts,
                                   const ConductedPlace& place) {
  require_part_for_each(run, benchmark.plan());
  const BlockedInterrupts blocked;
  coro::Worker worker;
  const std::string version = facts.server ? facts.server->version : "";
  const std::string hosts = text::counted(run.conducting->shares.size(), "host");
  Attendance attendance(run, benchmark,
                        {fmt::format("{}, {}", place.description, hosts), benchmark.title()},
                        version);
  attendance.observers.on_note(plan_text(benchmark.plan(), place.description, hosts));
  if (facts.server) tell_notes(run, benchmark, place.notes, place.kind_name, attendance);
  Conducted made;
  coro::block_on(worker, conducted(run, benchmark, attendance, made));
  if (!made.has_begun) return std::nullopt;
  facts.checkpoints = attendance.checkpoints.observed();
  facts.activity = attendance.activity.observed();
  MeasuredRun measured;
  measured.metrics = attendance.metrics;
  measured.result = std::move(made.result);
  measured.result.environment.server = facts.server;
  measured.result.plan.server_stats = run.settings.server_stats;  // this host's to watch
  add_facts(facts, benchmark.plan(), made.outcome, measured.result);
  benchmark.complete_accounts(measured.result);
  measured.result.audit = report::audit(measured.result);
  measured.stop_requested = attendance.stop.requested();
  return measured;
}

}  // namespace drover::run
