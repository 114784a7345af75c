#include "steps/limiter.h"

namespace drover::steps {

Admission Limiter::enter(SyncHold& hold) {
  const Admission at_mutex = mutex_.enter(hold);
  throttle_rejected_ = false;
  if (at_mutex != Admission::admitted) return at_mutex;
  const Admission at_throttle = throttle_.enter(hold);
  throttle_rejected_ = at_throttle == Admission::rejected;
  // A rejected one gives its permit back when its step ends.
  return at_throttle;
}

// By the mutex, and then the throttle comes, or by the throttle.
void Limiter::let_in(SyncHold& hold) noexcept {
  if (hold.counted) {
    hold.admit();
    return;
  }
  switch (throttle_.enter(hold)) {
    case Admission::admitted:
      hold.admit();
      break;
    case Admission::queued:
      break;
    case Admission::rejected:
      throttle_rejected_ = true;
      hold.reject();
      break;
  }
}

void Limiter::leave(SyncHold& hold) noexcept {
  throttle_.leave(hold);
  mutex_.leave(hold);
}

std::string_view Limiter::rejection() const noexcept {
  return throttle_rejected_ ? "Throttle queue limit" : "Mutex queue limit";
}

}  // namespace drover::steps
