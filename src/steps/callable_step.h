// CallableStep: a step with the body and the handler that a program gave it, in one block. For the
// engine's own use.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "steps/flow.h"
#include "steps/results.h"
#include "steps/steps.h"

namespace drover::steps {

// The engine's templates reach into steps through this.
struct StepAccess {
  static Strand& strand(Steps& step) noexcept { return *step.strand_; }
  static Flow& flow(Steps& step) noexcept { return step.strand_->flow(); }
  static Steps* parent(Steps& step) noexcept { return step.link_; }
  static detail::Kind kind(const Steps& step) noexcept { return step.ops_->kind; }
  static detail::Attachment*& attachments(Steps& step) noexcept { return step.attachments_; }
  static void wait(Steps& step) noexcept { step.waits_ = true; }
  static bool ended(const Steps& step) noexcept { return step.phase_ == detail::Phase::done; }
  static void fail_with(Steps& step, const std::exception_ptr& error) noexcept {
    step.fail_with(error);
  }
  static void destroy(Steps& step) noexcept { step.strand_->destroy(step); }
  template <class A, class... Args>
  static A& attach(Steps& step, Slot slot, Args&&... args) {
    return step.attach<A>(slot, std::forward<Args>(args)...);
  }
  static void set_phase(Steps& step, detail::Phase phase) noexcept { step.phase_ = phase; }
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

template <class Callable>
struct SignatureOf {
  using Params = ParamList<>;  // a template: called with the steps alone
};

template <class R, class First, class... Rest>
struct SignatureOf<R (*)(First, Rest...)> {
  using Params = ParamList<Rest...>;
};
template <class R, class First, class... Rest>
struct SignatureOf<R (*)(First, Rest...) noexcept> {
  using Params = ParamList<Rest...>;
};

template <class Member>
struct MemberSignature;
template <class R, class C, class First, class... Rest>
struct MemberSignature<R (C::*)(First, Rest...)> {
  using Params = ParamList<Rest...>;
};
template <class R, class C, class First, class... Rest>
struct MemberSignature<R (C::*)(First, Rest...) const> {
  using Params = ParamList<Rest...>;
};
template <class R, class C, class First, class... Rest>
struct MemberSignature<R (C::*)(First, Rest...) noexcept> {
  using Params = ParamList<Rest...>;
};
template <class R, class C, class First, class... Rest>
struct MemberSignature<R (C::*)(First, Rest...) const noexcept> {
  using Params = ParamList<Rest...>;
};

template <class Callable>
  requires requires { &Callable::operator(); }
struct SignatureOf<Callable> : MemberSignature<decltype(&Callable::operator())> {};

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
  using Signature = SignatureOf<Body>;
  [&]<class... Params>(ParamList<Params...> params) {
    call_with_results(body, step, StepAccess::strand(step), params,
                      std::index_sequence_for<Params...>{});
  }(typename Signature::Params{});
}

template <class Body, class Handler>
struct CallableStep final : Steps {
  static constexpr bool has_handler = !std::is_same_v<Handler, NoHandler>;
  static_assert(!has_handler || std::is_invocable_v<Handler&, Steps&, ErrorCode>,
                "an error handler is called with (Steps&, ErrorCode)");

  template <class B, class H>
  CallableStep(Strand& strand, B&& b, H&& h)
      : Steps(strand, operations), body(std::forward<B>(b)), handler(std::forward<H>(h)) {}

  static void run(Steps& step) { call_body(static_cast<CallableStep&>(step).body, step); }

  static void handle(Steps& step, ErrorCode code) {
    if constexpr (has_handler) static_cast<CallableStep&>(step).handler(step, code);
  }

  static void destroy(Steps& step) noexcept { static_cast<CallableStep&>(step).~CallableStep(); }

  static const StepOps operations;
  [[no_unique_address]] Body body;
  [[no_unique_address]] Handler handler;
};

template <class Body, class Handler>
const StepOps CallableStep<Body, Handler>::operations{
    Kind::step, sizeof(CallableStep), &CallableStep::run,
    CallableStep::has_handler ? &CallableStep::handle : nullptr,
    std::is_trivially_destructible_v<Body>&& std::is_trivially_destructible_v<Handler>
        ? nullptr
        : &CallableStep::destroy};

}  // namespace detail
}  // namespace drover::steps
