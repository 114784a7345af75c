// PoolCall: what `co_await pool.run(function)` waits on: `function` runs on a StealingPool, the
// task that awaits it goes on at home with its result or its exception.
//
// Nothing is allocated for it: the call is itself what the pool runs and what it posts home, in the
// frame of the awaiting coroutine. The await throws std::logic_error if the pool has been joined.
//
// While a function is in the pool, the virtual time of its home worker stands still: what is due
// only after it has ended does not come before.
//
// Cancellation: a function that has begun cannot be interrupted, and it may refer to the frame that
// waits for it. So a cancelled await waits until the function has ended, drops its outcome and
// throws Cancelled; one whose function has not begun when its turn comes does not run it. An await
// whose outcome had already come home keeps it.
//
// Requires: the home worker outlives the pool (the pool posts to it).
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "coro/cancellation.h"
#include "coro/detail/pool_task.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::coro {

class StealingPool;

namespace detail {

class PoolCallBase : PoolTask, Posted, CancelNode {
 public:
  bool await_ready() const noexcept { return false; }

  template <DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    CancelSource* source = awaiting.promise().source;
    if (source->cancelled()) {
      cancelled_.store(true, std::memory_order_relaxed);
      return false;
    }
    source->add(*this);
    awaiting_ = awaiting;
    home_ = &source->worker();
    submit();
    return true;
  }

 protected:
  explicit PoolCallBase(StealingPool& pool) noexcept : pool_(pool) {}
  ~PoolCallBase() = default;

  // Throws what there is to throw.
  void check_outcome() {
    if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled{};
    if (error_) std::rethrow_exception(std::move(error_));
  }

 private:
  virtual void invoke() = 0;

  void submit();
  void run() noexcept final;
  void deliver() noexcept final;
  void drop() noexcept final {}
  void on_cancel() noexcept final { cancelled_.store(true, std::memory_order_relaxed); }

  StealingPool& pool_;
  Worker* home_ = nullptr;
  std::coroutine_handle<> awaiting_;
  std::exception_ptr error_;            // by the pool, before it posts home
  std::atomic<bool> cancelled_{false};  // by the home worker; a hint to the pool
};

}  // namespace detail

template <class F>
class [[nodiscard]] PoolCall final : public detail::PoolCallBase {
 public:
  using Result = std::invoke_result_t<F&>;
  static_assert(!std::is_reference_v<Result>, "a result crosses threads by value");

  PoolCall(StealingPool& pool, F function) : PoolCallBase(pool), function_(std::move(function)) {}

  Result await_resume() {
    check_outcome();
    if constexpr (!std::is_void_v<Result>) return std::move(*result_);
  }

 private:
  struct Nothing {};

  void invoke() override {
    if constexpr (std::is_void_v<Result>) {
      function_();
    } else {
      result_.emplace(function_());
    }
  }

  F function_;
  std::optional<std::conditional_t<std::is_void_v<Result>, Nothing, Result>> result_;
};

}  // namespace drover::coro
