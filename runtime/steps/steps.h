// Steps: the functions that a step, or the root of a flow, can call. After FTN12 (FutoIn
// AsyncSteps), https://specs.futoin.org/final/preview/ftn12_async_api.html.
//
// A flow is a tree of steps. A step's body may add steps below it. They run depth first, in the
// order of their addition, before the step's next sibling. When a body returns, the step
//   - unwinds, if an error was raised: the steps are asked for a handler, from the innermost
//     outwards;
//   - ends, if it called success();
//   - ends with the last of its children, if it added any;
//   - waits for success() or error() from outside, if it called wait_external(), set_timeout() or
//     set_cancel();
//   - ends, in all other cases.
// An error handler recovers by success() or by adding steps, which then run instead of the failed
// ones. It replaces the error by raising another. If it just returns, the error continues outwards.
//
// Results stay until others are given or the flow ends. They pass through steps that give none,
// loops, iterations and recovered errors. A result that a step takes by value is moved out, so
// later steps find it moved from. A result taken by reference does not change. The children of a
// parallel have their own results; after the parallel, the results from before it are there again.
//
// Thread safety: all functions belong to the thread of the flow's worker, except those that end a
// waiting step: success(), the errors, break and continue may be called on another thread, which
// waits until the call has taken effect (see steps/flow.h). The caller must be sure that the step
// still waits, because a reference is valid only until its step ends. If a timeout, a cancel() or
// another thread may end the step first, use an ExternalEvent.
//
// Misuse raises InternalError: use of a step that is not the innermost one, a second success(), an
// addition from outside, a limit exceeded. The error is thrown to the caller. If the caller is a
// running step of the flow, the step fails even if it swallows the exception.
//
// Include steps/async_steps.h or steps/nitro_steps.h for the definitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "coro/clock.h"
#include "coro/detail/intrusive.h"
#include "coro/task.h"
#include "steps/detail/attachment.h"
#include "steps/error.h"
#include "steps/state.h"

namespace drover::coro {
class Worker;
template <class T>
class Future;
}  // namespace drover::coro

namespace drover::steps {

class ExternalEvent;
class Flow;
class Steps;
class Strand;
class SyncPrimitive;

namespace detail {

struct ParallelFrame;

enum class Phase : std::uint8_t {
  pending,
  body,        // the body runs
  children,    // the body has ended, but not the children
  waiting,     // for a call from outside
  handler,     // the error handler runs
  cancelling,  // the cancel handler runs
  done
};

enum class Kind : std::uint8_t { root, step, loop, sync, parallel };

struct StepOps {
  Kind kind;
  std::uint32_t size;
  void (*run)(Steps& step);
  void (*handle)(Steps& step, ErrorCode code);  // null without a handler
  void (*destroy)(Steps& step) noexcept;        // null if the destructor is trivial
};

// Operations of the root of a flow, or of a parallel's child.
inline constexpr StepOps root_ops{Kind::root, 0, nullptr, nullptr, nullptr};

// Placeholder for a handler that was not given.
struct NoHandler {};

}  // namespace detail

class Steps : coro::Pinned {
 public:
  // Returns true for the root of an idle flow, and for the innermost step of a running flow.
  explicit operator bool() const noexcept;

  // Adds a step. `body(steps, results...)` takes up to four of the last results, each of exactly
  // the type that was given (a literal becomes a std::string). Otherwise the step fails with the
  // code "std::bad_cast". `handler(steps, code)` is called once at most.
  template <class Body, class Handler = detail::NoHandler>
  Steps& add(Body&& body, Handler&& handler = {});

  // Ends the step. Results, if given, replace the earlier ones. In a body or a handler, without
  // children, or from outside while the step waits. After a swallowed error() it has no effect.
  template <class... Values>
  void success(Values&&... values);

  template <class... Values>
  void operator()(Values&&... values) {
    success(std::forward<Values>(values)...);
  }

  // Adds a step that gives results.
  template <class... Values>
  Steps& success_step(Values&&... values);

  // Records an error, drops the steps that this one has added, and throws the error. Swallowing the
  // exception does not clear the error. error_no_throw() only records. From outside, while the step
  // waits, the caller must catch the exception of error().
  [[noreturn]] void error(ErrorCode code, std::string_view info = {});
  void error_no_throw(ErrorCode code, std::string_view info = {}) { raise(code, info); }

  // Adds a loop as one step, of which each iteration is a step. The body is `body(steps)` until
  // break_loop(); `body(steps, index)` for 0 to `count` - 1; `body(steps, index, value)` for each
  // value of a range, with the key instead of the index for a map. The container is moved or
  // copied, or lent by std::ref or std::cref, and then must not lose elements meanwhile. A label
  // has up to 31 characters.
  template <class Body>
  Steps& loop(Body&& body, std::string_view label = {});
  template <class Body>
  Steps& repeat(std::size_t count, Body&& body, std::string_view label = {});
  template <class Container, class Body>
  Steps& for_each(Container&& container, Body&& body, std::string_view label = {});

