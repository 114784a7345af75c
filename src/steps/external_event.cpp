#include "steps/external_event.h"

namespace drover::steps::detail {

const AttachmentOps LinkAttachment::operations{Slot::extended, sizeof(LinkAttachment), true,
                                               &destroy_attachment<LinkAttachment>, nullptr};

void release_link(ExternalLink& link) noexcept {
  // Acquire and release pair with each other: whoever is last sees all that the others did to it.
  if (link.references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &link;
}

}  // namespace drover::steps::detail
