// Latch: lets everyone through once it has been counted down to zero, and from then on. For the
// tasks of one worker; not thread-safe.
#pragma once

#include <cassert>
#include <cstddef>

#include "coro/event.h"

namespace drover::coro {

class Latch {
 public:
  explicit Latch(std::size_t count) noexcept : count_(count) {
    if (count_ == 0) zero_.set();
  }

  // Requires: `by` is at most count().
  void count_down(std::size_t by = 1) noexcept {
    assert(by <= count_ && "counted down below zero");
    count_ -= by;
    if (count_ == 0) zero_.set();
  }

  std::size_t count() const noexcept { return count_; }

  Event::WaitAwaiter wait() noexcept { return zero_.wait(); }

 private:
  std::size_t count_;
  Event zero_;
};

}  // namespace drover::coro
