#include "steps/throttle.h"

#include <algorithm>
#include <cassert>

namespace drover::steps {

ThrottleGate::ThrottleGate(coro::Worker& worker, std::size_t max, coro::Duration period,
                           std::size_t max_queue) noexcept
    : worker_(worker),
      max_(max),
      period_(std::min(period, detail::longest_wait)),
      queue_(SyncHold::Stage::at_throttle, max_queue) {
  assert(period > coro::Duration::zero());
  begin_window(worker.now());
}

Admission ThrottleGate::enter(SyncHold& hold) noexcept {
  if (!armed()) begin_window(worker_.now());
  if (count_ == max_) return queue_.push(hold);
  ++count_;
  return hold.go_in();
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
  window_end_ = coro::instant_after(start, period_);
  worker_.timers().add(*this, window_end_);
}

bool ThrottleGate::let_waiters_in() noexcept {
  count_ = 0;
  while (count_ < max_ && !queue_.empty()) {
    ++count_;
    SyncHold& next = queue_.pop();
    next.counted = true;
    next.primitive().let_in(next);
  }
  return count_ > 0;
}

}  // namespace drover::steps
