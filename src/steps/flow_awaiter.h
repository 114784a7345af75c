// FlowAwaiter: what Flow::promise() hands back; to be awaited by a task of the flow's worker, once
// and at once. The flow may be destroyed before the task is resumed.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "coro/cancellation.h"
#include "coro/promise.h"
#include "steps/error.h"
#include "steps/flow.h"

namespace drover::steps {

template <class T>
class [[nodiscard]] FlowAwaiter final : coro::CancelNode, FlowObserver {
 public:
  explicit FlowAwaiter(Flow& flow) noexcept : flow_(flow) {}
  FlowAwaiter(const FlowAwaiter&) = delete;
  FlowAwaiter& operator=(const FlowAwaiter&) = delete;

  bool await_ready() const noexcept { return false; }

  template <coro::DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    coro::CancelSource& source = *awaiting.promise().source;
    cancelled_ = source.cancelled();
    if (cancelled_) return false;
    if constexpr (std::is_void_v<T>) {
      flow_.add([](Steps&) {});
    } else {
      flow_.add([this](Steps&, T value) { value_.emplace(std::move(value)); });
    }
    flow_.execute();
    flow_.observer_ = this;
    awaiting_ = awaiting;
    source.add(*this);
    return true;
  }

  T await_resume() {
    if (cancelled_) throw coro::Cancelled{};
    if (error_) std::rethrow_exception(error_);
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  struct Nothing {};

  void flow_ended() noexcept override {
    flow_.observer_ = nullptr;
    if (flow_.outcome() == Outcome::failed) {
      error_ = std::make_exception_ptr(ExtError(flow_.error_code(), flow_.state().error_info()));
    } else if (flow_.outcome() == Outcome::cancelled) {
      error_ = std::make_exception_ptr(coro::BrokenPromise());
    }
    unlink();
    flow_.worker().ready(awaiting_);
  }

  // The task is resumed when the flow has ended.
  void on_cancel() noexcept override {
    cancelled_ = true;
    flow_.cancel_soon();
  }

  Flow& flow_;
  std::coroutine_handle<> awaiting_;
  std::exception_ptr error_;
  bool cancelled_ = false;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, Nothing, std::optional<T>> value_;
};

}  // namespace drover::steps
