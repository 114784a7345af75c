#include "load/herd.h"

#include <algorithm>
#include <limits>
#include <random>

#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::load {

using coro::CancelSource;
using coro::Instant;
using coro::Scope;
using coro::Task;

namespace {

// This worker's share of the permits: at least one.
std::size_t permits_of(const Plan& plan, std::size_t index) noexcept {
  if (plan.max_inflight == 0) return std::numeric_limits<std::size_t>::max();
  return std::max<std::size_t>(plan.share_of_worker(index, plan.max_inflight), 1);
}

Task<void> set_at(coro::Event& event, Instant instant) {
  co_await coro::sleep_until(instant);
  event.set();
}

// Deferred Deliveries get a part of the permits at most: terminals wait for theirs.
std::size_t delivery_turns_of(const Plan& plan, std::size_t index) noexcept {
  constexpr std::size_t share = 4;
  constexpr std::size_t most = 64;
  return std::clamp<std::size_t>(permits_of(plan, index) / share, 1, most);
}

// A terminal has seldom more than one in the queue; at its end a Delivery waits to be queued.
constexpr std::size_t queued_deliveries_a_terminal = 10;

// Two runs of one seed have the same inputs, in the same data: their marks must differ.
std::uint32_t random_mark() {
  std::random_device device;
  return static_cast<std::uint32_t>(device() % tpcc::Trace::marks);
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

Herd::Herd(const Plan& plan, std::size_t index, tpcc::Backend& backend, WorkerMetrics& metrics,
           SharedRecords& shared)
    : plan_(plan),
      index_(index),
      backend_(backend),
      metrics_(metrics),
      shared_(shared),
      inputs_{.warehouses = plan.warehouses, .constants = plan.constants},
      permits_(permits_of(plan, index)),
      delivery_slots_(plan.terminals_of_worker(index) * queued_deliveries_a_terminal),
      delivery_turns_(delivery_turns_of(plan, index)),
      retry_rng_(tpcc::Rng::stream(plan.seed, tpcc::RandomPurpose::Retry, {index})),
      next_mark_(random_mark()) {}

// All of them before the first one acts: those that act would take the worker's time from those
// that are still to be made. With millions that is long: it looks whether it shall end.
void Herd::make_terminals(Scope& herd) {
  constexpr std::size_t made_at_a_time = 1'024;
  decks_.reserve(plan_.warehouses_of_worker(index_));  // terminals refer to them
  const auto stride = static_cast<std::int32_t>(plan_.threads);
  for (auto w = static_cast<std::int32_t>(index_) + 1; w <= plan_.warehouses; w += stride) {
    const auto w_id = static_cast<std::uint64_t>(w);
    decks_.push_back(
        {.deck = {}, .rng = tpcc::Rng::stream(plan_.seed, tpcc::RandomPurpose::Deck, {w_id})});
    for (std::int32_t d = 1; d <= plan_.terminals_of(w); ++d) {
      herd.start(terminal(w, d, decks_.back()));
      metrics_.terminals_made.add(1);
    }
    if (decks_.size() % made_at_a_time == 0 && shared_.stop_asked.load(std::memory_order_relaxed)) {
      break;
    }
  }
  terminals_to_come_ = metrics_.terminals_made.get();
}

Task<void> Herd::run(Timetable timetable) {
  timetable_ = timetable;
  next_tick_ = coro::Worker::current().now();
  CancelSource& outer = co_await coro::current_source();
  CancelSource transactions(outer);
  transactions_ = &transactions;
  Scope deferred(transactions);
  deferred_ = &deferred;
  Scope herd(outer);
  Scope clock(outer);
  clock_ = &clock;
  if (timetable.measure_end != Instant::max()) schedule(timetable);
  clock.start(keep_sessions_open());
  clock.start(watch_timers());
  make_terminals(herd);
  co_await stopped_.wait();
  clock.start(cancel_after(transactions, plan_.drain_patience));
  herd.cancel();
  const std::exception_ptr bug = co_await joined(herd);
  const std::exception_ptr deferred_bug = co_await joined(deferred);
  deferred_ = nullptr;
  clock_ = nullptr;
  clock.cancel();
  co_await clock.join();
  if (bug) std::rethrow_exception(bug);
  if (deferred_bug) std::rethrow_exception(deferred_bug);
}

void Herd::schedule(const Timetable& timetable) {
  if (clock_ == nullptr || stopped_.is_set()) return;  // ended before it had begun
  timetable_ = timetable;
  clock_->start(set_at(stopped_, timetable.measure_end));
}

Task<void> Herd::settle() {
  if (doubts_.empty()) co_return;
  std::vector<tpcc::Doubt> doubts;
  for (const OpenDoubt& open : doubts_) doubts.push_back(open.doubt);
  const std::vector<tpcc::Finding> answers = co_await backend_.resolve(std::move(doubts));
  for (std::size_t i = 0; i < doubts_.size(); ++i) settle(doubts_[i], answers.at(i));
  doubts_.clear();
}

void Herd::leave_unsettled() {
  for (const OpenDoubt& open : doubts_) settle(open, tpcc::Resolution::unknown);
  doubts_.clear();
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
    next_tick_ = coro::Worker::current().now() + every;
    const Instant due = next_tick_;
    if (!co_await coro::slept_until(due)) co_return;
    const Instant now = coro::Worker::current().now();
    notice_standstill(now);
    record_timer_lag(now, due);
  }
}

// An answer that came meanwhile may be seen before the timer: both look.
void Herd::notice_standstill(Instant now) {
  constexpr coro::Duration shortest = std::chrono::milliseconds(500);
  if (now - next_tick_ < shortest) return;
  shared_.availability.client_stood_still(next_tick_, now);
  next_tick_ = now;
}

void Herd::begin_work() {
  if (work_++ == 0) shared_.availability.work_began(coro::Worker::current().now());
}

void Herd::end_work() {
  if (--work_ == 0) shared_.availability.work_ended(coro::Worker::current().now());
}

void Herd::on_session_lost() noexcept {
  shared_.availability.session_lost();
}

void Herd::on_session_refused(const database::Error& error) noexcept {
  shared_.availability.session_refused(coro::Worker::current().now(), error.what());
}

void Herd::on_session_opened() noexcept {
  shared_.availability.session_reopened(coro::Worker::current().now());
}

void Herd::stop() noexcept {
  const Instant now = coro::Worker::current().now();
  timetable_.measure_end = std::min(timetable_.measure_end, now);
  stopped_.set();
}

void Herd::give_up(std::exception_ptr reason) noexcept {
  if (!failure_) failure_ = std::move(reason);
  stop();
}

}  // namespace drover::load
