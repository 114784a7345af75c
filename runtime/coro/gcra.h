// Gcra: the generic cell rate algorithm (ITU-T I.371), in its form of a leaky bucket: says when the
// next entry may come if there are to be `entries` in each `period`, and up to `burst` at once
// after a pause. The state is two numbers, whatever the rate; nothing runs while nobody enters.
//
// Exact: the level is kept in parts of a nanosecond, one part being 1 / entries. So 3 entries a
// second are 3,000,000 in a million seconds. Over any time t no more than burst + t * entries /
// period entries conform. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "coro/clock.h"

namespace drover::coro {

struct Rate {
  std::int64_t entries = 1;
  Duration period = std::chrono::seconds(1);
  std::int64_t burst = 1;
};

class Gcra {
 public:
  // Throws std::invalid_argument if a number is not positive or too large: burst * period is under
  // 146 years, entries under 2^61.
  explicit Gcra(const Rate& rate)
      : entries_(rate.entries), period_(rate.period.count()), burst_level_(checked_level(rate)) {}

  // The earliest instant at which the next entry conforms; in the past if it may come at once.
  Instant next_entry() const noexcept {
    const std::int64_t excess = level_ - burst_level_;
    if (excess <= 0) return measured_at_;
    const bool inexact = excess % entries_ != 0;
    return instant_after(measured_at_,
                         Duration(excess / entries_ + static_cast<std::int64_t>(inexact)));
  }

  // Requires: not before next_entry().
  void enter(Instant instant) noexcept {
    drain_until(instant);
    level_ += period_;
  }

 private:
  // The level up to which another entry conforms.
  static std::int64_t checked_level(const Rate& rate) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    if (rate.entries <= 0 || rate.period <= Duration::zero() || rate.burst <= 0) {
      throw std::invalid_argument("a rate has at least one entry, one ns and a burst of one");
    }
    const std::int64_t period = rate.period.count();
    if (rate.entries > largest / 4 || rate.burst > largest / 2 / period) {
      throw std::invalid_argument("a rate has under 2^61 entries, burst * period under 146 years");
    }
    return (rate.burst - 1) * period;
  }

  void drain_until(Instant instant) noexcept {
    const std::int64_t elapsed = (instant - measured_at_).count();
    if (elapsed <= 0) return;
    measured_at_ = instant;
    // An entry that waited comes at the first whole nanosecond at or after its time. What it is
    // late by, less than one, is kept as a level below zero, or rates would be lower than asked
    // for.
    const bool idle = level_ <= 0 || elapsed > level_ / entries_ + 1;
    level_ = idle ? 0 : level_ - elapsed * entries_;
  }

  std::int64_t entries_;      // drained in a nanosecond
  std::int64_t period_;       // added by an entry
  std::int64_t burst_level_;  // up to which another one conforms
  std::int64_t level_ = 0;    // at measured_at_
  Instant measured_at_{};
};

}  // namespace drover::coro
