#include "steps/mutex.h"

namespace drover::steps {

Admission MutexGate::enter(SyncHold& hold) noexcept {
  if (hold.nested()) {
    hold.stage = SyncHold::Stage::inside;
    return Admission::admitted;
  }
  if (free_ > 0) {
    --free_;
    hold.has_permit = true;
    hold.stage = SyncHold::Stage::inside;
    return Admission::admitted;
  }
  if (queue_.size() >= max_queue_) return Admission::rejected;
  hold.stage = SyncHold::Stage::at_mutex;
  queue_.push(hold);
  return Admission::queued;
}

void MutexGate::leave(SyncHold& hold) noexcept {
  if (hold.stage == SyncHold::Stage::at_mutex) {
    queue_.remove(hold);
    return;
  }
  if (!hold.has_permit) return;
  hold.has_permit = false;
  if (queue_.empty()) {
    ++free_;
    return;
  }
  SyncHold& next = queue_.pop();
  next.has_permit = true;
  next.stage = SyncHold::Stage::inside;
  next.primitive().let_in(next);
}

}  // namespace drover::steps
