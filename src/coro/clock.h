// Time as the runtime sees it: one monotonic axis in nanoseconds, behind an interface, so that
// pacing and deadlines are tested on virtual time, without sleeping.
#pragma once

#include <chrono>

namespace drover::coro {

using Duration = std::chrono::nanoseconds;

// A point on a clock's own monotonic axis. Instants of different clocks do not compare.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;

  virtual Instant now() const noexcept = 0;

  // A virtual clock jumps to `instant` and says true: its worker does not sleep. The real clock
  // says false: the worker has to wait.
  virtual bool advance_to(Instant instant) noexcept = 0;
};

// CLOCK_MONOTONIC. Thread-safe.
class SteadyClock final : public Clock {
 public:
  Instant now() const noexcept override { return std::chrono::steady_clock::now(); }
  bool advance_to(Instant) noexcept override { return false; }

  static SteadyClock& instance() noexcept {
    static SteadyClock clock;
    return clock;
  }
};

// Time that passes only when its worker has nothing else to do. For one worker; not thread-safe.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Instant start = Instant{}) noexcept : now_(start) {}

  Instant now() const noexcept override { return now_; }

  bool advance_to(Instant instant) noexcept override {
    if (instant > now_) now_ = instant;
    return true;
  }

 private:
  Instant now_;
};

}  // namespace drover::coro
