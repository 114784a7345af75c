// Task<T>: a coroutine that runs when it is awaited and hands back a T, or throws.
//
// Lazy, move-only, awaited once, as an rvalue: `T value = co_await work();`. Nothing is detached: a
// task that should run beside its maker is started by a Scope. A task inherits the cancellation
// source, and through it the home worker, of whoever awaits it; after any await it is back on that
// worker's thread. Await and return switch by symmetric transfer, so that chains of any depth
// use no stack.
//
// A task that awaits one task after another, none of which waits for anything, goes on behind the
// others after 128 awaits (Worker::await_budget), so that it does not keep its worker for itself.
//
// Thread safety: none is needed; a task lives on one worker. Frames come from the FramePool.
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

class Scope;

// What every coroutine of ours has in its frame besides its result.
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

// What an awaiter of ours asks of the coroutine that awaits it.
template <class P>
concept DroverPromise = std::derived_from<P, PromiseBase>;

namespace detail {

// How many awaits may follow each other without a wait: set by the worker before each resumption. 0
// outside of a worker's loop, where they are not counted.
inline constinit thread_local std::uint32_t awaits_left = 0;

// For an await that need not wait: false if its task has had its share, and is to be suspended all
// the same, by queue_behind().
inline bool may_go_on() noexcept {
  return --awaits_left != 0;
}

// Makes a coroutine of the calling worker ready, behind all that are. False if there is no memory
// for it: then it goes on at once. Defined in worker.cpp.
bool queue_behind(std::coroutine_handle<> handle) noexcept;

// Reports the end of a scope's child and destroys it. Defined in scope.cpp.
void child_finished(Scope& scope, std::coroutine_handle<> child, std::exception_ptr error) noexcept;
Scope& scope_of(CancelSource& source) noexcept;

struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }

  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
    Promise& promise = finished.promise();
    if (promise.continuation) return promise.continuation;
    if constexpr (std::is_void_v<typename Promise::Value>) {
      child_finished(scope_of(*promise.source), finished, std::move(promise.error));
    }
    return std::noop_coroutine();
  }

  void await_resume() const noexcept {}
};

template <class T>
struct TaskPromise : PromiseBase {
  using Value = T;

  std::optional<T> value;
  std::exception_ptr error;

  Task<T> get_return_object() noexcept;
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  template <class U>
    requires std::convertible_to<U&&, T>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }

  T take() {
    if (error) std::rethrow_exception(std::move(error));
    return std::move(*value);
  }
};

template <>
struct TaskPromise<void> : PromiseBase {
  using Value = void;

  std::exception_ptr error;

  Task<void> get_return_object() noexcept;
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }
  void return_void() const noexcept {}

  void take() {
    if (error) std::rethrow_exception(std::move(error));
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
      if (!detail::may_go_on() && detail::queue_behind(handle_)) return std::noop_coroutine();
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

  // Awaits the task under `source` in place of the awaiting task's own.
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

template <class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}

inline Task<void> TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

// Resumes at once with the source that the awaiting task runs under.
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

// `CancelSource& source = co_await current_source();`
inline detail::SourceAwaiter current_source() noexcept {
  return {};
}

}  // namespace drover::coro
