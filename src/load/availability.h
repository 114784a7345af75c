// Availability: when the database was away, as all workers of a run together saw it.
//
// An outage is a stretch of at least `shortest_outage` that begins with a failure (a session lost
// under a transaction, or refused) and in which nothing succeeds: no transaction, and no attempt to
// open a session. Shorter ones are counted as interruptions: a single session that is killed and
// opened anew is one.
//
// A stall is a stretch in which somebody waits for a transaction all the time and nobody gets an
// answer, though nothing has failed: of at least `shortest_stall`, and of five times the usual gap
// between answers, which counts as a second at most (one connection whose transactions take 2 s is
// slow, and does not stall). A failure under a stall makes an outage of it, which begins where the
// stall did. While this process itself stood still nobody could have seen an answer: a stall ends
// there, and what follows is another one.
//
// Thread safety: all functions from any thread. While the database is up and answers,
// transaction_succeeded() is three relaxed loads; their lines are written a hundred times a second
// at most, or when a worker has nothing more to do. A success that races with the first failure of
// an outage may miss it; the next one closes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "load/hopeless_types.h"
#include "measure/counter.h"

namespace drover::load {

inline constexpr coro::Duration shortest_outage = std::chrono::milliseconds(100);
inline constexpr coro::Duration shortest_stall = std::chrono::seconds(1);

struct Outage {
  coro::Instant start;
  std::optional<coro::Instant> end;  // none: it has not ended
  std::uint64_t transactions_lost = 0;
  std::string first_error;
};

struct Stall {
  coro::Instant start;
  std::optional<coro::Instant> end;  // none: it has not ended
};

struct AvailabilityRecord {
  std::vector<Outage> outages;
  std::vector<Stall> stalls;
  std::uint64_t interruptions = 0;
  std::uint64_t sessions_lost = 0;
  std::uint64_t sessions_ended_idle = 0;  // among those lost; no transaction failed
  std::uint64_t sessions_reopened = 0;
  std::uint64_t sessions_renewed = 0;  // for their age: they were not lost
  std::uint64_t outages_dropped = 0;   // counted, and not in the list
  std::uint64_t stalls_dropped = 0;    // likewise
};

class Availability {
 public:
  // More of them, or of stalls, are counted, not kept.
  static constexpr std::size_t outages_most = 10'000;

  void transaction_lost(coro::Instant now, std::string_view error);
  void session_lost();
  void session_ended_idle();  // the session that is lost next was idle
  void session_refused(coro::Instant now, std::string_view error);
  void session_reopened(coro::Instant now);
  void session_renewed();
  void transaction_succeeded(coro::Instant now) {
    if (down_.load(std::memory_order_relaxed)) end_outage(now);
    transaction_answered(now);
  }
  // With an error, perhaps: that ends a stall, and no outage.
  void transaction_answered(coro::Instant now) {
    if (now - since_.load(std::memory_order_relaxed) > precision_.load(std::memory_order_relaxed)) {
      note_answer(now);
    }
  }

  // A worker has somebody who waits for a transaction, and had nobody before; or has nobody any
  // more.
  void work_began(coro::Instant now);
  void work_ended(coro::Instant now);

  // This process, or one of its workers, stood still.
  void client_stood_still(coro::Instant from, coro::Instant until);

  bool down() const noexcept { return down_.load(std::memory_order_relaxed); }

  // Whether a stall goes on. Requires: the caller waits for a transaction.
  bool stalls(coro::Instant now) const noexcept {
    return now - since_.load(std::memory_order_relaxed) >=
           stall_from_.load(std::memory_order_relaxed);
  }

  // Rises with each begin and each end of an outage, and when a stall is over: equal at two times,
  // and none of them ended between. Odd: down.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }

  // For how long the outage has lasted that goes on; zero if none does.
  coro::Duration away_for(coro::Instant now) const;

  // For how long a stall has lasted that goes on; zero if none does.
  coro::Duration silent_for(coro::Instant now) const;

  // An outage or a stall that goes on comes last, without an end, if it is as long as one must be.
  // A stall ends at `now` at the latest: at the end of a run the terminals that wait are sent away.
  AvailabilityRecord record(coro::Instant now) const;

  // The same with the last `most` outages and stalls only.
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
  coro::Instant idle_since_;  // while there are none
  std::optional<coro::Duration> usual_gap_;
  // Written under the mutex, read by anyone. They publish nothing: the record is read under the
  // mutex.
  alignas(measure::cache_line_bytes) std::atomic<bool> down_{false};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<coro::Instant> since_{coro::Instant{}};  // the last answer, or begin of work
  std::atomic<coro::Duration> precision_{
      coro::Duration(-1)};  // of it; at first none is passed over
  std::atomic<coro::Duration> stall_from_{shortest_stall};
};

// What the workers of a run write together.
struct SharedRecords {
  Availability availability;
  HopelessTypes hopeless_types;
  // Somebody wants the run to end. Workers with millions of terminals look at it where a post would
  // come late; what ends the run in order is stop(). Relaxed: nothing else goes with it.
  std::atomic<bool> stop_asked{false};
};

}  // namespace drover::load
