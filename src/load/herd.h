// Herd: the terminals of one worker, from the first to the last of them.
//
// Every terminal is a task (terminal.cpp). Warehouses are dealt out to the workers, so that all
// terminals of one are at home on one. At the end, terminals that sleep or wait are dismissed at
// once; transactions in flight and Deliveries that were queued may finish within the plan's
// patience and are then cancelled.
//
// Belongs to its worker; another thread may only post() to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/event.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/task.h"
#include "load/availability.h"
#include "load/delivery_log.h"
#include "load/plan.h"
#include "load/worker_metrics.h"
#include "tpcc/backend.h"
#include "tpcc/mix.h"

namespace drover::load {

// The instants that all workers of a run agree on. The phases are known when all terminals are up.
struct Timetable {
  coro::Instant start;  // terminals are at a random point of their cycle
  coro::Instant measure_start = coro::Instant::max();  // the end of the warm-up
  coro::Instant measure_end = coro::Instant::max();
  double unix_start = 0;  // of `start`, in seconds

  Phase phase_at(coro::Instant instant) const noexcept {
    if (instant < measure_start) return Phase::warmup;
    return instant < measure_end ? Phase::measure : Phase::done;
  }
};

// What the workers of a run write together.
struct SharedRecords {
  Availability availability;
  DeliveryLog* delivery_log = nullptr;  // none: nobody asked for it
  // Somebody wants the run to end. Workers with millions of terminals look at it where a post would
  // come late; what ends the run in order is stop(). Relaxed: nothing else goes with it.
  std::atomic<bool> stop_asked{false};
};

class Herd final : tpcc::SessionObserver {
 public:
  // `index` of `plan.threads` workers. All must outlive the herd.
  Herd(const Plan& plan, std::size_t index, tpcc::Backend& backend, WorkerMetrics& metrics,
       SharedRecords& shared);

  // Runs until the timetable's end or stop(); one without an end is replaced by schedule(). Throws
  // nothing but bugs: a run that had to give up says why by failure().
  coro::Task<void> run(Timetable timetable);

  // The whole timetable, once, in the middle of run().
  void schedule(const Timetable& timetable);

  // After run(): has the backend find out about the commits whose answer never came, and counts
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

 private:
  // The deck that the terminals of a warehouse share (clause 5.2.4.2).
  struct WarehouseDeck {
    tpcc::Deck deck;
    tpcc::Rng rng;

    tpcc::TransactionType draw() { return deck.draw(rng); }
  };

  // A commit whose answer never came, and where it is counted (nowhere but in the ledger if null).
  struct OpenDoubt {
    tpcc::Doubt doubt;
    TransactionMetrics* metrics;
  };

  // Somebody waits for a transaction.
  class Work {
   public:
    explicit Work(Herd& herd) : herd_(herd) { herd_.begin_work(); }
    ~Work() { herd_.end_work(); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Herd& herd_;
  };

  // What a terminal waits for, from the moment at which it wanted it. If the interval ends before,
  // it is written down as pending.
  class Owed {
   public:
    using End = PendingTransaction::End;

    Owed(Herd& herd, tpcc::TransactionType type, coro::Instant intended_start)
        : herd_(herd), work_(herd), type_(type), intended_start_(intended_start) {}
    ~Owed();

    coro::Instant intended_start() const noexcept { return intended_start_; }
    // Requires: `now` is the instant by which it is counted, or not.
    void end(coro::Instant now, End how) noexcept {
      ended_ = now;
      how_ = how;
    }

   private:
    Herd& herd_;
    const Work work_;
    const tpcc::TransactionType type_;
    const coro::Instant intended_start_;
    std::optional<coro::Instant> ended_;
    End how_ = End::none;
  };

