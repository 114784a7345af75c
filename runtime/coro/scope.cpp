#include "coro/scope.h"

#include "coro/worker.h"

namespace drover::coro {
namespace {

bool is_cancellation(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void Scope::start(Task<void> task) {
  worker().reserve_ready();
  const auto handle = std::move(task).release();
  handle.promise().source = this;
  ++running_;
  worker().ready(handle);
}

// Requires: there is one.
void Scope::wake_joiners() noexcept {
  JoinAwaiter* joiner = std::exchange(first_joiner_, nullptr);
  const std::exception_ptr error = std::exchange(first_error_, nullptr);
  while (joiner != nullptr) {
    JoinAwaiter& one = *std::exchange(joiner, joiner->next_);
    one.error_ = error;
    worker().ready(one.awaiting_);
  }
}

void Scope::fail(std::exception_ptr error) noexcept {
  // A task that ends by the cancellation of its own scope has no error. One that was cancelled
  // while its scope was not has lost something that it relied on: that is one.
  if (cancelled() && is_cancellation(error)) {
    cut_short_ = true;
    return;
  }
  if (!first_error_) first_error_ = std::move(error);
  cancel();
}

namespace detail {

Scope& scope_of(CancelSource& source) noexcept {
  return static_cast<Scope&>(source);
}

void child_finished(Scope& scope, std::coroutine_handle<> child,
                    std::exception_ptr error) noexcept {
  child.destroy();
  --scope.running_;
  if (error) scope.fail(std::move(error));
  if (scope.running_ == 0 && scope.first_joiner_ != nullptr) scope.wake_joiners();
}

}  // namespace detail
}  // namespace drover::coro
