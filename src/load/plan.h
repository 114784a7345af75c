// Plan: all that a run was asked for, validated and with every "auto" resolved. Values only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coro/clock.h"
#include "tpcc/random.h"

namespace drover::load {

struct RetryPolicy {
  // Attempts at one transaction that fails with a serialization failure or a deadlock, the first
  // included.
  int attempts_max = 20;
  // The n-th pause is random in [0, min(pause_max, pause_first * 2^(n-1))]: full jitter.
  coro::Duration pause_first = std::chrono::milliseconds(2);
  coro::Duration pause_max = std::chrono::milliseconds(500);
};

struct Plan {
  std::int32_t warehouses = 1;
  std::int32_t terminals_per_warehouse = 10;  // one for each district (clause 4.2.2)
  coro::Duration warmup{};
  coro::Duration duration{};
  std::size_t threads = 1;
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
    return static_cast<std::size_t>(warehouses) * static_cast<std::size_t>(terminals_per_warehouse);
  }
};

}  // namespace drover::load
