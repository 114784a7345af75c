// Task<T>: a coroutine that runs when it is awaited, and returns a T or throws.
//
// Lazy, move-only, awaited once, as an rvalue: `T value = co_await work();`. No task is detached: a
// Scope starts tasks that run concurrently. A task inherits the cancellation source, and with it
// the home worker, of the task that awaits it, and is on that worker's thread after every await.
// Await and return switch by symmetric transfer, so chains of any depth use no stack.
//
// A task whose awaits never wait queues behind the other ready tasks after 128 awaits
// (Worker::await_budget), so that it does not occupy its worker alone.
//
// Thread safety: none is needed, because a task lives on one worker. Frames come from the
// FramePool.
#pragma once

#include <cassert>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "coro/cancellation.h"
#include "coro/detail/frame_pool.h"

namespace drover::coro {

template <class T>
class Task;

// Base of the promises of all coroutines of the runtime.
//
// Invariant: a started task without a continuation is the child of a Scope, and `source` is that
// scope.
struct PromiseBase {
  std::coroutine_handle<> continuation;
  CancelSource* source = nullptr;

  static void* operator new(std::size_t size) { return FramePool::allocate(size); }
  static void operator delete(void* block, std::size_t size) noexcept {
    FramePool::release(block, size);
  }

  std::suspend_always initial_suspend() const noexcept { return {}; }
};

// Promise of a coroutine that may await the runtime's awaiters.
template <class P>
concept DroverPromise = std::derived_from<P, PromiseBase>;

namespace detail {

// Number of awaits that may follow each other without a wait. The worker sets it before each
// resumption. 0 outside of a worker's loop, where awaits are not counted.
inline constinit thread_local std::uint32_t awaits_left = 0;

// Counts an await that need not wait. Returns false if the task has used up its budget, and must be
// suspended all the same by queue_behind().
inline bool may_continue() noexcept {
  return --awaits_left != 0;
}

// Makes a coroutine of the calling worker ready, behind all ready coroutines. Returns false if
// there is no memory: then the coroutine continues at once. Defined in worker.cpp.
bool queue_behind(std::coroutine_handle<> handle) noexcept;

// Reports the end of a scope's child to the scope and destroys the child. Defined in scope.cpp.
void child_finished(CancelSource& scope, std::coroutine_handle<> child,
                    std::exception_ptr error) noexcept;

struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }

  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
    Promise& promise = finished.promise();
    if (promise.continuation) return promise.continuation;
    child_finished(*promise.source, finished, std::move(promise.error));
    return std::noop_coroutine();
  }

  void await_resume() const noexcept {}
};

template <class T>
struct TaskResult {
  std::optional<T> value;

  template <class U>
    requires std::convertible_to<U&&, T>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return std::move(*value); }
};

template <>
struct TaskResult<void> {
  void return_void() const noexcept {}
  void take() const noexcept {}
};

template <class T>
struct TaskPromise : PromiseBase, TaskResult<T> {
  std::exception_ptr error;

  Task<T> get_return_object() noexcept {
    return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
  }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  T take() {
    if (error) std::rethrow_exception(std::move(error));
    return TaskResult<T>::take();
  }
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { reset(); }

  class Awaiter {
   public:
    Awaiter(Handle handle, CancelSource* source) noexcept : handle_(handle), source_(source) {}

    bool await_ready() const noexcept { return false; }

    template <DroverPromise Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
      promise_type& promise = handle_.promise();
      promise.continuation = awaiting;
      promise.source = source_ != nullptr ? source_ : awaiting.promise().source;
      if (!detail::may_continue() && detail::queue_behind(handle_)) return std::noop_coroutine();
      return handle_;
    }

    T await_resume() { return handle_.promise().take(); }

   private:
    Handle handle_;
    CancelSource* source_;
  };

  Awaiter operator co_await() && noexcept {
    assert(handle_ && "a task is awaited once");
    return Awaiter(handle_, nullptr);
  }

  // Awaits the task under `source` instead of the awaiting task's source.
  Awaiter under(CancelSource& source) && noexcept {
    assert(handle_ && "a task is awaited once");
    return Awaiter(handle_, &source);
  }

  // Gives up ownership: the caller starts and destroys the frame.
  Handle release() && noexcept { return std::exchange(handle_, nullptr); }

 private:
  void reset() noexcept {
    if (handle_) std::exchange(handle_, nullptr).destroy();
  }

  Handle handle_;
};

namespace detail {

struct SourceAwaiter {
  bool await_ready() const noexcept { return false; }
  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    source = awaiting.promise().source;
    return false;
  }
  CancelSource& await_resume() const noexcept { return *source; }
  CancelSource* source = nullptr;
};

}  // namespace detail

// `CancelSource& source = co_await current_source();` returns the source of the calling task.
inline detail::SourceAwaiter current_source() noexcept {
  return {};
}

}  // namespace drover::coro
