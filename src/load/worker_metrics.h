// What one worker counts while it runs: for each phase and type of transaction; and the timetable of the phases.
//
// Written by the worker's thread, and read by the sampler at any time, except errors_by_sqlstate,
// error_messages and `pending`, which may be read only after the worker has been joined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "coro/clock.h"
#include "database/error.h"
#include "measure/counter.h"
#include "measure/histogram.h"

namespace drover::load {

// Something of each type of transaction of a workload, by the type's number. What nothing was written of is as T is made.
// Whoever reads while another thread writes makes all of them before.
template <class T>
class PerType {
 public:
  PerType() = default;
  explicit PerType(std::size_t types) : items_(types) {}
  PerType(std::initializer_list<T> items) : items_(items) {}

  T& operator[](std::size_t type) {
    while (items_.size() <= type) items_.emplace_back();
    return items_[type];
  }
  const T& operator[](std::size_t type) const {
    static const T none{};
    return type < items_.size() ? items_[type] : none;
  }

  std::size_t size() const noexcept { return items_.size(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() const noexcept { return items_.end(); }

 private:
  // Counters cannot be moved. Plain numbers can, and a deque of them takes over 500 bytes.
  std::conditional_t<std::is_arithmetic_v<T>, std::vector<T>, std::deque<T>> items_;
};

// The counts of one type. A transaction that ends within the phase belongs to it.
struct TransactionMetrics {
  measure::Counter committed;
  measure::Counter user_aborted;  // those that had to be rolled back
  measure::Counter failed;        // ambiguous ones included
  measure::Counter retries;
  measure::Counter attempts;
  measure::Counter ambiguous_committed;  // counted when they are resolved, after the run
  measure::Counter ambiguous_not_committed;
  measure::Counter ambiguous_unresolved;
  measure::Histogram latency;  // of committed ones, from the intended start
  measure::Histogram wait;     // the part in line for a permit and a session, outages left out
  measure::Histogram service;  // of committed ones of a schedule, from when they had their session
  measure::Histogram keying;   // as it was, from its intended start
  measure::Histogram think;    // likewise, after a transaction of this type
  std::array<measure::Counter, database::error_class_count> errors;
  std::map<std::string, std::uint64_t> errors_by_sqlstate;
  // The first message for each SQLSTATE of errors that are not retried.
  std::map<std::string, std::string> error_messages;
};

enum class Phase : std::uint8_t { warmup, measure, done };

using PhaseMetrics = PerType<TransactionMetrics>;

// What was done at one of several hosts.
struct HostMetrics {
  measure::Counter committed;
  measure::Counter failed;
  measure::Histogram service;  // of committed ones, from when they had their session
};

// The same, by the host's number; none where sessions are not spread over hosts.
struct HostsMetrics {
  PerType<HostMetrics> warmup;
  PerType<HostMetrics> measured;
  PerType<measure::Gauge> sessions;  // open

  HostsMetrics() = default;
  explicit HostsMetrics(std::size_t hosts) : warmup(hosts), measured(hosts), sessions(hosts) {}
};

// A transaction that a terminal waited for when the interval ended.
struct PendingTransaction {
  enum class End : std::uint8_t { none, committed, rolled_back };  // in the time that it still got

  std::size_t type = 0;
  coro::Duration age{};      // since its intended start, at the end of the interval
  coro::Duration latency{};  // if it has no end: how long it was waited for
  End end = End::none;
};

struct alignas(measure::cache_line_bytes) WorkerMetrics {
  WorkerMetrics() = default;
  explicit WorkerMetrics(std::size_t transaction_types, std::size_t host_count = 0)
      : warmup(transaction_types), measured(transaction_types), hosts(host_count) {}

  PhaseMetrics warmup;
  PhaseMetrics measured;
  HostsMetrics hosts;
  measure::Histogram timer_lag;         // measured
  measure::Histogram timer_lag_warmup;  // before and after it
  measure::Counter terminals_wanted;
  measure::Counter terminals_made;
  measure::Counter terminals_up;  // of those, that have begun their cycle
  measure::Counter started;       // transactions, over all phases
  measure::Counter finished;
  std::vector<PendingTransaction> pending;  // at most one a terminal
  measure::Counter wait_begun;              // terminals that asked for a permit and a session
  measure::Counter wait_ended;
  measure::Counter backlog;  // at the end: due by the schedule within the run, and not begun
  // Open loop: the first instant of the schedule that no client has taken, in ns since the start.
  measure::Gauge next_arrival_ns;

  std::uint64_t in_flight() const { return difference(started, finished); }
  std::uint64_t waiting() const { return difference(wait_begun, wait_ended); }

 private:
  // The two are read one after the other while the worker counts on.
  static std::uint64_t difference(const measure::Counter& more, const measure::Counter& less) {
    const std::uint64_t subtrahend = less.get();
    const std::uint64_t minuend = more.get();
    return minuend > subtrahend ? minuend - subtrahend : 0;
  }
};

// The instants that all workers of a run agree on. The phases are known when all terminals are up.
struct Timetable {
  coro::Instant start;  // terminals are at a random point of their cycle
  coro::Instant measure_start = coro::Instant::max();  // the end of the warm-up
  coro::Instant measure_end = coro::Instant::max();
  double unix_start = 0;  // of `start`, in seconds

  double unix_time(coro::Instant instant) const noexcept {
    return unix_start + coro::seconds_of(instant - start);
  }

  Phase phase_at(coro::Instant instant) const noexcept {
    if (instant < measure_start) return Phase::warmup;
    return instant < measure_end ? Phase::measure : Phase::done;
  }
};

}  // namespace drover::load
