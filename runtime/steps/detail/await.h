// Awaiting a task in a flow. The task runs below a coroutine of its own, with a cancellation source
// of its own. When the flow stops waiting the task is cancelled, and the flow stands until it has
// ended (steps/flow.h). For the engine's own use.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "coro/cancellation.h"
#include "coro/promise.h"
#include "coro/task.h"
#include "coro/worker.h"
#include "steps/detail/callable_step.h"

namespace drover::steps::detail {

struct AwaitPromiseBase : coro::PromiseBase, EndingTask {
  AwaitPromiseBase(AwaitAttachment& a, coro::Worker& worker) noexcept
      : own_source(worker), attachment(&a) {
    source = &own_source;
  }
  ~AwaitPromiseBase() {
    if (flow != nullptr) flow->task_ended(*this);
  }

  coro::CancelSource own_source;
  AwaitAttachment* attachment;  // null when the flow waits no more
};

// A coroutine that destroys itself when its body has ended.
struct AwaitDriver {
  struct promise_type : AwaitPromiseBase {
    template <class T>
    promise_type(AwaitAttachment& a, coro::Worker& worker, coro::Task<T>&) noexcept
        : AwaitPromiseBase(a, worker) {}

    AwaitDriver get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };

  std::coroutine_handle<promise_type> handle;
};

// `auto& promise = co_await AwaitPromise();`
struct AwaitPromise {
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<AwaitDriver::promise_type> handle) noexcept {
    promise = &handle.promise();
    return false;
  }
  AwaitDriver::promise_type& await_resume() const noexcept { return *promise; }
  AwaitDriver::promise_type* promise = nullptr;
};

// The flow's side: lies in the step that waits.
struct AwaitAttachment final : AttachmentOf<AwaitAttachment, Slot::extended, true> {
  explicit AwaitAttachment(Steps& s) noexcept : step(s) {}
  ~AwaitAttachment();  // cancels the task if it has not ended

  // The task has ended: the driver looks at neither this nor the step any more.
  Steps& let_go() noexcept {
    driver.promise().attachment = nullptr;
    driver = nullptr;
    return step;
  }

  Steps& step;
  std::coroutine_handle<AwaitDriver::promise_type> driver;
};

// What an awaited task comes to; of nothing, whether it is there.
template <class T>
using AwaitResult = std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>>;

template <class T>
AwaitDriver drive_task(AwaitAttachment&, coro::Worker&, coro::Task<T> task) {
  AwaitDriver::promise_type& promise = co_await AwaitPromise();
  AwaitResult<T> result;
  std::exception_ptr error;
  try {
    coro::Task<T> running = std::move(task);  // is gone before the flow is told
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

// Keeps the future until its task, which refers to it, has begun.
template <class T>
coro::Task<T> value_of(coro::Future<T> future) {
  co_return co_await std::move(future).get();
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

}  // namespace drover::steps::detail
