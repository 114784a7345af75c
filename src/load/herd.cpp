#include "load/herd.h"

#include <algorithm>
#include <limits>

#include "coro/sleep.h"
#include "load/recorder.h"

namespace drover::load {

using coro::CancelSource;
using coro::Instant;
using coro::Scope;
using coro::Task;

namespace {

// What its stream of random numbers is for: no workload uses the number.
constexpr int retry_purpose = 6;

// This worker's share of the permits: at least one.
std::size_t permits_of(const Plan& plan, std::size_t index) noexcept {
  if (plan.max_inflight == 0) return std::numeric_limits<std::size_t>::max();
  return std::max<std::size_t>(plan.share_of_worker(index, plan.max_inflight), 1);
}

Task<void> set_at(coro::Event& event, Instant instant) {
  co_await coro::sleep_until(instant);
  event.set();
}

Task<std::exception_ptr> joined(Scope& scope) {
  try {
    co_await scope.join();
  } catch (...) {
    co_return std::current_exception();
  }
  co_return nullptr;
}

Task<void> cancel_after(CancelSource& source, coro::Duration patience) {
  co_await coro::sleep_for(patience);
  source.cancel();
}

}  // namespace

Herd::Herd(const Plan& plan, std::size_t index, Workload& workload, WorkerMetrics& metrics,
           SharedRecords& shared)
    : plan_(plan),
      index_(index),
      workload_(workload),
      backend_(workload.backend()),
      metrics_(metrics),
      shared_(shared),
      recorder_(metrics, shared),
      permits_(permits_of(plan, index)),
      retry_rng_(random::Rng::stream(plan.seed, retry_purpose, {plan.number_of_worker(index)})),
      sessions_at_(plan.hosts.size()) {
  if (plan.rate > 0) recorder_.keep_service_times();
}

// With millions of terminals it takes long to make them: somebody looks whether the run shall end.
bool Herd::start(Task<void> terminal) {
  constexpr std::uint64_t made_at_a_time = 8'192;
  terminals_->start(std::move(terminal));
  metrics_.terminals_made.add(1);
  return metrics_.terminals_made.get() % made_at_a_time != 0 || !stopped();
}

void Herd::terminal_up() {
  metrics_.terminals_up.add(1);
  if (--terminals_to_come_ == 0 && all_up_) all_up_();
}

Task<void> Herd::run(Timetable timetable) {
  recorder_.schedule(timetable);
  recorder_.expect_tick(coro::Worker::current().now());
  CancelSource& outer = co_await coro::current_source();
  CancelSource transactions(outer);
  transactions_ = &transactions;
  Scope aside(transactions);
  aside_ = &aside;
  Scope terminals(outer);
  terminals_ = &terminals;
  Scope clock(outer);
  clock_ = &clock;
  if (timetable.measure_end != Instant::max()) schedule(timetable);
  clock.start(keep_sessions_open());
  clock.start(watch_timers());
  // All of them before the first one acts: those that act would take the worker's time from those
  // that are still to be made.
  metrics_.terminals_wanted.add(workload_.terminals());
  workload_.start_terminals(*this);
  terminals_to_come_ = metrics_.terminals_made.get();
  co_await stopped_.wait();
  clock.start(cancel_after(transactions, plan_.drain_patience));
  terminals.cancel();
  const std::exception_ptr bug = co_await joined(terminals);
  terminals_ = nullptr;
  const std::exception_ptr bug_aside = co_await joined(aside);
  aside_ = nullptr;
  clock_ = nullptr;
  clock.cancel();
  co_await clock.join();
  if (bug) std::rethrow_exception(bug);
  if (bug_aside) std::rethrow_exception(bug_aside);
  if (backlog_) metrics_.backlog.add(backlog_(recorder_.times().measure_end));
  require(recorder_.at_rest(), "a transaction was begun, and has no end");
  require(permits_.available() == permits_of(plan_, index_), "a permit was not given back");
}

void Herd::schedule(const Timetable& timetable) {
  if (clock_ == nullptr || stopped_.is_set()) return;  // ended before it had begun
  recorder_.schedule(timetable);
  clock_->start(set_at(stopped_, timetable.measure_end));
  phases_known_.set();
}

void Herd::all_done() {
  if (all_done_) all_done_();
}

Task<void> Herd::settle() {
  if (recorder_.doubts().empty()) co_return;
  const std::vector<database::Resolution> answers = co_await workload_.resolve(recorder_.doubts());
  recorder_.settle(answers);
}

void Herd::leave_unsettled() {
  const std::size_t doubts = recorder_.doubts().size();
  workload_.leave_unresolved(doubts);
  recorder_.settle(std::vector(doubts, database::Resolution::unknown));
}

// Beside the terminals: a database that is gone for good ends the run.
Task<void> Herd::keep_sessions_open() {
  try {
    co_await backend_.keep_open(*this);
  } catch (const std::exception&) {
    give_up(std::current_exception());
  }
}

// Without delays no terminal sleeps: there would be nothing to tell how late the worker is.
Task<void> Herd::watch_timers() {
  constexpr coro::Duration every = std::chrono::milliseconds(100);
  for (;;) {
    count_sessions();
    const Instant due = coro::Worker::current().now() + every;
    recorder_.expect_tick(due);
    if (!co_await coro::slept_until(due)) co_return;
    recorder_.ticked(due);
  }
}

void Herd::count_sessions() {
  if (sessions_at_.empty()) return;
  backend_.count_sessions(sessions_at_);
  for (std::size_t host = 0; host < sessions_at_.size(); ++host) {
    metrics_.hosts.sessions[host].set(sessions_at_[host]);
  }
}

void Herd::on_session_ended_idle() noexcept {
  shared_.availability.session_ended_idle();
}

void Herd::on_session_renewed() noexcept {
  shared_.availability.session_renewed();
}

void Herd::on_session_lost() noexcept {
  shared_.availability.session_lost();
  workload_.on_session_lost();
}

void Herd::on_session_refused(const database::Error& error) noexcept {
  shared_.availability.session_refused(coro::Worker::current().now(), error.what());
}

void Herd::on_session_opened() noexcept {
  shared_.availability.session_reopened(coro::Worker::current().now());
}

void Herd::stop() noexcept {
  recorder_.end_interval(coro::Worker::current().now());
  stopped_.set();
}

void Herd::give_up(std::exception_ptr reason) noexcept {
  if (failure_) return;
  failure_ = std::move(reason);
  stop();
  if (given_up_) given_up_();
}

}  // namespace drover::load