  void make_terminals(coro::Scope& herd);
  coro::Task<void> terminal(std::int32_t w_id, std::int32_t d_id, WarehouseDeck& deck);
  coro::Task<coro::Instant> transact(tpcc::TransactionType type, std::int32_t w_id,
                                     std::int32_t d_id, coro::Instant intended_start,
                                     tpcc::Rng& rng);
  coro::Task<std::optional<tpcc::Outcome>> attempt_until_done(tpcc::Session& session,
                                                              const tpcc::Input& input, Owed* owed);
  coro::Task<std::optional<database::Error>> attempt(tpcc::Session& session,
                                                     const tpcc::Input& input, tpcc::Trace& trace,
                                                     tpcc::Outcome& outcome);
  coro::Task<coro::Instant> queue_delivery(tpcc::DeliveryInput input, Owed& owed);
  coro::Task<void> deliver_later(tpcc::DeliveryInput input, coro::Instant queued,
                                 coro::Semaphore::Permit slot);
  coro::Task<std::optional<tpcc::Outcome>> deliver(tpcc::DeliveryInput input);
  coro::Task<void> keep_sessions_open();
  coro::Task<void> watch_timers();

  void begin_work();
  void end_work();
  // Where timers are late because this process stood still, nobody is to blame the database.
  void notice_standstill(coro::Instant now);

  void record(const tpcc::Input& input, const tpcc::Outcome& outcome, Owed& owed,
              std::optional<coro::Duration> wait);
  void record_deferred(const tpcc::DeliveryInput& input,
                       const std::optional<tpcc::Outcome>& outcome, coro::Instant queued);
  void record_pause(measure::Histogram TransactionMetrics::* kind, tpcc::TransactionType type,
                    coro::Instant begun, coro::Instant due);
  // How late a timer was.
  void record_timer_lag(coro::Instant now, coro::Instant due);
  void record_inputs(const tpcc::Input& input, const tpcc::Outcome& outcome);
  void record_in_ledger(const tpcc::Input& input, std::int32_t orders_delivered);
  void record_failure(const tpcc::Input& input, const tpcc::Trace& trace,
                      const database::Error& error, Owed* owed);
  void record_retry(const tpcc::Input& input, const database::Error& error);
  static void count_error(TransactionMetrics& metrics, const database::Error& error);
  void settle(const OpenDoubt& open, tpcc::Finding found);
  void log_delivery(const tpcc::DeliveryInput& input, const std::optional<tpcc::Outcome>& outcome,
                    coro::Instant queued);
  double unix_time(coro::Instant instant) const;

  void on_session_lost() noexcept override;
  void on_session_refused(const database::Error& error) noexcept override;
  void on_session_opened() noexcept override;

  TransactionMetrics* metrics_at(coro::Instant instant, tpcc::TransactionType type) noexcept;
  bool measuring(coro::Instant instant) const noexcept {
    return timetable_.phase_at(instant) == Phase::measure;
  }
  tpcc::Input make_input(tpcc::TransactionType type, tpcc::Rng& rng, std::int32_t w_id,
                         std::int32_t d_id) const;
  tpcc::Trace new_trace() noexcept;
  coro::Duration retry_pause(int number) noexcept;
  coro::Duration slow_retry_pause(int number) noexcept;
  void give_up(std::exception_ptr reason) noexcept;

  const Plan& plan_;
  std::size_t index_;
  tpcc::Backend& backend_;
  WorkerMetrics& metrics_;
  SharedRecords& shared_;
  tpcc::InputContext inputs_;
  std::vector<WarehouseDeck> decks_;
  Timetable timetable_{};
  coro::Semaphore permits_;
  coro::Semaphore delivery_slots_;  // room in the queue of Deliveries
  coro::Semaphore delivery_turns_;  // how many of them are executed at a time
  coro::Event stopped_;
  tpcc::Rng retry_rng_;  // apart from the terminals': a retry does not change what comes after it
  std::uint32_t next_mark_;
  coro::Scope* clock_ = nullptr;                // of what runs beside the terminals
  coro::CancelSource* transactions_ = nullptr;  // what transactions in flight run under
  coro::Scope* deferred_ = nullptr;
  std::vector<OpenDoubt> doubts_;
  std::exception_ptr failure_;
  std::size_t work_ = 0;       // transactions that somebody waits for
  coro::Instant next_tick_{};  // when watch_timers() is to look at the clock
  std::uint64_t terminals_to_come_ = 0;
  std::function<void()> all_up_;
};

}  // namespace drover::load
