// The kinds of steps: callable steps, loops, parallels and awaited tasks. For the engine itself.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "coro/cancellation.h"
#include "coro/promise.h"
#include "coro/task.h"
#include "coro/worker.h"
#include "steps/detail/strand.h"
#include "steps/flow.h"
#include "steps/steps.h"

namespace drover::steps {

// Access of the engine's templates to the private members of steps.
struct StepAccess {
  static Strand& strand(Steps& step) noexcept { return *step.strand_; }
  static Steps* parent(Steps& step) noexcept { return step.link_; }
  static detail::Attachment*& attachments(Steps& step) noexcept { return step.attachments_; }
  static void wait(Steps& step) noexcept { step.waits_ = true; }
  static void fail_with(Steps& step, const std::exception_ptr& error) noexcept {
    step.fail_with(error);
  }
  template <class A, class... Args>
  static A& attach(Steps& step, Args&&... args) {
    return step.attach<A>(std::forward<Args>(args)...);
  }
};

namespace detail {

// Types of the results that a callable takes after `Steps&`.
template <class... Params>
struct ParamList {};

template <class Function>
struct ParamsOf;
template <class R, class First, class... Rest>
struct ParamsOf<std::function<R(First, Rest...)>> {
  using Type = ParamList<Rest...>;
};

// A generic callable takes no results.
template <class Callable>
auto params_of(Callable& callable) {
  if constexpr (requires { std::function(callable); }) {
    return typename ParamsOf<decltype(std::function(callable))>::Type{};
  } else {
    return ParamList<>{};
  }
}

// Calls the body with the results. Moves out those that the body takes by value. The block of
// results stays for later steps.
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
    std::optional<Strand::ResultsInUse> in_use;
    if constexpr ((std::is_reference_v<Params> || ...)) in_use.emplace(strand);
    body(steps, static_cast<Params&&>(result<std::decay_t<Params>>(block, I))...);
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

// A `Step` defines its `kind`, its function `run` and its `handler`.
template <class Step, class Handler = decltype(Step::handler)>
inline constexpr StepOps step_ops{
    Step::kind, sizeof(Step), &Step::run,
    std::is_same_v<Handler, NoHandler> ? nullptr : &handle_error<Step, Handler>,
    std::is_trivially_destructible_v<Step> ? nullptr : &destroy_step<Step>};

// Step with the body and the handler of the program, in one block.
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

// Step without callables.
struct PlainStep final : Steps {
  PlainStep(Strand& strand, const StepOps& ops) noexcept : Steps(strand, ops) {}
};

// Loops. A loop is a plain step with a LoopFrame. It adds a plain step for each iteration, which
// calls the frame's body.

struct LoopFrame;

struct LoopOps : AttachmentOps {
  const StepOps* iteration;
  bool (*more)(LoopFrame& loop);  // returns true if there is another iteration
};

// Label of a loop, behind its frame.
struct LabelAttachment final : AttachmentOf<LabelAttachment, Slot::other, false> {
  static constexpr std::size_t size_max = 31;

  explicit LabelAttachment(std::string_view label) noexcept
      : size(static_cast<std::uint8_t>(label.size())) {
    std::memcpy(text, label.data(), label.size());
  }

  std::uint8_t size;
  char text[size_max];  // NOLINT(*-member-init): read up to its size
};

struct LoopFrame : Attachment {
  static constexpr Slot slot = Slot::extended;
  static constexpr bool ends_with_wait = false;
  static constexpr std::nullptr_t cancel_function = nullptr;

  explicit LoopFrame(const LoopOps& o) noexcept : Attachment(o) {}

  const LoopOps& loop() const noexcept { return static_cast<const LoopOps&>(*ops); }

