// Limiter: a Mutex before a Throttle. A section gets the permit of the mutex first and keeps it
// while it waits for the throttle. A section in a section of the same flow counts for the throttle
// only. For the flows of one worker; not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>

#include "coro/clock.h"
#include "steps/mutex.h"
#include "steps/throttle.h"

namespace drover::steps {

struct LimiterOptions {
  std::size_t concurrent = 1;  // at once
  std::size_t max_queue = 0;   // waiting for the mutex
  std::size_t rate = 1;        // a period
  coro::Duration period = std::chrono::seconds(1);
  std::size_t burst = 0;  // waiting for the throttle
};

class Limiter final : public SyncPrimitive {
 public:
  explicit Limiter(coro::Worker& worker, LimiterOptions options = {}) noexcept
      : mutex_(options.concurrent, options.max_queue),
        throttle_(worker, options.rate, options.period, options.burst) {}

  void reset() noexcept { throttle_.reset(); }

 private:
  Admission enter(SyncHold& hold) override;
  void let_in(SyncHold& hold) noexcept override;
  void leave(SyncHold& hold) noexcept override;
  std::string_view rejection() const noexcept override;

  MutexGate mutex_;
  ThrottleGate throttle_;
  bool throttle_rejected_ = false;  // by the last rejection
};

}  // namespace drover::steps