  // Leave a loop, or continue with its next iteration: the innermost loop, or the one with that
  // label. They are errors (LoopBreak, LoopCont, with the label as information) to the handlers
  // between.
  [[noreturn]] void break_loop(std::string_view label = {}) {
    error(error_codes::loop_break, label);
  }
  [[noreturn]] void continue_loop(std::string_view label = {}) {
    error(error_codes::loop_continue, label);
  }
  void break_loop_no_throw(std::string_view label = {}) { raise(error_codes::loop_break, label); }
  void continue_loop_no_throw(std::string_view label = {}) {
    raise(error_codes::loop_continue, label);
  }

  // The next two are called in a body, or in an error handler for the steps that it adds. A second
  // call replaces the first.

  // Raises the error Timeout in the flow's innermost step after `timeout`, unless this step, with
  // all that it added, has ended before. Never early. At most 50 years.
  void set_timeout(coro::Duration timeout);

  // Calls `handler(steps)` if the step ends by an error or a cancellation, before the error
  // handlers. Exceptions of `handler` are dropped.
  template <class Handler>
  void set_cancel(Handler&& handler);

  // Prevents the step from ending by itself. In a body; in an error handler it has no effect.
  void wait_external();

  // Prevents the step from ending by itself, and returns a handle by which any thread may end it.
  // In a body.
  ExternalEvent external_event();

  // Adds a step that passes once through the worker's queue.
  Steps& relinquish();

  // Adds a step that runs a task on the flow's worker. Its value is the result, its exception the
  // error. A flow that stops waiting for the task cancels it, and stands until it has ended (see
  // steps/flow.h).
  template <class T, class Handler = detail::NoHandler>
  Steps& await(coro::Task<T> task, Handler&& handler = {});
  template <class T, class Handler = detail::NoHandler>
  Steps& await(coro::Future<T> future, Handler&& handler = {});

  // Adds a step whose children run concurrently, each with its own stack objects and locks, and
  // with the state in common. The returned step takes additions of all kinds, each of which is a
  // child, until it starts; other calls are misuse. The first error that no child recovers from
  // cancels the others, then goes to `handler` and outwards.
  template <class Handler = detail::NoHandler>
  Steps& parallel(Handler&& handler = {});

  // Adds a section that runs while a Mutex, a Throttle or a Limiter admits it. Results pass
  // through. If the primitive's queue is full, the handlers around the section get DefenseRejected,
  // but not `handler`, which belongs to the section.
  template <class Body, class Handler = detail::NoHandler>
  Steps& sync(SyncPrimitive& primitive, Body&& body, Handler&& handler = {});

  // Makes an object that lives until the step ends, or, for a root, until the flow is destroyed.
  // Objects are destroyed in reverse order.
  template <class T, class... Args>
  T& stack(Args&&... args);
  void* stack(std::size_t size, void (*destroy)(void*));

  State& state();
  template <class T>
  T& state(std::string_view key) {
    return state().get<T>(key);
  }
  template <class T>
  T& state(std::string_view key, T initial) {
    return state().get<T>(key, std::move(initial));
  }

  // Returns a new flow of the same type on the same worker, with its own state.
  std::unique_ptr<Flow> new_instance() const;

  coro::Worker& worker() const noexcept;

 protected:
  Steps(Strand& strand, const detail::StepOps& ops) noexcept : strand_(&strand), ops_(&ops) {}
  ~Steps() = default;

 private:
  friend class ExternalEvent;
  friend class Flow;
  friend class Strand;
  friend class SyncHold;
  friend struct detail::ParallelFrame;
  friend struct StepAccess;

  class UnlinkedStep;

  template <class Step, class... Args>
  Step& make_step(Args&&... args);
  template <class A, class... Args>
  A& attach(Args&&... args);
  template <class Frame, class... Args>
  Steps& add_loop(std::string_view label, Args&&... args);

  void link(detail::Attachment& attachment) noexcept {
    attachment.next = attachments_;
    attachments_ = &attachment;
  }
  void drop_attachment(Slot slot) noexcept;

  [[noreturn]] void misuse(std::string_view what);
  Steps& open_level();
  void require_open(std::string_view what);
  bool is_called() const noexcept;
  void require_call(std::string_view what);
  bool elsewhere() const noexcept;
  bool can_end() const noexcept;
  bool begin_success();
  void commit_success() noexcept;
  void raise(ErrorCode code, std::string_view info);
  void fail_with(const std::exception_ptr& error) noexcept;

  void append(Steps& child) noexcept {
    child.link_ = last_child_ != nullptr ? std::exchange(last_child_->link_, &child) : &child;
    last_child_ = &child;
  }

  Steps& take_first_child() noexcept {
    Steps& first = *last_child_->link_;
    if (&first == last_child_) {
      last_child_ = nullptr;
    } else {
      last_child_->link_ = first.link_;
    }
    first.link_ = this;
    return first;
  }

  Strand* strand_;
  // The parent of a step that has started; before that, the next sibling, or in the last sibling
  // the first. In the root of a parallel's child: the next child.
  Steps* link_ = nullptr;
  Steps* last_child_ = nullptr;  // of the children that have not started
  const detail::StepOps* ops_;
  detail::Attachment* attachments_ = nullptr;  // newest first
  detail::Phase phase_ = detail::Phase::pending;
  bool waits_ = false;  // does not end by itself
  bool handler_spent_ = false;
};

}  // namespace drover::steps
