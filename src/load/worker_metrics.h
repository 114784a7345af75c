// Counters and histograms of one worker, by phase and transaction type, and the timetable of the
// phases.
//
// Written by the worker's thread. The sampler reads counters, gauges and histograms at any time.
// `pending` and the maps of SharedTotals may be read only when the worker has been joined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "coro/clock.h"
#include "database/error.h"
#include "measure/counter.h"
#include "measure/histogram.h"
#include "model/totals.h"

namespace drover::load {

// A list with an element for each transaction type or server host, by its number. Writing to a
// number beyond the end makes the list longer. Reading beyond the end returns a default value. If
// other threads read, the list must have all its elements before they start.
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

// Storage of totals that a worker writes while other threads read them.
struct Shared {
  using Count = measure::Counter;
  using Times = measure::Histogram;
  using ErrorsByClass = std::array<measure::Counter, database::error_class_count>;
};

// A transaction belongs to the phase in which it ends. Unknown commits are counted as `ambiguous`
// when they have been looked up, after the run.
using SharedTotals = model::TotalsIn<Shared>;
using SharedHostTotals = model::HostTotalsIn<Shared>;
using SharedPhase = PerType<SharedTotals>;

enum class Phase : std::uint8_t { warmup, measure, done };

// Totals by server host. Empty if connections are not distributed over several hosts.
struct HostsMetrics {
  PerType<SharedHostTotals> warmup;
  PerType<SharedHostTotals> measured;
  PerType<measure::Gauge> sessions;  // open connections

  HostsMetrics() = default;
  explicit HostsMetrics(std::size_t hosts) : warmup(hosts), measured(hosts), sessions(hosts) {}
};

// A transaction that a client waited for when the measured interval ended.
struct PendingTransaction {
  // Its end within Plan::drain_patience after the interval.
  enum class End : std::uint8_t { none, committed, rolled_back };

  std::size_t type = 0;
  coro::Duration age{};      // from its intended start to the end of the interval
  coro::Duration latency{};  // from its intended start to its end, or as long as it was waited for
  End end = End::none;
};

struct alignas(measure::cache_line_bytes) WorkerMetrics {
  WorkerMetrics() = default;
  explicit WorkerMetrics(std::size_t transaction_types, std::size_t host_count = 0)
      : warmup(transaction_types), measured(transaction_types), hosts(host_count) {}

  SharedPhase warmup;
  SharedPhase measured;
  HostsMetrics hosts;
  measure::Histogram timer_lag;         // in the measured interval
  measure::Histogram timer_lag_warmup;  // before and after it
  measure::Counter terminals_wanted;
  measure::Counter terminals_made;
  measure::Counter terminals_up;            // terminals that have begun their cycle
  measure::Counter started;                 // transactions, over all phases
  measure::Counter finished;                // likewise
  std::vector<PendingTransaction> pending;  // at most one for each terminal
  measure::Counter wait_begun;              // waits for a permit and a connection
  measure::Counter wait_ended;
  measure::Counter backlog;  // at the end of an open loop
  // Open loop: the first intended start that no client has taken, in ns since the start.
  measure::Gauge next_arrival_ns;

  std::uint64_t in_flight() const { return difference(started, finished); }
  std::uint64_t waiting() const { return difference(wait_begun, wait_ended); }

 private:
  // Returns 0 if the worker counted between the two reads.
  static std::uint64_t difference(const measure::Counter& more, const measure::Counter& less) {
    const std::uint64_t subtrahend = less.get();
    const std::uint64_t minuend = more.get();
    return minuend > subtrahend ? minuend - subtrahend : 0;
  }
};

// The instants of the phases, which are the same for all workers. The ends of the phases are known
// when all terminals have started.
struct Timetable {
  coro::Instant start;
  coro::Instant measure_start = coro::Instant::max();  // end of the warm-up
  coro::Instant measure_end = coro::Instant::max();
  double unix_start = 0;  // Unix time of `start`, in seconds

  double unix_time(coro::Instant instant) const noexcept {
    return unix_start + coro::seconds_of(instant - start);
  }

  Phase phase_at(coro::Instant instant) const noexcept {
    if (instant < measure_start) return Phase::warmup;
    return instant < measure_end ? Phase::measure : Phase::done;
  }
};

}  // namespace drover::load
