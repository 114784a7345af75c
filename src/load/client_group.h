// ClientGroup: the terminals of one worker, from the first to the last of them, and what they transact.
//
// The workload says what a terminal is: each is a task of its own. At the end, terminals that sleep or
// wait are dismissed at once; transactions in flight and what was started aside may finish within the
// plan's patience and are then cancelled.
//
// Belongs to its worker; another thread may only post() to it.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "coro/worker.h"
#include "database/backend.h"
#include "load/availability.h"
#include "load/plan.h"
#include "load/recorder.h"
#include "load/worker_metrics.h"
#include "load/workload.h"
#include "random/rng.h"

namespace drover::load {

class ClientGroup final : database::SessionObserver {
 public:
  // `index` of `plan.threads` workers. All must outlive the group.
  ClientGroup(const Plan& plan, std::size_t index, Workload& workload, WorkerMetrics& metrics,
              SharedRecords& shared);

  // Runs until the timetable's end or stop(); one without an end is replaced by schedule(). Throws
  // nothing but bugs: a run that had to give up says why by failure().
  coro::Task<void> run(Timetable timetable);

  // The whole timetable, once, in the middle of run().
  void schedule(const Timetable& timetable);

  // After run(): has the workload find out about the commits whose answer never came, and counts
  // them.
  coro::Task<void> settle();

  // In place of settle(), or after it was cancelled: what is ambiguous counts as unresolved.
  void leave_unsettled();

  // Ends the run early, in an orderly way; what was measured so far counts.
  void stop() noexcept;

  // Why the run was given up, if it was: the database is gone.
  std::exception_ptr failure() const noexcept { return failure_; }

  // Calls `action` once, when every terminal is up: running or asleep in its cycle, or when the run
  // ends before that, and then for those that were made. How many are up is in the metrics.
  void on_all_up(std::function<void()> action) { all_up_ = std::move(action); }

  // Calls `action` once, when the run is given up: transactions in flight still have their patience
  // then, but nothing counts any more.
  void on_given_up(std::function<void()> action) { given_up_ = std::move(action); }

  // Calls `action` once, when this worker has done its share of the plan's operations.
  void on_all_done(std::function<void()> action) { all_done_ = std::move(action); }

  // What follows is for terminals.

  // Takes a terminal in. Says false where the run is to end before all of them are up.
  bool start(coro::Task<void> terminal);
  // The terminal has been resumed for the first time.
  void terminal_up();
  // The run's beginning: where terminals that pause begin their cycle.
  coro::Instant start_time() const noexcept { return recorder_.times().start; }
  // Resumes when the phases are known, which is when the terminals of all workers are up: the run's beginning for those
  // that have no part in the warm-up of terminals that come up.
  coro::Event::WaitAwaiter phases_known() noexcept { return phases_known_.wait(); }
  // Terminals begin nothing any more. Where millions are due, nobody who asked for the end waits for
  // what they would begin.
  bool stopped() const noexcept {
    return stopped_.is_set() || shared_.stop_asked.load(std::memory_order_relaxed);
  }
  Recorder& recorder() noexcept { return recorder_; }
  // In seconds, as the run's timetable has it.
  double unix_time(coro::Instant instant) const noexcept {
    return recorder_.times().unix_time(instant);
  }

  struct Answered {
    coro::Instant at;
    bool succeeded;
  };
  // Executes it: a permit, a session, and as many attempts as it takes. What the terminal is made to wait for since
  // `intended_start` is part of the latency. The end of the run dismisses terminals that wait, and not what they have
  // begun.
  template <std::derived_from<Transaction> T>
  coro::Task<Answered> transact(T transaction, coro::Instant intended_start);

  // Publishes the first instant of an open loop's schedule that no client has taken.
  void publish_next_arrival(coro::Instant next) {
    const coro::Duration since_start = next - start_time();
    metrics_.next_arrival_ns.set(static_cast<std::uint64_t>(
        std::max<std::int64_t>(std::chrono::nanoseconds(since_start).count(), 0)));
  }

