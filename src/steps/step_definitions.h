// The definitions of Steps' and Flow's templates. Include steps/async_steps.h or
// steps/nitro_steps.h.
#pragma once

#include <cstddef>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "steps/await.h"
#include "steps/callable_step.h"
#include "steps/external_event.h"
#include "steps/flow.h"
#include "steps/flow_awaiter.h"
#include "steps/loops.h"
#include "steps/parallel_frame.h"
#include "steps/steps.h"
#include "steps/sync.h"

namespace drover::steps {

namespace detail {

// Memory that is given back unless what was to be made in it was made.
class Reservation {
 public:
  Reservation(Steps& step, Slot slot, std::size_t size)
      : step_(step), slot_(slot), size_(size), memory_(StepAccess::allocate(step, slot, size)) {}
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() {
    if (memory_ != nullptr) StepAccess::release(step_, slot_, memory_, size_);
  }

  void* memory() const noexcept { return memory_; }
  void keep() noexcept { memory_ = nullptr; }

 private:
  Steps& step_;
  Slot slot_;
  std::size_t size_;
  void* memory_;
};

// A step that is dropped unless it is appended.
class UnlinkedStep {
 public:
  explicit UnlinkedStep(Steps& step) noexcept : step_(&step) {}
  UnlinkedStep(const UnlinkedStep&) = delete;
  UnlinkedStep& operator=(const UnlinkedStep&) = delete;
  ~UnlinkedStep() {
    if (step_ != nullptr) StepAccess::destroy(*step_);
  }

  void append_to(Steps& level) noexcept {
    StepAccess::append(level, *std::exchange(step_, nullptr));
  }

 private:
  Steps* step_;
};

}  // namespace detail

// Makes a step below this one; it is not yet appended.
template <class Step, class... Args>
Step& Steps::make_step(Args&&... args) {
  static_assert(alignof(Step) <= alignof(std::max_align_t), "an over-aligned callable is no step");
  detail::Reservation reservation(*this, Slot::step, sizeof(Step));
  Step* step = ::new (reservation.memory()) Step(*strand_, std::forward<Args>(args)...);
  reservation.keep();
  return *step;
}

template <class A, class... Args>
A& Steps::attach(Slot slot, Args&&... args) {
  static_assert(alignof(A) <= alignof(std::max_align_t), "an over-aligned type has no room");
  detail::Reservation reservation(*this, slot, sizeof(A));
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
    detail::Reservation reservation(*this, Slot::other, sizeof(Block));
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
  detail::UnlinkedStep unlinked(step);
  if (!label.empty()) step.attach<detail::LabelAttachment>(Slot::other, label);
  step.attach<Frame>(Slot::extended, std::forward<Args>(args)...);
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
  attach<detail::CancelAttachment<std::decay_t<Handler>>>(Slot::cancel,
                                                          std::forward<Handler>(handler));
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
  return await(detail::value_of(std::move(future)), std::forward<Handler>(handler));
}

template <class T, class Handler>
void detail::AwaitStep<T, Handler>::run(Steps& step) {
  Flow& flow = StepAccess::flow(step);
  auto& attachment = StepAccess::attach<AwaitAttachment>(step, Slot::extended, step);
  coro::Task<T> task = std::move(static_cast<AwaitStep&>(step).task);
  attachment.driver = drive_task(attachment, flow.worker(), std::move(task)).handle;
  StepAccess::wait(step);
  attachment.driver.resume();
}

template <class Handler>
Steps& Steps::parallel(Handler&& handler) {
  if (ops_->kind == detail::Kind::parallel && phase_ == detail::Phase::pending) {
    misuse("parallel() of a parallel");
  }
  using Step = detail::ParallelStep<std::decay_t<Handler>>;
  Steps& level = open_level();
  Steps& step = level.make_step<Step>(std::forward<Handler>(handler));
  detail::UnlinkedStep unlinked(step);
  step.attach<detail::ParallelFrame>(Slot::extended, step);
  unlinked.append_to(level);
  return step;
}

template <class Body, class Handler>
Steps& Steps::sync(SyncPrimitive& primitive, Body&& body, Handler&& handler) {
  using Section = detail::CallableStep<std::decay_t<Body>, std::decay_t<Handler>>;
  Steps& level = open_level();
  Steps& step = level.make_step<detail::PlainStep>(detail::sync_step_ops);
  detail::UnlinkedStep unlinked(step);
  step.attach<SyncHold>(Slot::extended, primitive, step);
  step.append(step.make_step<Section>(std::forward<Body>(body), std::forward<Handler>(handler)));
  unlinked.append_to(level);
  return *this;
}

template <class T, class... Args>
T& Steps::stack(Args&&... args) {
  require_open("stack() of a step that does not run");
  return attach<detail::ObjectAttachment<T>>(Slot::stack, std::forward<Args>(args)...).object;
}

template <class T>
FlowAwaiter<T> Flow::promise() {
  return FlowAwaiter<T>(*this);
}

}  // namespace drover::steps
