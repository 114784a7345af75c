// Definitions of the templates of Steps and Flow. Include steps/async_steps.h or
// steps/nitro_steps.h.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "coro/cancellation.h"
#include "coro/promise.h"
#include "steps/detail/step_kinds.h"
#include "steps/error.h"
#include "steps/external_event.h"
#include "steps/flow.h"
#include "steps/steps.h"
#include "steps/sync.h"

namespace drover::steps {

// Memory that is released unless keep() is called when its object has been made.
class Flow::Reservation : coro::Pinned {
 public:
  Reservation(Flow& flow, Slot slot, std::size_t size)
      : flow_(flow), slot_(slot), size_(size), memory_(flow.allocate(slot, size)) {}
  ~Reservation() {
    if (memory_ != nullptr) flow_.release(slot_, memory_, size_);
  }

  void* memory() const noexcept { return memory_; }
  void keep() noexcept { memory_ = nullptr; }

 private:
  Flow& flow_;
  Slot slot_;
  std::size_t size_;
  void* memory_;
};

// Step that is destroyed unless it is appended.
class Steps::UnlinkedStep : coro::Pinned {
 public:
  explicit UnlinkedStep(Steps& step) noexcept : step_(&step) {}
  ~UnlinkedStep() {
    if (step_ != nullptr) step_->strand_->destroy(*step_);
  }

  void append_to(Steps& level) noexcept { level.append(*std::exchange(step_, nullptr)); }

 private:
  Steps* step_;
};

// Makes a step, which is not yet appended.
template <class Step, class... Args>
Step& Steps::make_step(Args&&... args) {
  static_assert(alignof(Step) <= alignof(std::max_align_t), "an over-aligned callable is no step");
  Flow::Reservation reservation(strand_->flow(), Slot::step, sizeof(Step));
  Step* step = ::new (reservation.memory()) Step(*strand_, std::forward<Args>(args)...);
  reservation.keep();
  return *step;
}

template <class A, class... Args>
A& Steps::attach(Args&&... args) {
  static_assert(alignof(A) <= alignof(std::max_align_t), "an over-aligned type has no room");
  Flow::Reservation reservation(strand_->flow(), A::slot, sizeof(A));
  A* attachment = ::new (reservation.memory()) A(std::forward<Args>(args)...);
  reservation.keep();
  link(*attachment);
  return *attachment;
}

template <class Body, class Handler>
Steps& Steps::add(Body&& body, Handler&& handler) {
  using Step = detail::CallableStep<std::decay_t<Body>, std::decay_t<Handler>>;
  Steps& level = open_level();
  level.append(level.make_step<Step>(std::forward<Body>(body), std::forward<Handler>(handler)));
  return *this;
}

template <class... Values>
void Steps::success(Values&&... values) {
  if (elsewhere()) {
    worker().call([&] { success(std::forward<Values>(values)...); });
    return;
  }
  if (!begin_success()) return;
  if constexpr (sizeof...(Values) > 0) {
    strand_->clear_results();
    using Block = detail::TypedResults<ResultOf<Values>...>;
    Flow::Reservation reservation(strand_->flow(), Slot::other, sizeof(Block));
    strand_->results_ = ::new (reservation.memory()) Block(std::forward<Values>(values)...);
    reservation.keep();
  }
  commit_success();
}

template <class... Values>
Steps& Steps::success_step(Values&&... values) {
  return add([results = std::tuple<ResultOf<Values>...>(std::forward<Values>(values)...)](
                 Steps& steps) mutable {
    std::apply([&steps](auto&... value) { steps.success(std::move(value)...); }, results);
  });
}

template <class Frame, class... Args>
Steps& Steps::add_loop(std::string_view label, Args&&... args) {
  if (label.size() > detail::LabelAttachment::size_max) misuse("a label has up to 31 characters");
  Steps& level = open_level();
  Steps& step = level.make_step<detail::PlainStep>(detail::loop_step_ops);
  UnlinkedStep unlinked(step);
  if (!label.empty()) step.attach<detail::LabelAttachment>(label);
  step.attach<Frame>(std::forward<Args>(args)...);
  unlinked.append_to(level);
  return *this;
}

template <class Body>
Steps& Steps::loop(Body&& body, std::string_view label) {
  return add_loop<detail::EndlessLoop<std::decay_t<Body>>>(label, std::forward<Body>(body));
}

template <class Body>
Steps& Steps::repeat(std::size_t count, Body&& body, std::string_view label) {
  return add_loop<detail::RepeatLoop<std::decay_t<Body>>>(label, count, std::forward<Body>(body));
}

template <class Container, class Body>
Steps& Steps::for_each(Container&& container, Body&& body, std::string_view label) {
  using Frame = detail::ForEachLoop<std::decay_t<Container>, std::decay_t<Body>>;
  return add_loop<Frame>(label, std::forward<Container>(container), std::forward<Body>(body));
}

template <class Handler>
void Steps::set_cancel(Handler&& handler) {
  require_call("set_cancel() outside of a body and of an error handler");
  drop_attachment(Slot::cancel);
  attach<detail::CancelAttachment<std::decay_t<Handler>>>(std::forward<Handler>(handler));
  waits_ = true;
}

template <class T, class Handler>
Steps& Steps::await(coro::Task<T> task, Handler&& handler) {
  using Step = detail::AwaitStep<T, std::decay_t<Handler>>;
  Steps& level = open_level();
  level.append(level.make_step<Step>(std::move(task), std::forward<Handler>(handler)));
  return *this;
}

template <class T, class Handler>
Steps& Steps::await(coro::Future<T> future, Handler&& handler) {
  return await(std::move(future).get(), std::forward<Handler>(handler));
}

template <class Handler>
Steps& Steps::parallel(Handler&& handler) {
  if (ops_->kind == detail::Kind::parallel && phase_ == detail::Phase::pending) {
    misuse("parallel() of a parallel");
  }
  using Step = detail::ParallelStep<std::decay_t<Handler>>;
  Steps& level = open_level();
  Steps& step = level.make_step<Step>(std::forward<Handler>(handler));
  UnlinkedStep unlinked(step);
  step.attach<detail::ParallelFrame>(step);
  unlinked.append_to(level);
  return step;
}

template <class Body, class Handler>
Steps& Steps::sync(SyncPrimitive& primitive, Body&& body, Handler&& handler) {
  using Section = detail::CallableStep<std::decay_t<Body>, std::decay_t<Handler>>;
  Steps& level = open_level();
  Steps& step = level.make_step<detail::PlainStep>(detail::sync_step_ops);
  UnlinkedStep unlinked(step);
  step.attach<SyncHold>(primitive, step);
  step.append(step.make_step<Section>(std::forward<Body>(body), std::forward<Handler>(handler)));
  unlinked.append_to(level);
  return *this;
}

template <class T, class... Args>
T& Steps::stack(Args&&... args) {
  require_open("stack() of a step that does not run");
  return attach<detail::ObjectAttachment<T>>(std::forward<Args>(args)...).object;
}

// Result of Flow::promise(), which a task of the flow's worker awaits once and at once. The flow
// may be destroyed before the task is resumed.
template <class T>
class [[nodiscard]] FlowAwaiter final : coro::CancelNode, FlowObserver {
 public:
  explicit FlowAwaiter(Flow& flow) noexcept : flow_(flow) {}

