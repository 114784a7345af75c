// Plan: all that a run was asked for, validated and with every "auto" resolved. Values only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "coro/clock.h"
#include "tpcc/random.h"

namespace drover::load {

struct RetryPolicy {
  // Attempts at one transaction that fails with a serialization failure, a deadlock, or another
  // error that is retryable, the first included.
  int attempts_max = 20;
  // The n-th pause is random in [0, min(pause_max, pause_first * 2^(n-1))]: full jitter.
  coro::Duration pause_first = std::chrono::milliseconds(2);
  coro::Duration pause_max = std::chrono::milliseconds(500);
  // Of database::Backoff::slow, counted by itself: random in [d/2, d] with
  // d = min(slow_pause_max, slow_pause_first * 2^(n-1)).
  coro::Duration slow_pause_first = std::chrono::seconds(1);
  coro::Duration slow_pause_max = std::chrono::seconds(64);
};

struct Plan {
  std::int32_t warehouses = 1;
  std::int32_t terminals_per_warehouse = 10;  // one for each district (clause 4.2.2)
  // Without delays: so many in all, as evenly over the warehouses as can be; 0: all of them.
  std::size_t terminals_most = 0;
  coro::Duration warmup{};
  coro::Duration duration{};
  std::size_t threads = 1;
  std::size_t connections = 0;   // over all threads; 0 where there is no database
  std::size_t max_inflight = 0;  // transactions at a time, over all threads; 0: no limit
  bool no_delays = false;
  double pace = 1.0;  // divides keying and think times
  // Deliveries are queued and answered at once, and executed beside the terminals (clause 2.7.2).
  bool deferred_delivery = false;
  std::uint64_t seed = 0;
  tpcc::NurandConstants constants;  // C-Run
  RetryPolicy retry;
  // How long transactions that are in flight at the end may go on before they are cancelled.
  coro::Duration drain_patience = std::chrono::seconds(5);

  std::size_t terminals() const noexcept {
    const std::size_t all =
        static_cast<std::size_t>(warehouses) * static_cast<std::size_t>(terminals_per_warehouse);
    return terminals_most == 0 ? all : std::min(all, terminals_most);
  }

  // Of the warehouse `w_id`: the districts from 1 to this number have one.
  std::int32_t terminals_of(std::int32_t w_id) const noexcept {
    const auto all = static_cast<std::int64_t>(terminals());
    return static_cast<std::int32_t>(all / warehouses + (w_id <= all % warehouses ? 1 : 0));
  }

  // The part of the thread `index` of `count` things that are dealt out to the threads in turns.
  std::size_t share_of_worker(std::size_t index, std::size_t count) const noexcept {
    return count / threads + (index < count % threads ? 1 : 0);
  }
  // Those of the thread `index`: index + 1, index + 1 + threads, ...
  std::size_t warehouses_of_worker(std::size_t index) const noexcept {
    return share_of_worker(index, static_cast<std::size_t>(warehouses));
  }
  // In these warehouses: as terminals_of() says, the first of all have one more.
  std::size_t terminals_of_worker(std::size_t index) const noexcept {
    const auto all = static_cast<std::size_t>(warehouses);
    return warehouses_of_worker(index) * (terminals() / all) +
           share_of_worker(index, terminals() % all);
  }
};

}  // namespace drover::load
