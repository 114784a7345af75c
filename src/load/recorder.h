// Recorder: what one worker writes down of its transactions: counts and times by phase and type,
// what is pending at the end, commits in doubt; and what it tells of them to the record of the run's
// availability.
//
// Belongs to its group's worker.
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

// What must hold whatever the database does, looked at in release builds, too. A run that breaks it has wrong figures, and
// is given up with an error in place of a result.
inline void require(bool holds, const char* what) {
  if (holds) [[likely]] {
    return;
  }
  throw std::logic_error(std::string("internal error in Drover, please report it: ") + what);
}

class Recorder {
 public:
  // Both must outlive it.
  Recorder(WorkerMetrics& metrics, SharedRecords& shared) noexcept
      : metrics_(metrics), shared_(shared) {}

  // Somebody waits for a transaction.
  class Work {
   public:
    explicit Work(Recorder& recorder) : recorder_(recorder) { recorder_.begin_work(); }
    ~Work() { recorder_.end_work(); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Recorder& recorder_;
  };

  // What a terminal waits for, from the moment at which it wanted it. If the interval ends before,
  // it is written down as pending.
  class ClientWait {
   public:
    using End = PendingTransaction::End;

    ClientWait(Recorder& recorder, std::size_t type, coro::Instant intended_start)
        : recorder_(recorder), work_(recorder), type_(type), intended_start_(intended_start) {}
    ~ClientWait();

    coro::Instant intended_start() const noexcept { return intended_start_; }
    // Requires: `now` is the instant by which it is counted, or not.
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
  // Nothing counts from now on.
  void end_interval(coro::Instant now) noexcept;
  bool measuring(coro::Instant instant) const noexcept {
    return times_.phase_at(instant) == Phase::measure;
  }

  // A terminal is in line for what it needs to begin.
  void wait_began() noexcept { metrics_.wait_begun.add(); }
  void wait_ended() noexcept { metrics_.wait_ended.add(); }

  // `begun`: when it had its session. Where that is to be kept apart from the latency, the transaction is one of a
  // schedule.
  struct Served {
    coro::Instant begun;
    std::optional<coro::Duration> wait;  // none where the database was away or stalled meanwhile
    std::size_t host = 0;                // of the session
  };
  void succeeded(Transaction& transaction, ClientWait& client_wait, const Served& served);
  void keep_service_times() noexcept { keeps_service_ = true; }
  // For good. `client_wait` is null if no terminal waits.
  void failed(const Transaction& transaction, const database::Error& error, ClientWait* client_wait,
              std::size_t host);
  // To be tried again.
  void retried(const Transaction& transaction, const database::Error& error);
  // Cancelled when its commit had been sent.
  void commit_unknown(const Transaction& transaction);

  // The terminal has its answer before its transaction is executed. Says whether that counts as measured.
  bool answered_at_once(coro::Instant now, ClientWait& client_wait, std::size_t type);
  // A transaction that no terminal waits for.
  void succeeded_in_background(std::size_t type) {
    note_success(coro::Worker::current().now(), type);
  }
  // Returns a message if no transaction of the failed one's type can succeed, else an empty string.
  // Requires: failed() has been called for it.
  std::string hopelessness(const std::string& type_name, std::size_t type,
                           const database::Error& error);

  // A pause of a terminal that was to last from `begun` to `due` and is over now.
  void paused(measure::Histogram TransactionMetrics::* kind, std::size_t type, coro::Instant begun,
              coro::Instant due);
  // A timer that looks how late this worker is fires at `due`, and has fired.
  void expect_tick(coro::Instant due) noexcept { next_tick_ = due; }
  void ticked(coro::Instant due);

  // Commits whose answer never came. Valid until settle().
  std::vector<const Transaction*> unknown_commits() const;
  // Requires: an answer for each of unknown_commits(), in their order. Then there are none.
  void settle(const std::vector<database::Resolution>& answers);

  // Nobody waits any more, and whatever was begun has ended.
  bool at_rest() const noexcept {
    return work_ == 0 && metrics_.started.get() == metrics_.finished.get();
  }

 private:
  // And where it is counted: by the workload alone if null.
  struct UnknownCommit {
    std::unique_ptr<Transaction> transaction;
    TransactionMetrics* metrics;
  };

  void note_success(coro::Instant now, std::size_t type);
  void begin_work();
  void end_work();
  // Where timers are late because this process stood still, nobody is to blame the database.
  void notice_standstill(coro::Instant now);
  // How late a timer was.
  void note_timer_lag(coro::Instant now, coro::Instant due);
  static void count_error(TransactionMetrics& metrics, const database::Error& error);
  TransactionMetrics* metrics_at(coro::Instant instant, std::size_t type) noexcept;
  HostMetrics* host_metrics_at(coro::Instant instant, std::size_t host) noexcept;

  WorkerMetrics& metrics_;
  SharedRecords& shared_;
  Timetable times_{};
  std::vector<UnknownCommit> unknown_commits_;
  std::vector<bool> has_succeeded_;  // by type, as told to shared_.hopeless_types
  bool keeps_service_ = false;
  std::size_t work_ = 0;       // transactions that somebody waits for
  coro::Instant next_tick_{};  // when this worker is to look at the clock
};

}  // namespace drover::load
