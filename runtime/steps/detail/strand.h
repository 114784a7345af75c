// Strand: the engine. A strand executes the steps of a flow, or of one child of a parallel, and
// keeps their results. For the engine itself.
//
// Belongs to the flow's worker; not thread-safe.
// Invariants: `current_` is the innermost step that has started and not ended, or the root. Every
// step on the way from it to the root is active, and no other step is. A waiting strand is in no
// queue.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "coro/detail/intrusive.h"
#include "steps/error.h"
#include "steps/state.h"
#include "steps/steps.h"

namespace drover::steps {

inline constexpr std::size_t results_max = 4;

namespace detail {

template <class T>
struct ResultOf {
  using Type = std::decay_t<T>;
};

template <class T>
  requires std::is_convertible_v<T, const char*> && std::is_pointer_v<std::decay_t<T>>
struct ResultOf<T> {
  using Type = std::string;  // because the array to which a pointer leads may end with the step
};

// Variable whose address identifies the type.
template <class T>
inline constexpr char result_type = 0;

struct ResultBlock;

struct ResultOps {
  std::uint32_t size;
  std::uint32_t count;
  std::array<const char*, results_max> types;
  void* (*value)(ResultBlock& block, std::size_t index) noexcept;
  void (*destroy)(ResultBlock& block) noexcept;  // null if the destructors are trivial
};

// Up to four values that a step passes to the next steps, with their exact types.
struct ResultBlock {
  const ResultOps* ops;
};

template <class... Values>
struct TypedResults final : ResultBlock {
  static_assert(sizeof...(Values) <= results_max, "a step gives up to four results");
  static_assert((!std::is_pointer_v<Values> && ...),
                "a raw pointer is no result: hand on what owns it");
  static_assert(((alignof(Values) <= alignof(std::max_align_t)) && ...),
                "an over-aligned type is no result");

  template <class... Args>
  explicit TypedResults(Args&&... args)
      : ResultBlock{&operations}, values(std::forward<Args>(args)...) {}

  static void* value(ResultBlock& block, std::size_t index) noexcept {
    return std::apply(
        [index](auto&... each) {
          const std::array<void*, sizeof...(Values)> places{&each...};
          return places[index];
        },
        static_cast<TypedResults&>(block).values);
  }

  static void destroy(ResultBlock& block) noexcept {
    static_cast<TypedResults&>(block).~TypedResults();
  }

  static const ResultOps operations;
  std::tuple<Values...> values;
};

template <class... Values>
const ResultOps TypedResults<Values...>::operations{
    sizeof(TypedResults),
    sizeof...(Values),
    {&result_type<Values>...},
    &TypedResults::value,
    (std::is_trivially_destructible_v<Values> && ...) ? nullptr : &TypedResults::destroy};

// Throws std::bad_cast unless the first results have these types.
template <class... Values>
ResultBlock& typed_results(ResultBlock* block) {
  constexpr std::array<const char*, sizeof...(Values)> types{&result_type<Values>...};
  const bool matches = block != nullptr && block->ops->count >= types.size() &&
                       std::equal(types.begin(), types.end(), block->ops->types.begin());
  if (!matches) throw std::bad_cast();
  return *block;
}

template <class T>
T& result(ResultBlock& block, std::size_t index) noexcept {
  return *static_cast<T*>(block.ops->value(block, index));
}

}  // namespace detail

// Type in which a result given as a T is kept.
template <class T>
using ResultOf = typename detail::ResultOf<T>::Type;

class Strand : public coro::ListNode<Strand>, coro::Pinned {
 public:
  // `parallel` is null for a flow's own strand.
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

  // Ends the burst after the current step.
  void yield() noexcept { yields_ = true; }

  // Ends the burst before the next step.
  void cut_burst() noexcept { burst_ = 0; }

  // Runs the cancel handlers from the innermost step outwards, and drops all steps. Requires: no
  // step of the strand is being called.
  void cancel() noexcept;

  // Records an error from outside of a step, unless one is pending. The strand unwinds when it runs
  // next.
  void fail_later(ErrorCode code) noexcept;

  // Records an exception that left a step of this strand or an awaited task.
  void caught(const std::exception_ptr& error) noexcept;

  void clear_results() noexcept {
    if (results_ != nullptr) drop(*std::exchange(results_, nullptr));
  }

  // Keeps results alive while a body that refers to them may give new ones.
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
  detail::ResultBlock* results_ = nullptr;  // the last results
  detail::ParallelFrame* parallel_;
  std::uint16_t burst_ = 0;
  bool active_ = false;
  bool queued_ = false;
  bool in_call_ = false;  // a body or an error handler runs
  bool error_pending_ = false;
  bool yields_ = false;  // the burst ends after the current step
  Text code_;            // of the pending or last error
};

}  // namespace drover::steps
