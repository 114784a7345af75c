// Scope: the only way to start tasks that run concurrently. Leaving a scope waits for all tasks
// that it started. The first error cancels the other tasks and is thrown at the end.
//
//   co_await with_scope([&](Scope& scope) -> Task<void> {
//     for (Terminal& terminal : terminals) scope.start(terminal.run());
//     co_return;
//   });
//
// Belongs to one worker; not thread-safe.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "coro/cancellation.h"
#include "coro/detail/intrusive.h"
#include "coro/task.h"

namespace drover::coro {

class Scope final : public CancelSource {
 public:
  explicit Scope(Worker& worker) noexcept : CancelSource(worker) {}
  explicit Scope(CancelSource& parent) noexcept : CancelSource(parent) {}
  ~Scope() { assert(running_ == 0 && "join() a scope before it is left"); }

  // Starts `task` under this scope in the worker's next turn. In a cancelled scope the task runs,
  // too, up to its first wait. If this throws std::bad_alloc, the task is destroyed.
  void start(Task<void> task);

  std::size_t running() const noexcept { return running_; }

  class JoinAwaiter : coro::Pinned, ListNode<JoinAwaiter> {
   public:
    explicit JoinAwaiter(Scope& scope) noexcept : scope_(scope) {}

    bool await_ready() noexcept {
      if (scope_.running_ != 0) return false;
      error_ = std::exchange(scope_.first_error_, nullptr);
      return detail::may_continue();
    }

    bool await_suspend(std::coroutine_handle<> awaiting) noexcept {
      if (scope_.running_ == 0) return detail::queue_behind(awaiting);
      awaiting_ = awaiting;
      scope_.joiners_.push_back(*this);
      return true;
    }

    void await_resume() {
      if (error_) std::rethrow_exception(std::move(error_));
    }

   private:
    friend class Scope;
    friend class IntrusiveList<JoinAwaiter>;

    Scope& scope_;  // may be destroyed when the task is resumed
    std::coroutine_handle<> awaiting_;
    std::exception_ptr error_;
  };

  // Waits until every task has ended, then throws the first error to each task that joins. A
  // cancellation does not interrupt the wait: it reaches the scope's tasks, and they end.
  JoinAwaiter join() noexcept { return JoinAwaiter(*this); }

  // Cancels the tasks because of an error outside of them. join() throws the error.
  void fail(std::exception_ptr error) noexcept;

  // Returns true if a cancellation of the scope ended a task before its end.
  bool cut_short() const noexcept { return cut_short_; }

  void rethrow_first_error() {
    if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
  }

 private:
  friend void detail::child_finished(CancelSource&, std::coroutine_handle<>,
                                     std::exception_ptr) noexcept;

  void wake_joiners() noexcept;

  std::size_t running_ = 0;
  IntrusiveList<JoinAwaiter> joiners_;
  std::exception_ptr first_error_;
  bool cut_short_ = false;
};

// Runs `body(scope)` and waits for all tasks that it started. An error of the body or of a task
// cancels the others, and is thrown.
template <class Body>
Task<void> with_scope(Body body) {
  CancelSource& outer = co_await current_source();
  Scope scope(outer);
  std::exception_ptr error;
  try {
    Task<void> running = body(scope);
    co_await std::move(running).under(scope);
  } catch (...) {
    error = std::current_exception();
  }
  if (error) scope.fail(error);
  co_await scope.join();
  if (scope.cut_short() && outer.cancelled()) throw Cancelled{};
}

namespace detail {

template <class T>
Task<void> keep_result(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

}  // namespace detail

// Runs tasks concurrently and returns their results, in the order of the tasks. The first error
// cancels the other tasks, and is thrown when all have ended.
//
//   const std::vector<Page> pages = co_await when_all(std::move(fetches));
template <class T>
Task<std::vector<T>> when_all(std::vector<Task<T>> tasks) {
  std::vector<std::optional<T>> results(tasks.size());
  auto start_all = [&](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      scope.start(detail::keep_result(std::move(tasks[i]), results[i]));
    }
    co_return;
  };
  co_await with_scope(start_all);
  std::vector<T> values;
  values.reserve(results.size());
  for (std::optional<T>& result : results) values.push_back(std::move(*result));
  co_return values;
}

}  // namespace drover::coro
