#include "steps/sync.h"

#include "steps/step_definitions.h"

namespace drover::steps {

const detail::AttachmentOps SyncHold::operations{Slot::extended, sizeof(SyncHold), false,
                                                 &detail::destroy_attachment<SyncHold>, nullptr};

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
      step_.raise(error_codes::defense_rejected, primitive_.rejection());
      break;
  }
}

void SyncHold::admit() noexcept {
  step_.phase_ = detail::Phase::children;
  step_.strand_->flow().schedule(*step_.strand_);
}

void SyncHold::reject() noexcept {
  step_.strand_->flow().shared_state().set_error_info(primitive_.rejection());
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
  hold.stage = stage_;
  hold.before_ = last_;
  hold.behind_ = nullptr;
  (last_ != nullptr ? last_->behind_ : first_) = &hold;
  last_ = &hold;
  ++size_;
  return Admission::queued;
}

bool HoldQueue::remove(SyncHold& hold) noexcept {
  if (hold.stage != stage_) return false;
  (hold.before_ != nullptr ? hold.before_->behind_ : first_) = hold.behind_;
  (hold.behind_ != nullptr ? hold.behind_->before_ : last_) = hold.before_;
  --size_;
  return true;
}

SyncHold& HoldQueue::pop() noexcept {
  SyncHold& hold = *first_;
  remove(hold);
  hold.go_in();
  return hold;
}

void detail::run_sync(Steps& step) {
  static_cast<SyncHold&>(*StepAccess::attachments(step)).enter();
}

}  // namespace drover::steps
