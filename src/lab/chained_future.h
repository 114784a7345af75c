// ChainedFuture: a future with continuations, as asynchronous client libraries hand them out. What
// comes after is a lambda that is hung on it; a loop is a function that hangs itself on the end of
// its own chain; what a step knows lives in a shared state that every lambda holds.
//
// For the lab only: it stands for the style, made as such libraries make it (a counted state on
// the heap, a type-erased continuation). Belongs to one worker; not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "coro/clock.h"
#include "coro/timer_wheel.h"
#include "coro/worker.h"

namespace drover::lab {

class ChainedFuture {
 public:
  // Fulfilled after `duration`, by the current worker's timers.
  static ChainedFuture after(coro::Duration duration) {
    auto state = std::make_shared<State>();
    state->self = state;
    coro::Worker::current().timers().add_undated(*state, duration);
    return ChainedFuture(std::move(state));
  }

  // Fulfilled by the current worker when it next looks at what was posted to it.
  static ChainedFuture soon() {
    auto state = std::make_shared<State>();
    coro::Worker::current().post([state] { state->fulfil(); });
    return ChainedFuture(std::move(state));
  }

  // Calls `continuation` once this is fulfilled; the future it returns, in its turn, fulfils the
  // one that is handed back.
  ChainedFuture then(std::function<ChainedFuture()> continuation) {
    auto next = std::make_shared<State>();
    state_->on_fulfilled([next, continuation = std::move(continuation)] {
      continuation().state_->on_fulfilled([next] { next->fulfil(); });
    });
    return ChainedFuture(std::move(next));
  }

  // The end of a chain.
  void apply(std::function<void()> continuation) { state_->on_fulfilled(std::move(continuation)); }

 private:
  struct State final : coro::TimerNode {
    void on_fulfilled(std::function<void()> next) {
      if (is_fulfilled) {
        next();
      } else {
        continuation = std::move(next);
      }
    }

    void fulfil() {
      is_fulfilled = true;
      if (continuation) std::exchange(continuation, nullptr)();
    }

    void on_timer() noexcept override {
      const std::shared_ptr<State> keep = std::move(self);
      fulfil();
    }

    bool is_fulfilled = false;
    std::function<void()> continuation;
    std::shared_ptr<State> self;  // while the timer knows it
  };

  explicit ChainedFuture(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace drover::lab
