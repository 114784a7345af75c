#include "steps/loops.h"

namespace drover::steps::detail {

const AttachmentOps LabelAttachment::operations{Slot::other, sizeof(LabelAttachment), false,
                                                &destroy_attachment<LabelAttachment>, nullptr};

}  // namespace drover::steps::detail
