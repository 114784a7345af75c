#include "load/client_group.h"

#include <algorithm>
#include <limits>

#include "coro/sleep.h"
#include "coro/worker.h"
#include "load/recorder.h"

namespace drover::load {

using coro::CancelSource;
using coro::Duration;
using coro::Instant;
using coro::Scope;
using coro::Task;
using coro::Worker;
using database::Error;
using database::ErrorClass;

namespace {

// A stream of random numbers that no workload uses.
constexpr int retry_purpose = 6;

// Returns this worker's share of the permits: at least one.
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

Task<void> cancel_after(CancelSource& source, Duration patience) {
  co_await coro::sleep_for(patience);
  source.cancel();
}

class InFlight {
 public:
  explicit InFlight(WorkerMetrics& metrics) noexcept : metrics_(metrics) { metrics_.started.add(); }
  ~InFlight() { metrics_.finished.add(); }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

 private:
  WorkerMetrics& metrics_;
};

// Returns true if no outage lay between the two epochs (Availability::epoch()).
bool no_outage(std::uint64_t epoch_before, std::uint64_t epoch_after) noexcept {
  return epoch_before == epoch_after && epoch_before % 2 == 0;
}

Duration doubled(Duration first, int times, Duration longest) noexcept {
  for (int i = 0; i < times && first < longest; ++i) first *= 2;
  return std::min(first, longest);
}

Duration part_of(Duration duration, double part) noexcept {
  return Duration(static_cast<std::int64_t>(static_cast<double>(duration.count()) * part));
}

}  // namespace

ClientGroup::ClientGroup(const Plan& plan, std::size_t index, Workload& workload,
                         WorkerMetrics& metrics, SharedRecords& shared)
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

// Millions of terminals take seconds to start, so a stop request is looked for meanwhile.
bool ClientGroup::start(Task<void> terminal) {
  constexpr std::uint64_t made_at_a_time = 8'192;
  terminals_->start(std::move(terminal));
  metrics_.terminals_made.add(1);
  return metrics_.terminals_made.get() % made_at_a_time != 0 || !stopped();
}

void ClientGroup::terminal_up() {
  metrics_.terminals_up.add(1);
  if (--terminals_to_come_ == 0 && all_up_) all_up_();
}

Task<void> ClientGroup::run(Timetable timetable) {
  recorder_.schedule(timetable);
  recorder_.expect_tick(Worker::current().now());
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
  // All terminals are made before the first one runs, which would delay the others.
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

void ClientGroup::schedule(const Timetable& timetable) {
  if (clock_ == nullptr || stopped_.is_set()) return;  // ended before it had begun
  recorder_.schedule(timetable);
  clock_->start(set_at(stopped_, timetable.measure_end));
  phases_known_.set();
}

void ClientGroup::all_done() {
  if (all_done_) all_done_();
}

Task<void> ClientGroup::settle() {
  if (recorder_.unknown_commits().empty()) co_return;
  const std::vector<database::Resolution> answers =
      co_await workload_.resolve(recorder_.unknown_commits());
  recorder_.settle(answers);
}

void ClientGroup::leave_unsettled() {
  const std::size_t unknown_commits = recorder_.unknown_commits().size();
  workload_.leave_unresolved(unknown_commits);
  recorder_.settle(std::vector(unknown_commits, database::Resolution::unknown));
}

// Reopens lost connections. Gives up the run if the database is gone for good.
Task<void> ClientGroup::keep_sessions_open() {
  try {
    co_await backend_.keep_open(*this);
  } catch (const std::exception&) {
    give_up(std::current_exception());
  }
}

// Measures the timer lag ten times a second, because terminals without delays have no timers.
Task<void> ClientGroup::watch_timers() {
  constexpr Duration every = std::chrono::milliseconds(100);
  for (;;) {
    count_sessions();
    const Instant due = Worker::current().now() + every;
    recorder_.expect_tick(due);
    if (!co_await coro::slept_until(due)) co_return;
    recorder_.ticked(due);
  }
}

void ClientGroup::count_sessions() {
  if (sessions_at_.empty()) return;
  backend_.count_sessions(sessions_at_);
  for (std::size_t host = 0; host < sessions_at_.size(); ++host) {
    metrics_.hosts.sessions[host].set(sessions_at_[host]);
  }
}

void ClientGroup::on_session_ended_idle() noexcept {
  shared_.availability.session_ended_idle();
}

void ClientGroup::on_session_renewed() noexcept {
  shared_.availability.session_renewed();
}

void ClientGroup::on_session_lost() noexcept {
  shared_.availability.session_lost();
  workload_.on_session_lost();
}

void ClientGroup::on_session_refused(const Error& error) noexcept {
  shared_.availability.session_refused(Worker::current().now(), error.what());
}

void ClientGroup::on_session_opened() noexcept {
  shared_.availability.session_reopened(Worker::current().now());
}

void ClientGroup::stop() noexcept {
  recorder_.end_interval(Worker::current().now());
  stopped_.set();
}

void ClientGroup::give_up(std::exception_ptr reason) noexcept {
  if (failure_) return;
  failure_ = std::move(reason);
  stop();
  if (given_up_) given_up_();
}

ClientGroup::ConnectionWait::ConnectionWait(ClientGroup& group) noexcept
    : group_(group), asked_(Worker::current().now()), epoch_(group.shared_.availability.epoch()) {
  group_.recorder_.wait_began();
}

Recorder::Served ClientGroup::ConnectionWait::served() noexcept {
  group_.recorder_.wait_ended();
  const Instant now = Worker::current().now();
  const Availability& availability = group_.shared_.availability;
  if (!no_outage(epoch_, availability.epoch()) || availability.stalls(now)) {
    return {.begun = now, .wait = std::nullopt};
  }
  return {.begun = now, .wait = now - asked_};
}

Task<bool> ClientGroup::transact_in_background(Transaction& transaction) {
  std::optional<database::SessionLease> lease;
  if (plan_.affinity) lease.emplace(backend_, *co_await session_at_home(transaction));
  const auto permit = co_await permits_.acquire();
  if (!lease) lease.emplace(backend_, *co_await backend_.acquire());
  const bool succeeded = co_await attempt_until_done(**lease, transaction, nullptr);
  if (succeeded) recorder_.succeeded_in_background(transaction.type());
  co_return succeeded;
}

// Returns true if the transaction succeeded. Records a failure. `client_wait` is null if no
// terminal waits. A transaction that is cancelled after it sent its commit is kept as an unknown
// commit.
Task<bool> ClientGroup::attempt_until_done(database::Session& session, Transaction& transaction,
                                           Recorder::ClientWait* client_wait) {
  const InFlight in_flight(metrics_);
  int slow = 0;
  for (int number = 1;; ++number) {
    std::optional<Error> error;
    try {
      co_await transaction.execute(session);
    } catch (const Error& thrown) {
      error = thrown;
    } catch (const coro::Cancelled&) {
      if (transaction.commit_sent()) recorder_.commit_unknown(transaction);
      throw;
    }
    if (!error) co_return true;
    const bool again = error->error_class() == ErrorClass::retryable &&
                       number < plan_.retry.attempts_max && !stopped_.is_set();
    if (!again) {
      recorder_.failed(transaction, *error, client_wait, session.host());
      transaction.failed(*error);
      give_up_if_hopeless(transaction, *error);
      co_return false;
    }
    recorder_.retried(transaction, *error);
    const bool is_slow = error->backoff() == database::Backoff::slow;
    const Duration pause = is_slow ? slow_retry_pause(++slow) : retry_pause(number - slow);
    co_await coro::sleep_for(pause);
  }
}

// Gives up the run if the server refuses access, or if no transaction of this type can succeed.
void ClientGroup::give_up_if_hopeless(const Transaction& transaction, const Error& error) {
  if (error.error_class() == ErrorClass::denied) give_up(std::make_exception_ptr(error));
  const std::string& name = plan_.workload.types[transaction.type()].name;
  const std::string why = recorder_.hopelessness(name, transaction.type(), error);
  if (why.empty()) return;
  give_up(std::make_exception_ptr(Error(error.error_class(), error.sqlstate(), why)));
}

// The pause after the n-th failure of its kind, n from 1 on.
Duration ClientGroup::retry_pause(int number) noexcept {
  const RetryPolicy& retry = plan_.retry;
  return part_of(doubled(retry.pause_first, number - 1, retry.pause_max), retry_rng_.unit());
}

Duration ClientGroup::slow_retry_pause(int number) noexcept {
  const RetryPolicy& retry = plan_.retry;
  return part_of(doubled(retry.slow_pause_first, number - 1, retry.slow_pause_max),
                 (1 + retry_rng_.unit()) / 2);
}

}  // namespace drover::load