  // There is nothing left to transact: the last terminal says so.
  void all_done();
  // Asked at the end: how many transactions were due before that instant, and had not been begun.
  void count_backlog_by(std::function<std::uint64_t(coro::Instant end)> backlog) {
    backlog_ = std::move(backlog);
  }

  // Work beside the terminals; it is under the same patience as transactions in flight.
  void start_in_background(coro::Task<void> work) { aside_->start(std::move(work)); }
  // A transaction of such work, that no terminal waits for. Says whether it succeeded; then it is the caller who
  // counts it.
  coro::Task<bool> transact_in_background(Transaction& transaction);

 private:
  // What the wait for a permit and a session was, unless the database was away or stalled meanwhile.
  class Wait {
   public:
    explicit Wait(ClientGroup& group) noexcept;
    Recorder::Served served() noexcept;

   private:
    ClientGroup& group_;
    const coro::Instant asked_;
    const std::uint64_t epoch_;
  };

  // Where transactions belong to hosts; before the permit: who waits for one host must not keep the others from theirs.
  coro::Task<database::Session*> session_at_home(const Transaction& transaction) {
    return backend_.acquire_at(plan_.host_of_home(transaction.home()));
  }
  coro::Task<bool> attempt_until_done(database::Session& session, Transaction& transaction,
                                      Recorder::ClientWait* client_wait);
  coro::Task<void> keep_sessions_open();
  coro::Task<void> watch_timers();
  void count_sessions();

  void on_session_lost() noexcept override;
  void on_session_refused(const database::Error& error) noexcept override;
  void on_session_opened() noexcept override;
  void on_session_ended_idle() noexcept override;
  void on_session_renewed() noexcept override;

  coro::Duration retry_pause(int number) noexcept;
  coro::Duration slow_retry_pause(int number) noexcept;
  void give_up_if_hopeless(const Transaction& transaction, const database::Error& error);
  void give_up(std::exception_ptr reason) noexcept;

  const Plan& plan_;
  std::size_t index_;
  Workload& workload_;
  database::Backend& backend_;
  WorkerMetrics& metrics_;
  SharedRecords& shared_;
  Recorder recorder_;
  coro::Semaphore permits_;
  coro::Event stopped_;
  coro::Event phases_known_;
  random::Rng retry_rng_;  // apart from the terminals': a retry does not change what comes after it
  coro::Scope* terminals_ = nullptr;            // while they run
  coro::Scope* clock_ = nullptr;                // of what runs beside the terminals
  coro::CancelSource* transactions_ = nullptr;  // what transactions in flight run under
  coro::Scope* aside_ = nullptr;
  std::exception_ptr failure_;
  std::uint64_t terminals_to_come_ = 0;
  std::function<void()> all_up_;
  std::function<void()> given_up_;
  std::function<void()> all_done_;
  std::function<std::uint64_t(coro::Instant end)> backlog_;
  std::vector<std::size_t> sessions_at_;  // each host
};

template <std::derived_from<Transaction> T>
coro::Task<ClientGroup::Answered> ClientGroup::transact(T transaction,
                                                        coro::Instant intended_start) {
  Recorder::ClientWait client_wait(recorder_, transaction.type(), intended_start);
  Wait waiting(*this);
  bool succeeded = false;
  {
    std::optional<database::SessionLease> lease;
    if (plan_.affinity) lease.emplace(backend_, *co_await session_at_home(transaction));
    const auto permit = co_await permits_.acquire();
    if (!lease) lease.emplace(backend_, *co_await backend_.acquire());
    Recorder::Served served = waiting.served();
    served.host = (**lease).host();
    succeeded =
        co_await attempt_until_done(**lease, transaction, &client_wait).under(*transactions_);
    if (succeeded) recorder_.succeeded(transaction, client_wait, served);
  }
  co_return Answered{.at = coro::Worker::current().now(), .succeeded = succeeded};
}

}  // namespace drover::load
