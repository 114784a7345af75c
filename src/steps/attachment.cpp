#include "steps/attachment.h"

#include <algorithm>

#include "steps/callable_step.h"

namespace drover::steps::detail {

const AttachmentOps TimeoutAttachment::operations{Slot::timeout, sizeof(TimeoutAttachment), true,
                                                  &destroy_attachment<TimeoutAttachment>, nullptr};

const AttachmentOps MemoryAttachment::operations{Slot::stack, 0, false,
                                                 &destroy_attachment<MemoryAttachment>, nullptr};

TimeoutAttachment::TimeoutAttachment(Steps& step, coro::Duration timeout) noexcept
    : Attachment(operations), owner(step) {
  coro::Worker& worker = owner.worker();
  const coro::Duration limited = std::clamp(timeout, coro::Duration::zero(), longest_wait);
  worker.timers().add(*this, worker.now() + limited);
}

TimeoutAttachment::~TimeoutAttachment() {
  owner.worker().timers().remove(*this);
}

void TimeoutAttachment::on_timer() noexcept {
  StepAccess::strand(owner).fail_later(error_codes::timeout);
}

}  // namespace drover::steps::detail
