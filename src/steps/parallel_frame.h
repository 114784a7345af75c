// ParallelFrame: the children of a parallel, each a strand of its own. For the engine's own use.
#pragma once

#include <cstddef>

#include "steps/strand.h"

namespace drover::steps::detail {

struct ParallelChild;

struct ParallelFrame final : Attachment {
  explicit ParallelFrame(Steps& step) noexcept : Attachment(operations), owner(step) {}
  ~ParallelFrame();  // cancels the children

  // The root of a further child.
  Steps& add_child();

  // Queues the children, in order; none: the step just ends.
  void start();

  // The end of a child.
  void child_succeeded() noexcept;
  void child_failed(Strand& failed) noexcept;

  void cancel_children() noexcept;

  static const AttachmentOps operations;
  Steps& owner;
  ParallelChild* first = nullptr;
  ParallelChild* last = nullptr;
  std::size_t running = 0;
};

struct ParallelChild final : Steps {
  ParallelChild(Flow& flow, ParallelFrame& frame) noexcept;

  static const StepOps operations;
  // A root has no siblings: the link is that of the children's list.
  ParallelChild* next_child() const noexcept { return static_cast<ParallelChild*>(link_); }

  Strand strand;
};

// The frame is the only attachment of its step: no more can be added.
inline ParallelFrame& parallel_frame(Attachment& attachment) noexcept {
  return static_cast<ParallelFrame&>(attachment);
}

void run_parallel(Steps& step);

// The step of a parallel, with the handler of its children's errors.
template <class Handler>
struct ParallelStep final : Steps {
  static constexpr bool has_handler = !std::is_same_v<Handler, NoHandler>;

  template <class H>
  ParallelStep(Strand& strand, H&& h) : Steps(strand, operations), handler(std::forward<H>(h)) {}

  static void handle(Steps& step, ErrorCode code) {
    if constexpr (has_handler) static_cast<ParallelStep&>(step).handler(step, code);
  }

  static void destroy(Steps& step) noexcept { static_cast<ParallelStep&>(step).~ParallelStep(); }

  static const StepOps operations;
  [[no_unique_address]] Handler handler;
};

template <class Handler>
const StepOps ParallelStep<Handler>::operations{
    Kind::parallel, sizeof(ParallelStep), &run_parallel,
    ParallelStep::has_handler ? &ParallelStep::handle : nullptr,
    std::is_trivially_destructible_v<Handler> ? nullptr : &ParallelStep::destroy};

}  // namespace drover::steps::detail
