#include "steps/mutex.h"

namespace drover::steps {

Admission MutexGate::enter(SyncHold& hold) noexcept {
  if (hold.nested()) return hold.go_in();
  if (free_ == 0) return queue_.push(hold);
  --free_;
  hold.has_permit = true;
  return hold.go_in();
}

void MutexGate::leave(SyncHold& hold) noexcept {
  if (queue_.remove(hold) || !hold.has_permit) return;
  hold.has_permit = false;
  if (queue_.empty()) {
    ++free_;
    return;
  }
  SyncHold& next = queue_.pop();
  next.has_permit = true;
  next.primitive().let_in(next);
}

}  // namespace drover::steps
