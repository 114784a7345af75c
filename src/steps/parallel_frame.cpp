#include "steps/parallel_frame.h"

#include "steps/step_definitions.h"

namespace drover::steps::detail {

const AttachmentOps ParallelFrame::operations{Slot::extended, sizeof(ParallelFrame), true,
                                              &destroy_attachment<ParallelFrame>, nullptr};

namespace {

constexpr StepOps child_ops{Kind::root, 0, nullptr, nullptr, nullptr};

}  // namespace

ParallelChild::ParallelChild(Flow& flow, ParallelFrame& frame) noexcept
    : Steps(strand, child_ops), strand(flow, *this, &frame) {}

ParallelFrame::~ParallelFrame() {
  Flow& flow = owner.strand_->flow();
  for (ParallelChild* child = first; child != nullptr; child = child->next_child()) {
    if (child->strand.active()) child->strand.cancel();
  }
  while (first != nullptr) {
    ParallelChild* child = std::exchange(first, first->next_child());
    child->strand.drop_children(*child);
    child->strand.destroy_attachments(*child);
    child->~ParallelChild();
    flow.release(Slot::parallel, child, sizeof(ParallelChild));
  }
}

Steps& ParallelFrame::add_child() {
  Flow& flow = owner.strand_->flow();
  void* block = flow.allocate(Slot::parallel, sizeof(ParallelChild));
  auto* child = ::new (block) ParallelChild(flow, *this);
  if (last != nullptr) {
    last->link_ = child;
  } else {
    first = child;
  }
  last = child;
  return *child;
}

void ParallelFrame::start() {
  for (ParallelChild* child = first; child != nullptr; child = child->next_child()) {
    ++running;
    child->strand.begin();
  }
  if (running > 0) owner.phase_ = Phase::waiting;
}

void ParallelFrame::child_succeeded() noexcept {
  if (--running > 0) return;
  owner.phase_ = Phase::done;
  owner.strand_->flow().schedule(*owner.strand_);
}

void ParallelFrame::child_failed(Strand& failed) noexcept {
  --running;
  for (ParallelChild* child = first; child != nullptr; child = child->next_child()) {
    if (child->strand.active()) child->strand.cancel();
  }
  Strand& around = *owner.strand_;
  if (around.error_pending_) return;
  around.record(failed.code());
  around.flow().schedule(around);
}

void run_parallel(Steps& step) {
  StepAccess::strand(step).clear_results();
  parallel_frame(*StepAccess::attachments(step)).start();
}

}  // namespace drover::steps::detail
