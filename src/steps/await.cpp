#include "steps/await.h"

namespace drover::steps::detail {

const AttachmentOps AwaitAttachment::operations{Slot::extended, sizeof(AwaitAttachment), true,
                                                &destroy_attachment<AwaitAttachment>, nullptr};

AwaitAttachment::~AwaitAttachment() {
  if (!driver) return;
  AwaitDriver::promise_type& promise = driver.promise();
  promise.attachment = nullptr;
  StepAccess::flow(step).task_ends(promise);
  promise.own_source.cancel();
}

}  // namespace drover::steps::detail