  bool await_ready() const noexcept { return false; }

  template <coro::DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    coro::CancelSource& source = *awaiting.promise().source;
    cancelled_ = source.cancelled();
    if (cancelled_) return false;
    if constexpr (std::is_void_v<T>) {
      flow_.add([](Steps&) {});
    } else {
      flow_.add([this](Steps&, T value) { value_.emplace(std::move(value)); });
    }
    flow_.execute();
    flow_.observer_ = this;
    awaiting_ = awaiting;
    source.add(*this);
    return true;
  }

  T await_resume() {
    if (cancelled_) throw coro::Cancelled{};
    if (error_) std::rethrow_exception(error_);
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  void flow_ended() noexcept override {
    flow_.observer_ = nullptr;
    if (flow_.outcome() == Outcome::failed) {
      error_ = std::make_exception_ptr(ExtError(flow_.error_code(), flow_.state().error_info()));
    } else if (flow_.outcome() == Outcome::cancelled) {
      error_ = std::make_exception_ptr(coro::BrokenPromise());
    }
    unlink();
    flow_.worker().ready(awaiting_);
  }

  // The task is resumed when the flow has ended.
  void on_cancel() noexcept override {
    cancelled_ = true;
    flow_.cancel_soon();
  }

  Flow& flow_;
  std::coroutine_handle<> awaiting_;
  std::exception_ptr error_;
  bool cancelled_ = false;
  std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> value_;
};

template <class T>
FlowAwaiter<T> Flow::promise() {
  return FlowAwaiter<T>(*this);
}

}  // namespace drover::steps
