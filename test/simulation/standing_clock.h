// Virtual time that leaps where the process is said to stand still: a timer that is due within such
// a stretch fires at its end.
#pragma once

#include <algorithm>
#include <vector>

#include "coro/clock.h"

namespace drover::simulation {

struct Standstill {
  coro::Instant start;
  coro::Duration length{};
};

class StandingClock final : public coro::Clock {
 public:
  // In their order, one after the other.
  explicit StandingClock(std::vector<Standstill> standstills)
      : standstills_(std::move(standstills)) {}

  coro::Instant now() const noexcept override { return now_; }
  bool is_virtual() const noexcept override { return true; }

  void advance_to(coro::Instant instant) noexcept override {
    now_ = std::max(now_, instant);
    while (next_ < standstills_.size() && standstills_[next_].start <= now_) {
      now_ = std::max(now_, standstills_[next_].start + standstills_[next_].length);
      ++next_;
    }
  }

 private:
  std::vector<Standstill> standstills_;
  std::size_t next_ = 0;
  coro::Instant now_{};
};

}  // namespace drover::simulation
