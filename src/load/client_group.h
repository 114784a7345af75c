// ClientGroup: the terminals or clients of one worker, and the execution of their transactions.
//
// The workload starts each terminal as a task. At the end of the run, terminals that sleep or wait
// are cancelled at once. Transactions in flight and background work may continue for
// Plan::drain_patience, and are then cancelled.
//
// Belongs to its worker. Other threads may only post() to that worker.
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
  // `index` is the number of the worker. All references must outlive the group.
  ClientGroup(const Plan& plan, std::size_t index, Workload& workload, WorkerMetrics& metrics,
              SharedRecords& shared);

  // Runs until the end of the timetable, or until stop(). schedule() replaces a timetable without
  // an end. If the run must be given up, failure() has the reason. Throws only errors in Drover.
  coro::Task<void> run(Timetable timetable);

  // Sets the complete timetable, once, during run().
  void schedule(const Timetable& timetable);

  // Looks up the unknown commits and counts their outcomes. Requires: run() has ended.
  coro::Task<void> settle();

  // Counts all unknown commits as unresolved: instead of settle(), or after it was cancelled.
  void leave_unsettled();

  // Ends the run early and in order. The figures so far stay valid.
  void stop() noexcept;

  // Returns why the run was given up, or null.
  std::exception_ptr failure() const noexcept { return failure_; }

  // Calls `action` once, when every terminal has started, or when the run ends before that.
  void on_all_up(std::function<void()> action) { all_up_ = std::move(action); }

  // Calls `action` once, when the run is given up. Transactions in flight are not counted any more.
  void on_given_up(std::function<void()> action) { given_up_ = std::move(action); }

  // Calls `action` once, when this worker has executed its share of Plan::operations.
  void on_all_done(std::function<void()> action) { all_done_ = std::move(action); }

  // The following functions are for terminals.

  // Starts a terminal. Returns false if the run ends, so that no more terminals should be started.
  bool start(coro::Task<void> terminal);
  // Reports that a terminal has started.
  void terminal_up();
  // Returns the start of the run, at which terminals with pauses begin their cycle.
  coro::Instant start_time() const noexcept { return recorder_.times().start; }
  // Resumes when the phases are known, which is when the terminals of all workers have started.
  coro::Event::WaitAwaiter phases_known() noexcept { return phases_known_.wait(); }
  // Returns true if terminals must not start transactions any more. With millions of terminals, the
  // flag of a stop request arrives before its post().
  bool stopped() const noexcept {
    return stopped_.is_set() || shared_.stop_asked.load(std::memory_order_relaxed);
  }
  Recorder& recorder() noexcept { return recorder_; }
  // Returns the Unix time of an instant, in seconds, by the run's timetable.
  double unix_time(coro::Instant instant) const noexcept {
    return recorder_.times().unix_time(instant);
  }

  struct Answered {
    coro::Instant at;
    bool succeeded;
  };
  // Executes a transaction: waits for a permit and a connection, and retries as Plan::retry says.
  // Latency counts from `intended_start`. The end of the run cancels the wait, but not a
  // transaction that has begun.
  template <std::derived_from<Transaction> T>
  coro::Task<Answered> transact(T transaction, coro::Instant intended_start);

  // Publishes the first instant of an open loop's schedule that no client has taken.
  void publish_next_arrival(coro::Instant next) {
    const coro::Duration since_start = next - start_time();
    metrics_.next_arrival_ns.set(static_cast<std::uint64_t>(
        std::max<std::int64_t>(std::chrono::nanoseconds(since_start).count(), 0)));
  }

  // Reports that all clients have executed their operations. Called by the last client.
  void all_done();
  // Sets the function that returns the number of transactions that were scheduled before `end` and
  // have not started. It is called at the end of the run.
  void count_backlog_by(std::function<std::uint64_t(coro::Instant end)> backlog) {
    backlog_ = std::move(backlog);
  }

  // Starts work that no terminal waits for. At the end of the run, the work may continue
  // for as long as transactions in flight may.
  void start_in_background(coro::Task<void> work) { aside_->start(std::move(work)); }
  // Executes a transaction of background work. Returns true if it succeeded. The caller counts it.
  coro::Task<bool> transact_in_background(Transaction& transaction);

 private:
  // Measures the wait for a permit and a connection.
  class ConnectionWait {
   public:
    explicit ConnectionWait(ClientGroup& group) noexcept;
    // Ends the wait. The result has no wait if there was an outage or a stall meanwhile.
    Recorder::Served served() noexcept;

   private:
    ClientGroup& group_;
    const coro::Instant asked_;
    const std::uint64_t epoch_;
  };

  // Waits for a connection to the host of the transaction's home. Called before the permit is
  // acquired, so that waits for one host do not hold up transactions at other hosts.
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
  random::Rng retry_rng_;             // separate, so that retries do not change later inputs
  coro::Scope* terminals_ = nullptr;  // while they run
  coro::Scope* clock_ = nullptr;      // tasks that end with the terminals
  coro::CancelSource* transactions_ = nullptr;  // cancels transactions in flight
  coro::Scope* aside_ = nullptr;
  std::exception_ptr failure_;
  std::uint64_t terminals_to_come_ = 0;
  std::function<void()> all_up_;
  std::function<void()> given_up_;
  std::function<void()> all_done_;
  std::function<std::uint64_t(coro::Instant end)> backlog_;
  std::vector<std::size_t> sessions_at_;  // open connections by server host
};

template <std::derived_from<Transaction> T>
coro::Task<ClientGroup::Answered> ClientGroup::transact(T transaction,
                                                        coro::Instant intended_start) {
  Recorder::ClientWait client_wait(recorder_, transaction.type(), intended_start);
  ConnectionWait waiting(*this);
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
