#include "steps/sync.h"

#include <algorithm>
#include <cassert>

#include "steps/detail/step_definitions.h"

namespace drover::steps {

SyncHold::~SyncHold() {
  if (stage_ != Stage::outside) primitive_.leave(*this);
}

void SyncHold::enter() {
  coro::Worker* mine = &step_.worker();
  coro::Worker* first = nullptr;
  // Relaxed: the pointer is compared, nothing is read through it.
  if (!primitive_.worker_.compare_exchange_strong(first, mine, std::memory_order_relaxed) &&
      first != mine) {
    step_.misuse("sync() with the primitive of another worker");
  }
  switch (primitive_.enter(*this)) {
    case Admission::admitted:
      step_.phase_ = detail::Phase::children;
      break;
    case Admission::queued:
      step_.phase_ = detail::Phase::waiting;
      break;
    case Admission::rejected:
      step_.raise(error_codes::defense_rejected,
                  stage_ == Stage::inside ? "Throttle queue limit" : "Mutex queue limit");
      break;
  }
}

void SyncHold::admit() noexcept {
  step_.phase_ = detail::Phase::children;
  step_.strand_->flow().schedule(*step_.strand_);
}

void SyncHold::reject() noexcept {
  step_.strand_->flow().shared_state().set_error_info("Throttle queue limit");
  if (step_.strand_->error_pending_) return;
  step_.strand_->record(error_codes::defense_rejected);
  step_.strand_->flow().schedule(*step_.strand_);
}

bool SyncHold::nested() const noexcept {
  for (Steps* step = step_.link_; step->ops_->kind != detail::Kind::root; step = step->link_) {
    if (step->ops_->kind != detail::Kind::sync) continue;
    if (&static_cast<SyncHold&>(*step->attachments_).primitive_ == &primitive_) return true;
  }
  return false;
}

Admission HoldQueue::push(SyncHold& hold) noexcept {
  if (size_ >= max_) return Admission::rejected;
  hold.stage_ = stage_;
  holds_.push_back(hold);
  ++size_;
  return Admission::queued;
}

bool HoldQueue::remove(SyncHold& hold) noexcept {
  if (hold.stage_ != stage_) return false;
  holds_.remove(hold);
  --size_;
  return true;
}

SyncHold& HoldQueue::pop() noexcept {
  SyncHold& hold = *holds_.first();
  remove(hold);
  hold.stage_ = SyncHold::Stage::inside;
  return hold;
}

SyncPrimitive::SyncPrimitive(std::size_t permits, std::size_t permit_queue,
                             coro::Worker& timing_worker, std::size_t entries,
                             coro::Duration period, std::size_t window_queue) noexcept
    : SyncPrimitive(permits, permit_queue) {
  assert(period > coro::Duration::zero());
  timing_worker_ = &timing_worker;
  entries_max_ = entries;
  period_ = std::min(period, detail::longest_wait);
  window_queue_ = HoldQueue(SyncHold::Stage::awaits_window, window_queue);
  begin_window(timing_worker.now());
}

SyncPrimitive::~SyncPrimitive() {
  if (timing_worker_ != nullptr) timing_worker_->timers().remove(*this);
}

Admission SyncPrimitive::enter(SyncHold& hold) noexcept {
  if (!hold.nested()) {
    if (free_ == 0) return permit_queue_.push(hold);
    --free_;
    hold.has_permit_ = true;
  }
  hold.stage_ = SyncHold::Stage::inside;
  return enter_window(hold);
}

// A rejected section returns its permit when its step ends.
Admission SyncPrimitive::enter_window(SyncHold& hold) noexcept {
  if (timing_worker_ == nullptr) return Admission::admitted;
  if (!armed()) begin_window(timing_worker_->now());
  if (entries_ == entries_max_) return window_queue_.push(hold);
  ++entries_;
  return Admission::admitted;
}

void SyncPrimitive::leave(SyncHold& hold) noexcept {
  if (permit_queue_.remove(hold)) return;
  window_queue_.remove(hold);
  if (!hold.has_permit_) return;
  hold.has_permit_ = false;
  if (permit_queue_.empty()) {
    ++free_;
    return;
  }
  SyncHold& next = permit_queue_.pop();
  next.has_permit_ = true;
  const Admission admission = enter_window(next);
  if (admission == Admission::admitted) next.admit();
  if (admission == Admission::rejected) next.reject();
}

void SyncPrimitive::reset() noexcept {
  timing_worker_->timers().remove(*this);
  if (admit_waiters()) begin_window(timing_worker_->now());
}

void SyncPrimitive::on_timer() noexcept {
  if (!admit_waiters()) return;
  // Begins at the planned end of the last window, so that lateness does not add up. Windows that
  // were missed whole admit no section.
  const coro::Duration late = timing_worker_->now() - window_end_;
  begin_window(window_end_ + late / period_ * period_);
}

void SyncPrimitive::begin_window(coro::Instant start) noexcept {
  window_end_ = coro::instant_after(start, period_);
  timing_worker_->timers().add(*this, window_end_);
}

bool SyncPrimitive::admit_waiters() noexcept {
  for (entries_ = 0; entries_ < entries_max_ && !window_queue_.empty(); ++entries_) {
    window_queue_.pop().admit();
  }
  return entries_ > 0;
}

}  // namespace drover::steps
