// Steps: what a step sees of its flow, and what the root of a flow shares with it. After FTN12
// (FutoIn AsyncSteps), https://specs.futoin.org/final/preview/ftn12_async_api.html.
//
// A flow is a tree of steps. A step's body may add further steps below it; they run, depth first
// and in the order of adding, before the step's next sibling. When a body returns, the step
//   - unwinds, if an error was raised: each step from the innermost outwards is asked for a
//     handler;
//   - ends, if success() was called;
//   - ends with the last of its children, if it added any;
//   - waits for success() or error() from outside, if it called wait_external(), set_timeout() or
//     set_cancel();
//   - ends, too, if it did none of these.
// An error handler recovers by success() or by adding steps, which then run in place of what
// failed; it replaces the error by raising another; if it just returns, the error goes on outwards.
//
// Results stay until others are given or the flow ends: they pass through steps that give none,
// loops, iterations and recovered errors. What a step takes by value is moved out and stays behind
// as it is after a move, what it takes by reference stays as it is. The children of a parallel have
// their own; those around them are there again behind it.
//
// Thread safety: everything here belongs to the thread of the flow's worker, but for what ends a
// step that waits: success(), the errors, break and continue may be called on another thread, which
// waits until it is done (steps/flow.h says how). It must be sure that the step still waits: a
// reference is good until its step ends. What may come later than that, or beside a timeout, a
// cancel() or another thread, needs an ExternalEvent.
//
// Misuse (of a step that is not the innermost one, a second success(), an addition from outside, a
// limit exceeded) raises InternalError: it is thrown to the caller, and if that is a running step
// of the flow, the step has failed even if it swallows the exception.
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
#include "coro/detail/pinned.h"
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

struct AwaitAttachment;
struct AwaitPromiseBase;
struct ParallelChild;
struct ParallelFrame;

enum class Phase : std::uint8_t {
  pending,
  body,        // its body runs
  children,    // its body is through, its children are not
  waiting,     // for outside
  handler,     // its error handler runs
  cancelling,  // its cancel handler runs
  done
};

enum class Kind : std::uint8_t { root, step, loop, sync, parallel };

struct StepOps {
  Kind kind;
  std::uint32_t size;
  void (*run)(Steps& step);
  void (*handle)(Steps& step, ErrorCode code);  // null: it has no handler
  void (*destroy)(Steps& step) noexcept;        // null: there is nothing to do
};

// The root of a flow, or of a parallel's child.
inline constexpr StepOps root_ops{Kind::root, 0, nullptr, nullptr, nullptr};

// In place of a handler that was not given.
struct NoHandler {};

}  // namespace detail

class Steps : coro::Pinned {
 public:
  // Whether it may be used now: the root of an idle flow, or the innermost step of a running one.
  explicit operator bool() const noexcept;

  // Adds a step. `body(steps, results...)` takes up to four of the last results, each of exactly
  // the type that was given (a literal becomes a std::string): else the step fails with the code
  // "std::bad_cast". `handler(steps, code)` is called once at most.
  template <class Body, class Handler = detail::NoHandler>
  Steps& add(Body&& body, Handler&& handler = {});

  // Ends the step; results, if there are any, replace those from before. In a body or a handler,
  // without children, or from outside while the step waits. After a swallowed error() it does
  // nothing.
  template <class... Values>
  void success(Values&&... values);

  template <class... Values>
  void operator()(Values&&... values) {
    success(std::forward<Values>(values)...);
  }

  // Adds a step that gives results.
  template <class... Values>
  Steps& success_step(Values&&... values);

  // Records an error and throws it: a handler that swallows the exception changes nothing. From
  // outside, while the step waits, the caller has to catch it, or use error_no_throw(), which only
  // records. What the step had added is dropped.
  [[noreturn]] void error(ErrorCode code, std::string_view info = {});
  void error_no_throw(ErrorCode code, std::string_view info = {}) { raise(code, info); }

  // Loops, as one step each. An iteration is a step below it. `body(steps)` until break_loop();
  // `body(steps, index)` for 0 to `count` - 1; `body(steps, index, value)` for each value of a
  // range, with the key in place of the index for a map. The container is moved or copied in, or
  // lent by std::ref or std::cref, and then must not lose elements meanwhile. A label has up to 31
  // characters.
  template <class Body>
  Steps& loop(Body&& body, std::string_view label = {});
  template <class Body>
  Steps& repeat(std::size_t count, Body&& body, std::string_view label = {});
  template <class Container, class Body>
  Steps& for_each(Container&& container, Body&& body, std::string_view label = {});

  // Leaves a loop, or goes on with its next iteration: the innermost one, or the one of that label.
  // They are errors (LoopBreak, LoopCont, with the label as information) to the handlers between.
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

  // In a body, or in an error handler for the steps that it adds. After `timeout` the error Timeout
  // unwinds the flow from its innermost step, unless this step, with all that it added, has ended
  // before. Never early; more than 50 years are 50 years. A second call replaces.
  void set_timeout(coro::Duration timeout);

  // In a body, or in an error handler for the steps that it adds. `handler(steps)` is called if the
  // step ends by an error or a cancellation, before the error handlers. What it throws is lost. A
  // second call replaces.
  template <class Handler>
  void set_cancel(Handler&& handler);

  // In a body: the step does not end by itself. In an error handler it has no effect.
  void wait_external();

  // In a body: the same, with a handle through which any thread may end the step.
  ExternalEvent external_event();

  // Adds a step that passes once through the worker's queue.
  Steps& relinquish();

  // Adds a step that runs a task on the flow's worker. Its value is the result, its exception the
  // error. A flow that stops waiting for it cancels it, and stands until it has ended: see
  // steps/flow.h.
  template <class T, class Handler = detail::NoHandler>
  Steps& await(coro::Task<T> task, Handler&& handler = {});
  template <class T, class Handler = detail::NoHandler>
  Steps& await(coro::Future<T> future, Handler&& handler = {});

  // Adds a step whose children run side by side, each with stack objects and locks of its own, and
  // with the state in common. What is returned takes additions (of all kinds; each is a child)
  // until that step starts; anything else of it is misuse. The first error that no child recovers
  // from cancels the others, then goes to `handler` and outwards.
  template <class Handler = detail::NoHandler>
  Steps& parallel(Handler&& handler = {});

  // Adds a section that runs while it is admitted by a Mutex, a Throttle or a Limiter. Results pass
  // through. When the primitive's queue is full, DefenseRejected goes to the handlers around it,
  // not to `handler`, which is the section's.
  template <class Body, class Handler = detail::NoHandler>
  Steps& sync(SyncPrimitive& primitive, Body&& body, Handler&& handler = {});

  // An object that lives until the step ends (of a root: until the flow is destroyed), destroyed in
  // reverse order.
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

  // A fresh flow of the same kind on the same worker, with a state of its own.
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
  friend struct detail::ParallelChild;
  friend struct detail::ParallelFrame;
  friend struct StepAccess;

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
  // The parent of a step that has started; before that its next sibling, and the last one's is the
  // first. For the root of a parallel's child: the next child.
  Steps* link_ = nullptr;
  Steps* last_child_ = nullptr;  // of those that have not started
  const detail::StepOps* ops_;
  detail::Attachment* attachments_ = nullptr;  // newest first
  detail::Phase phase_ = detail::Phase::pending;
  bool waits_ = false;  // does not end by itself
  bool handler_spent_ = false;
};

}  // namespace drover::steps
