// FlowAwaiter: what Flow::promise() hands back; to be awaited by a task of the flow's worker, once
// and at once.
#pragma once

#include <coroutine>
#include <optional>
#include <type_traits>
#include <utility>

#include "coro/awaiter.h"
#include "coro/promise.h"
#include "steps/error.h"
#include "steps/flow.h"

namespace drover::steps {

template <class T>
class [[nodiscard]] FlowAwaiter final : coro::Awaiter, FlowObserver {
 public:
  explicit FlowAwaiter(Flow& flow) noexcept : flow_(flow) {}
  FlowAwaiter(const FlowAwaiter&) = delete;
  FlowAwaiter& operator=(const FlowAwaiter&) = delete;

  bool await_ready() const noexcept { return false; }

  template <coro::DroverPromise Promise>
  bool await_suspend(std::coroutine_handle<Promise> awaiting) {
    if (!suspend(awaiting)) return false;
    if constexpr (std::is_void_v<T>) {
      flow_.add([](Steps&) {});
    } else {
      flow_.add([this](Steps&, T value) { value_.emplace(std::move(value)); });
    }
    flow_.execute();
    flow_.observer_ = this;
    return true;
  }

  T await_resume() {
    throw_if_cancelled();
    if (flow_.outcome() == Outcome::failed) {
      throw ExtError(flow_.error_code(), flow_.state().error_info());
    }
    if (flow_.outcome() == Outcome::cancelled) throw coro::BrokenPromise();
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  struct Nothing {};

  void flow_ended() noexcept override {
    flow_.observer_ = nullptr;
    complete();
  }

  void abandon() noexcept override {
    flow_.observer_ = nullptr;
    flow_.cancel_soon();
  }

  Flow& flow_;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, Nothing, std::optional<T>> value_;
};

}  // namespace drover::steps
