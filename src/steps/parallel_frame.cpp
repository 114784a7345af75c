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
  cancel_children();
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

// Those that have not ended, in order, after the children of a parallel that they wait for. Without
// recursion: parallels may be nested deeper than the thread's stack.
void ParallelFrame::cancel_children() noexcept {
  ParallelFrame* frame = this;
  ParallelChild* child = first;
  for (;;) {
    if (child == nullptr) {
      if (frame == this) return;
      Strand& around = *frame->owner.strand_;
      frame = around.parallel_;
      around.cancel();
      child = static_cast<ParallelChild&>(*around.root_).next_child();
    } else if (!child->strand.active()) {
      child = child->next_child();
    } else if (Steps& at = *child->strand.current_;
               at.ops_->kind == Kind::parallel && at.phase_ == Phase::waiting) {
      frame = &parallel_frame(*at.attachments_);
      child = frame->first;
    } else {
      child->strand.cancel();
      child = child->next_child();
    }
  }
}

void ParallelFrame::child_succeeded() noexcept {
  if (--running > 0) return;
  owner.phase_ = Phase::done;
  owner.strand_->flow().schedule(*owner.strand_);
}

void ParallelFrame::child_failed(Strand& failed) noexcept {
  --running;
  cancel_children();
  Strand& around = *owner.strand_;
  if (around.error_pending_) return;
  around.record(failed.code());
  around.flow().schedule(around);
}

void run_parallel(Steps& step) {
  parallel_frame(*StepAccess::attachments(step)).start();
}

}  // namespace drover::steps::detail
