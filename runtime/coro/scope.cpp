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

void Scope::wake_joiners() noexcept {
  const std::exception_ptr error = std::exchange(first_error_, nullptr);
  while (JoinAwaiter* joiner = joiners_.pop_front()) {
    joiner->error_ = error;
    worker().ready(joiner->awaiting_);
  }
}

void Scope::fail(std::exception_ptr error) noexcept {
  // The cancellation of a task by its own scope is no error. A task that is cancelled while its
  // scope is not has lost something that it relied on, which is an error.
  if (cancelled() && is_cancellation(error)) {
    cut_short_ = true;
    return;
  }
  if (!first_error_) first_error_ = std::move(error);
  cancel();
}

void detail::child_finished(CancelSource& source, std::coroutine_handle<> child,
                            std::exception_ptr error) noexcept {
  child.destroy();
  auto& scope = static_cast<Scope&>(source);
  --scope.running_;
  if (error) scope.fail(std::move(error));
  if (scope.running_ == 0 && !scope.joiners_.empty()) scope.wake_joiners();
}

}  // namespace drover::coro