  std::string_view label() const noexcept {
    if (next == nullptr) return {};
    const auto& label = static_cast<const LabelAttachment&>(*next);
    return {label.text, label.size};
  }
};

inline constexpr StepOps loop_step_ops{Kind::loop, sizeof(PlainStep), [](Steps&) {}, nullptr,
                                       nullptr};

// The frame is the newest attachment of a loop's step, and a label the only other one, because only
// the engine has a reference to the step.
inline LoopFrame& loop_frame(Steps& loop) noexcept {
  return static_cast<LoopFrame&>(*StepAccess::attachments(loop));
}

template <class Frame>
inline constexpr StepOps iteration_ops{
    Kind::step, sizeof(PlainStep),
    [](Steps& step) { static_cast<Frame&>(loop_frame(*StepAccess::parent(step))).iterate(step); },
    nullptr, nullptr};
template <class Frame>
inline constexpr LoopOps loop_ops{
    attachment_ops<Frame>, &iteration_ops<Frame>,
    [](LoopFrame& loop) { return static_cast<Frame&>(loop).has_next(); }};

template <class Body>
struct EndlessLoop final : LoopFrame {
  template <class B>
  explicit EndlessLoop(B&& b) : LoopFrame(loop_ops<EndlessLoop>), body(std::forward<B>(b)) {}

  bool has_next() const noexcept { return true; }
  void iterate(Steps& steps) { body(steps); }

  [[no_unique_address]] Body body;
};

template <class Body>
struct RepeatLoop final : LoopFrame {
  template <class B>
  RepeatLoop(std::size_t c, B&& b)
      : LoopFrame(loop_ops<RepeatLoop>), count(c), body(std::forward<B>(b)) {}

  bool has_next() const noexcept { return next_index < count; }
  void iterate(Steps& steps) { body(steps, next_index++); }

  std::size_t count;
  std::size_t next_index = 0;
  [[no_unique_address]] Body body;
};

template <class Container>
Container& lent_or_own(Container& container) noexcept {
  return container;
}
template <class Container>
Container& lent_or_own(std::reference_wrapper<Container>& container) noexcept {
  return container.get();
}

template <class Container>
concept MapLike = requires { typename std::remove_reference_t<Container>::mapped_type; };

template <class Container, class Body>
struct ForEachLoop final : LoopFrame {
  template <class C, class B>
  ForEachLoop(C&& c, B&& b)
      : LoopFrame(loop_ops<ForEachLoop>), container(std::forward<C>(c)), body(std::forward<B>(b)) {}

  auto& range() noexcept { return lent_or_own(container); }

  bool has_next() {
    if (!std::exchange(begun, true)) position = std::begin(range());
    return position != std::end(range());
  }

  // Advances first, so that a body may erase its own element of a lent map.
  void iterate(Steps& steps) {
    auto& element = *position;
    ++position;
    if constexpr (MapLike<decltype(range())>) {
      body(steps, element.first, element.second);
    } else {
      body(steps, next_index++, element);
    }
  }

  Container container;
  decltype(std::begin(lent_or_own(std::declval<Container&>()))) position{};
  std::size_t next_index = 0;
  bool begun = false;
  [[no_unique_address]] Body body;
};

// Parallels: a step with the children, each of which is a strand.

struct ParallelChild;

struct ParallelFrame final : AttachmentOf<ParallelFrame, Slot::extended, true> {
  explicit ParallelFrame(Steps& step) noexcept : owner(step) {}
  ~ParallelFrame();  // cancels the children

  // Returns the root of a new child.
  Steps& add_child();

  // Queues the children, in order. Without children the step just ends.
  void start();

  void child_succeeded() noexcept;
  void child_failed(Strand& failed) noexcept;

  void cancel_children() noexcept;
  static ParallelChild* next_of(ParallelChild& child) noexcept;

  Steps& owner;
  ParallelChild* first = nullptr;
  ParallelChild* last = nullptr;
  std::size_t running = 0;
};

struct ParallelChild final : Steps {
  ParallelChild(Flow& flow, ParallelFrame& frame) noexcept
      : Steps(strand, root_ops), strand(flow, *this, &frame) {}

