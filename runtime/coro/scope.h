// Scope: the only way to start a task beside its maker. Leaving a scope waits for all that it
// started; the first error cancels the others and is thrown again at the end.
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
#include <utility>

#include "coro/cancellation.h"
#include "coro/detail/pinned.h"
#include "coro/task.h"

namespace drover::coro {

class Scope final : public CancelSource {
 public:
  explicit Scope(Worker& worker) noexcept : CancelSource(worker) {}
  explicit Scope(CancelSource& parent) noexcept : CancelSource(parent) {}
  ~Scope() { assert(running_ == 0 && "join() a scope before it is left"); }

  // Starts `task` under this scope; it runs from the worker's next round on. In a cancelled scope
  // it runs, too, up to its first wait. Throws std::bad_alloc, and then the task is destroyed.
  void start(Task<void> task);

  std::size_t running() const noexcept { return running_; }

  class JoinAwaiter : coro::Pinned {
   public:
    explicit JoinAwaiter(Scope& scope) noexcept : scope_(scope) {}

    bool await_ready() noexcept {
      if (scope_.running_ != 0) return false;
      error_ = std::exchange(scope_.first_error_, nullptr);
      return detail::may_go_on();
    }

    bool await_suspend(std::coroutine_handle<> awaiting) noexcept {
      if (scope_.running_ == 0) return detail::queue_behind(awaiting);
      awaiting_ = awaiting;
      JoinAwaiter** last = &scope_.first_joiner_;
      while (*last != nullptr) last = &(*last)->next_;
      *last = this;
      return true;
    }

    void await_resume() {
      if (error_) std::rethrow_exception(std::move(error_));
    }

   private:
    friend class Scope;

    Scope& scope_;  // may be gone when this is resumed
    std::coroutine_handle<> awaiting_;
    std::exception_ptr error_;
    JoinAwaiter* next_ = nullptr;
  };

  // Waits until every task has ended, cancelled or not, then throws the first error, to each who
  // waits then. Is itself not interrupted by a cancellation: that reaches the tasks, and they end.
  JoinAwaiter join() noexcept { return JoinAwaiter(*this); }

  // An error from beside the tasks: cancels them; join() throws it.
  void fail(std::exception_ptr error) noexcept;

  // Whether a cancellation ended a task before it was through.
  bool cut_short() const noexcept { return cut_short_; }

  void rethrow_first_error() {
    if (first_error_) std::rethrow_exception(std::exchange(first_error_, nullptr));
  }

 private:
  friend void detail::child_finished(Scope&, std::coroutine_handle<>, std::exception_ptr) noexcept;

  void wake_joiners() noexcept;

  std::size_t running_ = 0;
  JoinAwaiter* first_joiner_ = nullptr;
  std::exception_ptr first_error_;
  bool cut_short_ = false;
};

// Runs `body(scope)`, waits for all that it started, hands back nothing. An error of the body or of
// a task cancels the rest.
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

}  // namespace drover::coro
