#include "steps/throttle.h"

#include <cassert>

namespace drover::steps {

ThrottleGate::ThrottleGate(coro::Worker& worker, std::size_t max, coro::Duration period,
                           std::size_t max_queue) noexcept
    : worker_(worker), max_(max), period_(period), max_queue_(max_queue) {
  assert(period > coro::Duration::zero());
  begin_window(worker.now());
}

Admission ThrottleGate::enter(SyncHold& hold) noexcept {
  if (!armed()) begin_window(worker_.now());
  if (count_ < max_) {
    ++count_;
    hold.stage = SyncHold::Stage::inside;
    return Admission::admitted;
  }
  if (queue_.size() >= max_queue_) return Admission::rejected;
  hold.stage = SyncHold::Stage::at_throttle;
  queue_.push(hold);
  return Admission::queued;
}

void ThrottleGate::leave(SyncHold& hold) noexcept {
  if (hold.stage == SyncHold::Stage::at_throttle) queue_.remove(hold);
}

void ThrottleGate::reset() noexcept {
  worker_.timers().remove(*this);
  if (let_waiters_in()) begin_window(worker_.now());
}

void ThrottleGate::on_timer() noexcept {
  if (!let_waiters_in()) return;
  // From the end that was due, so that lateness does not add up; windows that were missed whole
  // give nothing.
  const coro::Duration late = worker_.now() - window_end_;
  begin_window(window_end_ + late / period_ * period_);
}

void ThrottleGate::begin_window(coro::Instant start) noexcept {
  window_end_ = start + period_;
  worker_.timers().add(*this, window_end_);
}

bool ThrottleGate::let_waiters_in() noexcept {
  count_ = 0;
  while (count_ < max_ && !queue_.empty()) {
    ++count_;
    SyncHold& next = queue_.pop();
    next.stage = SyncHold::Stage::inside;
    next.counted = true;
    next.primitive().let_in(next);
  }
  return count_ > 0;
}

}  // namespace drover::steps