  Strand strand;
};

// The frame is the only attachment of its step, because no other can be added.
inline ParallelFrame& parallel_frame(Steps& step) noexcept {
  return static_cast<ParallelFrame&>(*StepAccess::attachments(step));
}

template <class Handler>
struct ParallelStep final : Steps {
  static constexpr Kind kind = Kind::parallel;

  template <class H>
  ParallelStep(Strand& strand, H&& h)
      : Steps(strand, step_ops<ParallelStep>), handler(std::forward<H>(h)) {}

  static void run(Steps& step) { parallel_frame(step).start(); }

  [[no_unique_address]] Handler handler;
};

// Awaited tasks. A task runs below a driver coroutine with its own cancellation source. When the
// flow stops waiting, the task is cancelled, and the flow stands until the task has ended (see
// steps/flow.h).

struct AwaitAttachment;

// Coroutine that destroys itself when its body has ended.
struct AwaitDriver {
  struct promise_type : coro::PromiseBase, EndingTask {
    template <class T>
    promise_type(AwaitAttachment& a, coro::Worker& worker, coro::Task<T>&) noexcept
        : own_source(worker), attachment(&a) {
      source = &own_source;
    }
    ~promise_type() {
      if (flow != nullptr) flow->task_ended(*this);
    }

    AwaitDriver get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

    coro::CancelSource own_source;
    AwaitAttachment* attachment;  // null when the flow waits no more
  };

  // `auto& promise = co_await AwaitDriver::OwnPromise();`
  struct OwnPromise {
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<promise_type> driver) noexcept {
      promise = &driver.promise();
      return false;
    }
    promise_type& await_resume() const noexcept { return *promise; }
    promise_type* promise = nullptr;
  };

  std::coroutine_handle<promise_type> handle;
};

// Attachment of the step that awaits the task.
struct AwaitAttachment final : AttachmentOf<AwaitAttachment, Slot::extended, true> {
  explicit AwaitAttachment(Steps& s) noexcept : step(s) {}
  ~AwaitAttachment();  // cancels the task if it has not ended

  // Separates the driver from the step when the task has ended.
  Steps& let_go() noexcept {
    driver.promise().attachment = nullptr;
    driver = nullptr;
    return step;
  }

  Steps& step;
  std::coroutine_handle<AwaitDriver::promise_type> driver;
};

template <class T>
AwaitDriver drive_task(AwaitAttachment&, coro::Worker&, coro::Task<T> task) {
  AwaitDriver::promise_type& promise = co_await AwaitDriver::OwnPromise();
  std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> result;
  std::exception_ptr error;
  try {
    coro::Task<T> running = std::move(task);  // destroyed before the flow is told
    if constexpr (std::is_void_v<T>) {
      co_await std::move(running);
      result.emplace();
    } else {
      result.emplace(co_await std::move(running));
    }
  } catch (...) {
    error = std::current_exception();
  }
  if (promise.attachment == nullptr) co_return;
  Steps& step = promise.attachment->let_go();
  if (result) {
    try {
      if constexpr (std::is_void_v<T>) {
        step.success();
      } else {
        step.success(std::move(*result));
      }
    } catch (...) {
      error = std::current_exception();  // there is no room for the result
    }
  }
  if (error) StepAccess::fail_with(step, error);
}

template <class T, class Handler>
struct AwaitStep final : Steps {
  static constexpr Kind kind = Kind::step;

  template <class H>
  AwaitStep(Strand& strand, coro::Task<T> t, H&& h)
      : Steps(strand, step_ops<AwaitStep>), task(std::move(t)), handler(std::forward<H>(h)) {}

  static void run(Steps& step) {
    auto& attachment = StepAccess::attach<AwaitAttachment>(step, step);
    coro::Task<T> task = std::move(static_cast<AwaitStep&>(step).task);
    attachment.driver = drive_task(attachment, step.worker(), std::move(task)).handle;
    StepAccess::wait(step);
    attachment.driver.resume();
  }

  coro::Task<T> task;
  [[no_unique_address]] Handler handler;
};

}  // namespace detail
}  // namespace drover::steps
