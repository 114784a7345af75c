// CallableStep: a step with the body and the handler that a program gave it, in one block. For the
// engine's own use.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include "steps/detail/results.h"
#include "steps/flow.h"
#include "steps/steps.h"

namespace drover::steps {

// The engine's templates reach into steps through this.
struct StepAccess {
  static Strand& strand(Steps& step) noexcept { return *step.strand_; }
  static Flow& flow(Steps& step) noexcept { return step.strand_->flow(); }
  static Steps* parent(Steps& step) noexcept { return step.link_; }
  static detail::Attachment*& attachments(Steps& step) noexcept { return step.attachments_; }
  static void wait(Steps& step) noexcept { step.waits_ = true; }
  static void fail_with(Steps& step, const std::exception_ptr& error) noexcept {
    step.fail_with(error);
  }
  static void destroy(Steps& step) noexcept { step.strand_->destroy(step); }
  template <class A, class... Args>
  static A& attach(Steps& step, Args&&... args) {
    return step.attach<A>(std::forward<Args>(args)...);
  }
  static void append(Steps& parent, Steps& child) noexcept { parent.append(child); }
  static void* allocate(Steps& step, Slot slot, std::size_t size) {
    return step.strand_->flow().allocate(slot, size);
  }
  static void release(Steps& step, Slot slot, void* block, std::size_t size) noexcept {
    step.strand_->flow().release(slot, block, size);
  }
};

namespace detail {

// The results that a callable takes after `Steps&`.
template <class... Params>
struct ParamList {};

template <class Function>
struct ParamsOf;
template <class R, class First, class... Rest>
struct ParamsOf<std::function<R(First, Rest...)>> {
  using Type = ParamList<Rest...>;
};

// A template takes none: it is called with the steps alone.
template <class Callable>
auto params_of(Callable& callable) {
  if constexpr (requires { std::function(callable); }) {
    return typename ParamsOf<decltype(std::function(callable))>::Type{};
  } else {
    return ParamList<>{};
  }
}

// The results stay where they are, for the steps behind; what is taken by value is moved out.
template <class Body, class... Params, std::size_t... I>
void call_with_results(Body& body, Steps& steps, Strand& strand, ParamList<Params...>,
                       std::index_sequence<I...>) {
  static_assert(sizeof...(Params) <= results_max, "a step takes up to four results");
  static_assert((!std::is_pointer_v<std::decay_t<Params>> && ...),
                "a raw pointer is no result: take what owns it");
  if constexpr (sizeof...(Params) == 0) {
    body(steps);
  } else {
    ResultBlock& block = typed_results<std::decay_t<Params>...>(strand.results());
    if constexpr ((std::is_reference_v<Params> || ...)) {
      const Strand::ResultsInUse in_use(strand);
      body(steps, static_cast<Params&&>(result<std::decay_t<Params>>(block, I))...);
    } else {
      body(steps, static_cast<Params&&>(result<std::decay_t<Params>>(block, I))...);
    }
  }
}

template <class Body>
void call_body(Body& body, Steps& step) {
  [&]<class... Params>(ParamList<Params...> params) {
    call_with_results(body, step, StepAccess::strand(step), params,
                      std::index_sequence_for<Params...>{});
  }(params_of(body));
}

template <class Step, class Handler>
void handle_error(Steps& step, ErrorCode code) {
  if constexpr (!std::is_same_v<Handler, NoHandler>) static_cast<Step&>(step).handler(step, code);
}
template <class Step>
void destroy_step(Steps& step) noexcept {
  static_cast<Step&>(step).~Step();
}

// A step says itself of which `kind` it is, how to `run` it, and has its `handler`.
template <class Step, class Handler = decltype(Step::handler)>
inline constexpr StepOps step_ops{
    Step::kind, sizeof(Step), &Step::run,
    std::is_same_v<Handler, NoHandler> ? nullptr : &handle_error<Step, Handler>,
    std::is_trivially_destructible_v<Step> ? nullptr : &destroy_step<Step>};

template <class Body, class Handler>
struct CallableStep final : Steps {
  static_assert(std::is_same_v<Handler, NoHandler> ||
                    std::is_invocable_v<Handler&, Steps&, ErrorCode>,
                "an error handler is called with (Steps&, ErrorCode)");
  static constexpr Kind kind = Kind::step;

  template <class B, class H>
  CallableStep(Strand& strand, B&& b, H&& h)
      : Steps(strand, step_ops<CallableStep>),
        body(std::forward<B>(b)),
        handler(std::forward<H>(h)) {}

  static void run(Steps& step) { call_body(static_cast<CallableStep&>(step).body, step); }

  [[no_unique_address]] Body body;
  [[no_unique_address]] Handler handler;
};

// A step without callables of its own.
struct PlainStep final : Steps {
  PlainStep(Strand& strand, const StepOps& ops) noexcept : Steps(strand, ops) {}
};

}  // namespace detail
}  // namespace drover::steps
