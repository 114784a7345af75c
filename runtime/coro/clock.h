// Clock: the interface by which the runtime reads time, one monotonic axis in nanoseconds, so that
// tests of pacing and deadlines can use virtual time.
#pragma once

#include <cassert>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

namespace drover::coro {

using Duration = std::chrono::nanoseconds;

// Point on a clock's monotonic axis. Instants of different clocks cannot be compared.
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

constexpr double seconds_of(Duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

// Returns start + duration, or the first or last instant if that overflows.
constexpr Instant instant_after(Instant start, Duration duration) noexcept {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(start.time_since_epoch().count(), duration.count(), &sum)) {
    return duration < Duration::zero() ? Instant::min() : Instant::max();
  }
  return Instant(Duration(sum));
}

// Converts a duration to nanoseconds; one that is too long becomes the longest duration.
template <class Count, class Unit>
  requires std::convertible_to<std::chrono::duration<Count, Unit>, Duration>
constexpr Duration saturated(std::chrono::duration<Count, Unit> duration) noexcept {
  using Wide = std::chrono::duration<std::int64_t, Unit>;
  constexpr Wide longest = std::chrono::duration_cast<Wide>(Duration::max());
  if (std::cmp_greater(duration.count(), longest.count())) return Duration::max();
  if (std::cmp_less(duration.count(), -longest.count())) return Duration::min();
  return duration;
}

class Clock {
 public:
  virtual ~Clock() = default;

  virtual Instant now() const noexcept = 0;

  // Returns true if a worker with nothing to do advances the clock to its next timer instead of
  // sleeping.
  virtual bool is_virtual() const noexcept = 0;

  // Requires: is_virtual().
  virtual void advance_to(Instant instant) noexcept = 0;
};

// CLOCK_MONOTONIC. Thread-safe.
class SteadyClock final : public Clock {
 public:
  Instant now() const noexcept override { return std::chrono::steady_clock::now(); }
  bool is_virtual() const noexcept override { return false; }
  void advance_to(Instant) noexcept override { assert(false && "real time cannot be moved"); }

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
  bool is_virtual() const noexcept override { return true; }
  void advance_to(Instant instant) noexcept override {
    if (instant > now_) now_ = instant;
  }

 private:
  Instant now_;
};

}  // namespace drover::coro
