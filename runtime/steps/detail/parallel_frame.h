// ParallelFrame: the children of a parallel, each a strand of its own. For the engine's own use.
#pragma once

#include <cstddef>

#include "steps/detail/callable_step.h"
#include "steps/detail/strand.h"

namespace drover::steps::detail {

struct ParallelChild;

struct ParallelFrame final : AttachmentOf<ParallelFrame, Slot::extended, true> {
  explicit ParallelFrame(Steps& step) noexcept : owner(step) {}
  ~ParallelFrame();  // cancels the children

  // The root of a further child.
  Steps& add_child();

  // Queues the children, in order; none: the step just ends.
  void start();

  // The end of a child.
  void child_succeeded() noexcept;
  void child_failed(Strand& failed) noexcept;

  void cancel_children() noexcept;

  Steps& owner;
  ParallelChild* first = nullptr;
  ParallelChild* last = nullptr;
  std::size_t running = 0;
};

struct ParallelChild final : Steps {
  ParallelChild(Flow& flow, ParallelFrame& frame) noexcept;

  // A root has no siblings: the link is that of the children's list.
  ParallelChild* next_child() const noexcept { return static_cast<ParallelChild*>(link_); }

  Strand strand;
};

// The frame is the only attachment of its step: no more can be added.
inline ParallelFrame& parallel_frame(Attachment& attachment) noexcept {
  return static_cast<ParallelFrame&>(attachment);
}

// The step of a parallel, with the handler of its children's errors.
template <class Handler>
struct ParallelStep final : Steps {
  static constexpr Kind kind = Kind::parallel;

  template <class H>
  ParallelStep(Strand& strand, H&& h)
      : Steps(strand, step_ops<ParallelStep>), handler(std::forward<H>(h)) {}

  static void run(Steps& step) { parallel_frame(*StepAccess::attachments(step)).start(); }

  [[no_unique_address]] Handler handler;
};

}  // namespace drover::steps::detail
