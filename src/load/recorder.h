// Recorder: counts one worker's transactions: totals by phase and type, pending transactions at the
// end, and unknown commits. Reports losses and answers to the availability record of the run.
//
// Belongs to the worker of its client group.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "coro/clock.h"
#include "coro/worker.h"
#include "database/error.h"
#include "load/availability.h"
#include "load/worker_metrics.h"
#include "load/workload.h"

namespace drover::load {

// Throws std::logic_error if `holds` is false. Checks what must hold whatever the database does,
// also in release builds: a run that breaks it has wrong figures, and ends with an error.
inline void require(bool holds, const char* what) {
  if (holds) [[likely]] {
    return;
  }
  throw std::logic_error(std::string("internal error in Drover, please report it: ") + what);
}

class Recorder {
 public:
  // Both must outlive the recorder.
  Recorder(WorkerMetrics& metrics, SharedRecords& shared) noexcept
      : metrics_(metrics), shared_(shared) {}

  // RAII: while it lives, the worker waits for a transaction, so that missing answers are a stall.
  class Work {
   public:
    explicit Work(Recorder& recorder) : recorder_(recorder) { recorder_.begin_work(); }
    ~Work() { recorder_.end_work(); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Recorder& recorder_;
  };

  // A client's wait for a transaction, from its intended start to its end. If the interval ends
  // first, the destructor records the transaction as pending.
  class ClientWait {
   public:
    using End = PendingTransaction::End;

    ClientWait(Recorder& recorder, std::size_t type, coro::Instant intended_start)
        : recorder_(recorder), work_(recorder), type_(type), intended_start_(intended_start) {}
    ~ClientWait();

    coro::Instant intended_start() const noexcept { return intended_start_; }
    // Requires: `now` is the instant that decides whether the transaction is counted.
    void end(coro::Instant now, End how) noexcept {
      ended_ = now;
      how_ = how;
    }

   private:
    Recorder& recorder_;
    const Work work_;
    const std::size_t type_;
    const coro::Instant intended_start_;
    std::optional<coro::Instant> ended_;
    End how_ = End::none;
  };

  void schedule(const Timetable& timetable) noexcept { times_ = timetable; }
  const Timetable& times() const noexcept { return times_; }
  // Ends the measured interval: later transactions are not counted.
  void end_interval(coro::Instant now) noexcept;
  bool measuring(coro::Instant instant) const noexcept {
    return times_.phase_at(instant) == Phase::measure;
  }

  // Count the clients that wait for a permit and a connection.
  void wait_began() noexcept { metrics_.wait_begun.add(); }
  void wait_ended() noexcept { metrics_.wait_ended.add(); }

  struct Served {
    coro::Instant begun;                 // when the transaction had its connection
    std::optional<coro::Duration> wait;  // none if there was an outage or a stall meanwhile
    std::size_t host = 0;                // server host of the connection
  };
  void succeeded(Transaction& transaction, ClientWait& client_wait, const Served& served);
  // Records service times from now on: the transactions belong to an open loop.
  void keep_service_times() noexcept { keeps_service_ = true; }
  // Counts a transaction that is not retried. `client_wait` is null if no client waits for it.
  void failed(const Transaction& transaction, const database::Error& error, ClientWait* client_wait,
              std::size_t host);
  void retried(const Transaction& transaction, const database::Error& error);
  // Keeps a transaction that was cancelled after it had sent its commit.
  void commit_unknown(const Transaction& transaction);

  // Counts a transaction that is answered before it is executed. Returns true if it is measured.
  bool answered_at_once(coro::Instant now, ClientWait& client_wait, std::size_t type);
  // Records the success of a transaction that no client waits for.
  void succeeded_in_background(std::size_t type) {
    note_success(coro::Worker::current().now(), type);
  }
  // Returns a message if no transaction of the failed one's type can succeed, else an empty string.
  // Requires: failed() has been called for it.
  std::string hopelessness(const std::string& type_name, std::size_t type,
                           const database::Error& error);

  // Records a pause of a terminal that was planned from `begun` to `due`, and has just ended.
  void paused(measure::Histogram SharedTotals::* kind, std::size_t type, coro::Instant begun,
              coro::Instant due);
  // Announce and record a timer that shows how late this worker is.
  void expect_tick(coro::Instant due) noexcept { next_tick_ = due; }
  void ticked(coro::Instant due);

  // Returns the transactions with an unknown commit. Valid until settle().
  std::vector<const Transaction*> unknown_commits() const;
  // Counts the outcomes of unknown_commits(), in that order, and forgets these transactions.
  void settle(const std::vector<database::Resolution>& answers);

  // Returns true if no Work lives, and every transaction that began has ended.
  bool at_rest() const noexcept {
    return work_ == 0 && metrics_.started.get() == metrics_.finished.get();
  }

 private:
  struct UnknownCommit {
    std::unique_ptr<Transaction> transaction;
    SharedTotals* totals;  // null: the outcome is counted by the workload only
  };

  void note_success(coro::Instant now, std::size_t type);
  void begin_work();
  void end_work();
  // Reports a standstill of this process, so that missing answers do not count as a stall.
  void notice_standstill(coro::Instant now);
  void note_timer_lag(coro::Instant now, coro::Instant due);
  static void count_error(SharedTotals& totals, const database::Error& error);
  // Return null after the end of the interval, or if there is only one server host.
  SharedTotals* totals_at(coro::Instant instant, std::size_t type) noexcept;
  SharedHostTotals* host_totals_at(coro::Instant instant, std::size_t host) noexcept;

  WorkerMetrics& metrics_;
  SharedRecords& shared_;
  Timetable times_{};
  std::vector<UnknownCommit> unknown_commits_;
  std::vector<bool> has_succeeded_;  // by type, as told to shared_.hopeless_types
  bool keeps_service_ = false;
  std::size_t work_ = 0;  // number of Work objects
  coro::Instant next_tick_{};
};

}  // namespace drover::load
