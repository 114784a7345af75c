// Availability: the outages and stalls of the database, as all workers of a run observe them.
//
// An outage lasts at least `shortest_outage`. It begins with a lost or refused connection. No
// transaction and no attempt to open a connection succeeds until it ends. Shorter ones are counted
// as interruptions, such as a single connection that was killed and reopened.
//
// In a stall a client waits for a transaction all the time, no client receives an answer, and
// nothing fails. A stall lasts at least `shortest_stall`, and at least five times the usual gap
// between answers, which counts as at most one second: one connection whose transactions take 2 s
// is slow, but does not stall. A failure turns a stall into an outage, which begins where the stall
// began. A standstill of this process ends a stall, because no answer could be observed.
//
// Thread safety: all functions from any thread. While the database answers,
// transaction_succeeded() is three relaxed loads. Their cache lines are written at most a hundred
// times a second, and when a worker has nothing more to do. A success that races with the first
// failure of an outage may miss the outage. The next success ends it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "database/error.h"
#include "measure/counter.h"
#include "model/totals.h"

namespace drover::load {

inline constexpr coro::Duration shortest_outage = std::chrono::milliseconds(100);
inline constexpr coro::Duration shortest_stall = std::chrono::seconds(1);

struct Outage {
  coro::Instant start;
  std::optional<coro::Instant> end;  // none if it has not ended
  std::uint64_t transactions_lost = 0;
  std::string first_error;
};

struct Stall {
  coro::Instant start;
  std::optional<coro::Instant> end;  // none if it has not ended
};

struct AvailabilityRecord : model::ConnectionCounts {
  std::vector<Outage> outages = {};
  std::vector<Stall> stalls = {};
  std::uint64_t sessions_renewed = 0;  // replaced because of their age, and not lost
  std::uint64_t outages_dropped = 0;   // not in the list
  std::uint64_t stalls_dropped = 0;    // not in the list
};

class Availability {
 public:
  // The length of the lists of outages and stalls. Further ones are only counted.
  static constexpr std::size_t outages_most = 10'000;

  void transaction_lost(coro::Instant now, std::string_view error);
  void session_lost();
  void session_ended_idle();  // call before session_lost(), if the connection was idle
  void session_refused(coro::Instant now, std::string_view error);
  void session_reopened(coro::Instant now);
  void session_renewed();
  void transaction_succeeded(coro::Instant now) {
    if (down_.load(std::memory_order_relaxed)) end_outage(now);
    transaction_answered(now);
  }
  // Records an answer of the database, which may be an error. It ends a stall, but no outage.
  void transaction_answered(coro::Instant now) {
    if (now - since_.load(std::memory_order_relaxed) > precision_.load(std::memory_order_relaxed)) {
      note_answer(now);
    }
  }

  // Called when the first client of a worker begins to wait for a transaction, and when the last
  // one stops waiting.
  void work_began(coro::Instant now);
  void work_ended(coro::Instant now);

  // Called after a standstill of this process or of one of its workers.
  void client_stood_still(coro::Instant from, coro::Instant until);

  bool down() const noexcept { return down_.load(std::memory_order_relaxed); }

  // Returns true during a stall. Requires: the caller waits for a transaction.
  bool stalls(coro::Instant now) const noexcept {
    return now - since_.load(std::memory_order_relaxed) >=
           stall_from_.load(std::memory_order_relaxed);
  }

  // Returns a number that rises when an outage begins or ends, and when a stall ends. It is odd
  // during an outage.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }

  // Returns the length so far of the current outage, or zero.
  coro::Duration away_for(coro::Instant now) const;

  // Returns the length so far of the current stall, or zero.
  coro::Duration silent_for(coro::Instant now) const;

  // Returns everything recorded. A current outage or stall is last in its list and has no end.
  AvailabilityRecord record(coro::Instant now) const;

  // Returns the record with the last `most` outages and stalls only.
  AvailabilityRecord recent(coro::Instant now, std::size_t most) const;

 private:
  void begin_outage(coro::Instant now, std::string_view error);
  void end_outage(coro::Instant now);
  void keep(Outage outage);
  void note_answer(coro::Instant now);
  void end_silence(coro::Instant now);
  void learn_gap(coro::Duration gap);
  bool is_stall(coro::Instant start, coro::Instant end) const;
  void add_stalls(coro::Instant now, std::size_t most, AvailabilityRecord& record) const;

  mutable std::mutex mutex_;
  AvailabilityRecord record_;
  std::optional<Outage> current_;
  std::size_t busy_workers_ = 0;
  coro::Instant idle_since_;  // while no worker is busy
  std::optional<coro::Duration> usual_gap_;
  // Written under the mutex, and read without it. Relaxed, because they publish no other data.
  alignas(measure::cache_line_bytes) std::atomic<bool> down_{false};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<coro::Instant> since_{coro::Instant{}};  // the last answer, or start of work
  std::atomic<coro::Duration> precision_{
      coro::Duration(-1)};  // most lag of `since_`; negative until the first answer is recorded
  std::atomic<coro::Duration> stall_from_{shortest_stall};
};

// Returns true if the same statement fails with the same error again: syntax errors, missing tables
// or columns (SQLSTATE 42xxx and 3F000), features that the server lacks (0A000), and YDB's
// SCHEME_ERROR and UNSUPPORTED.
bool is_lasting(const database::Error& error) noexcept;

// HopelessTypes: finds a type of transaction that cannot succeed, so that a run ends early instead
// of failing until its end.
//
// A type is hopeless if it has never succeeded, and its transactions fail with one and the same
// SQLSTATE that another attempt does not change (is_lasting()): `failures_least` times in a row,
// and for `time_least` or longer. Any other failure starts the count again. A type that has
// succeeded once is never hopeless.
//
// Thread safety: all functions from any thread.
class HopelessTypes {
 public:
  static constexpr std::uint64_t failures_least = 10;
  static constexpr coro::Duration time_least = std::chrono::seconds(5);

  void succeeded(std::size_t type);
  // Counts the failure. Returns true if the type is hopeless.
  bool failed(std::size_t type, const database::Error& error, coro::Instant now);

 private:
  struct Failures {
    bool has_succeeded = false;
    std::uint64_t in_a_row = 0;
    std::string sqlstate = {};
    coro::Instant since = {};
  };

  std::mutex mutex_;
  std::map<std::size_t, Failures> types_;
};

// Records that all workers of a run write.
struct SharedRecords {
  Availability availability;
  HopelessTypes hopeless_types;
  // Set by a stop request. Workers with millions of terminals read it, because a post would arrive
  // late. Relaxed, because it publishes no other data. stop() ends the run in order.
  std::atomic<bool> stop_asked{false};
};

}  // namespace drover::load
