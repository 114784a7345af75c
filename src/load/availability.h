// Availability: when the database was away, as all workers of a run together saw it.
//
// An outage is a stretch of at least `shortest_outage` that begins with a failure (a session lost
// under a transaction, or refused) and in which nothing succeeds: no transaction, and no attempt to
// open a session. Shorter ones are counted as interruptions: a single session that is killed and
// opened anew is one.
//
// Thread safety: all functions from any thread. While the database is up, succeeded() is one
// relaxed load of a line that nobody writes. A success that races with the first failure of an
// outage may miss it; the next one closes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "measure/counter.h"

namespace drover::load {

inline constexpr coro::Duration shortest_outage = std::chrono::milliseconds(100);

struct Outage {
  coro::Instant start;
  std::optional<coro::Instant> end;  // none: it has not ended
  std::uint64_t transactions_lost = 0;
  std::string first_error;
};

struct AvailabilityRecord {
  std::vector<Outage> outages;
  std::uint64_t interruptions = 0;
  std::uint64_t sessions_lost = 0;
  std::uint64_t sessions_reopened = 0;
  std::uint64_t outages_dropped = 0;  // counted, and not in the list
};

class Availability {
 public:
  // More of them are counted, not kept.
  static constexpr std::size_t outages_most = 10'000;

  void transaction_lost(coro::Instant now, std::string_view error);
  void session_lost();
  void session_refused(coro::Instant now, std::string_view error);
  void session_reopened(coro::Instant now);
  void transaction_succeeded(coro::Instant now) {
    if (down_.load(std::memory_order_relaxed)) end_outage(now);
  }

  bool down() const noexcept { return down_.load(std::memory_order_relaxed); }

  // Rises with each begin and each end: equal at two times, and no outage between them. Odd: down.
  std::uint64_t epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }

  // For how long the outage has lasted that goes on; zero if none does.
  coro::Duration away_for(coro::Instant now) const;

  // An outage that goes on comes last, without an end, if it is as long as one must be.
  AvailabilityRecord record(coro::Instant now) const;

  // The same with the last `most` outages only.
  AvailabilityRecord recent(coro::Instant now, std::size_t most) const;

 private:
  void begin_outage(coro::Instant now, std::string_view error);
  void end_outage(coro::Instant now);
  void keep(Outage outage);

  mutable std::mutex mutex_;
  AvailabilityRecord record_;
  std::optional<Outage> current_;
  // Written under the mutex, read by anyone. They publish nothing: the record is read under the
  // mutex.
  alignas(measure::cache_line_bytes) std::atomic<bool> down_{false};
  std::atomic<std::uint64_t> epoch_{0};
};

}  // namespace drover::load
