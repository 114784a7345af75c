// Strand: the engine. One line of execution through a tree of steps: that of a flow, or of one
// child of a parallel.
//
// Belongs to the flow's worker; not thread-safe. Invariants: `current_` is the innermost step that
// has started and not ended, or the root; every step on the way from it to the root is active, and
// nothing else is. A strand that waits is in no queue.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "coro/detail/intrusive_list.h"
#include "coro/detail/pinned.h"
#include "steps/detail/results.h"
#include "steps/detail/text.h"
#include "steps/error.h"
#include "steps/steps.h"

namespace drover::steps {

class Strand : public coro::ListNode<Strand>, coro::Pinned {
 public:
  Strand(Flow& flow, Steps& root, detail::ParallelFrame* parallel) noexcept
      : flow_(&flow), root_(&root), current_(&root), parallel_(parallel) {}

  Flow& flow() const noexcept { return *flow_; }
  detail::ResultBlock* results() noexcept { return results_; }
  bool active() const noexcept { return active_; }
  ErrorCode code() const noexcept { return code_.view(); }

  // Queues the root's steps.
  void begin();

  // Runs at most `burst` steps.
  void run(std::uint16_t burst) noexcept;

  // Ends the burst after this step.
  void yield() noexcept { yields_ = true; }

  // Ends the burst before the next step.
  void cut_burst() noexcept { burst_ = 0; }

  // Runs the cancel handlers from the innermost step outwards and drops everything. Requires: no
  // step of it is being called.
  void cancel() noexcept;

  // An error from outside of any step: unwinds when the strand runs next. The first one counts.
  void fail_later(ErrorCode code) noexcept;

  // What left a step of this strand, or a task that it awaits.
  void caught(const std::exception_ptr& error) noexcept;

  void clear_results() noexcept {
    if (results_ != nullptr) drop(*std::exchange(results_, nullptr));
  }

  // Keeps the results while a body that refers to them may give its own.
  class ResultsInUse : coro::Pinned {
   public:
    explicit ResultsInUse(Strand& strand) noexcept
        : strand_(strand), block_(*std::exchange(strand.results_, nullptr)) {}
    ~ResultsInUse() {
      if (strand_.results_ == nullptr) {
        strand_.results_ = &block_;
      } else {
        strand_.drop(block_);
      }
    }

   private:
    Strand& strand_;
    detail::ResultBlock& block_;
  };

 private:
  friend class Flow;
  friend class Steps;
  friend class SyncHold;
  friend struct detail::ParallelFrame;
  friend struct StepAccess;

  template <class Call>
  void call(Call function) noexcept;
  void start(Steps& step) noexcept;
  void complete(Steps& step) noexcept;
  void drop(detail::ResultBlock& results) noexcept;
  bool unwind() noexcept;
  bool handle(Steps& step) noexcept;
  bool begin_iteration(Steps& loop) noexcept;
  bool catch_in_loop(Steps& loop) noexcept;
  void end_waiting(Steps& step, bool run_cancel_handlers) noexcept;
  void end(bool failed) noexcept;
  void record(ErrorCode code) noexcept;
  void clear_error() noexcept;
  void drop_children(Steps& step) noexcept;
  void destroy(Steps& step) noexcept;
  void destroy(detail::Attachment& attachment) noexcept;
  void destroy_attachments(Steps& step) noexcept;

  Flow* flow_;
  Steps* root_;
  Steps* current_;
  detail::ResultBlock* results_ = nullptr;  // the last that were given
  detail::ParallelFrame* parallel_;         // null for a flow's own strand
  std::uint16_t burst_ = 0;
  bool active_ = false;
  bool queued_ = false;
  bool in_call_ = false;  // a body or an error handler runs
  bool error_pending_ = false;
  bool yields_ = false;  // ends the burst after this step
  Text code_;            // of the pending error, or of the last one
};

}  // namespace drover::steps
