// What the attachments of the steps do beyond their templates: timers, awaited tasks, parallels.
#include <algorithm>

#include "steps/detail/step_definitions.h"

namespace drover::steps::detail {

TimeoutAttachment::TimeoutAttachment(Steps& step, coro::Duration timeout) noexcept : owner(step) {
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

AwaitAttachment::~AwaitAttachment() {
  if (!driver) return;
  AwaitDriver::promise_type& promise = driver.promise();
  promise.attachment = nullptr;
  StepAccess::flow(step).task_ends(promise);
  promise.own_source.cancel();
}

ParallelChild::ParallelChild(Flow& flow, ParallelFrame& frame) noexcept
    : Steps(strand, root_ops), strand(flow, *this, &frame) {}

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

}  // namespace drover::steps::detail
