// ChainedFuture: a future with continuations, such as asynchronous client libraries return. It has
// the usual costs of this style: a counted state on the heap, and a type-erased continuation.
// Belongs to one worker.
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
  // Returns a future that the current worker fulfils after `duration`.
  static ChainedFuture after(coro::Duration duration) {
    auto state = std::make_shared<State>();
    state->self = state;
    coro::Worker::current().timers().add(*state, duration);
    return ChainedFuture(std::move(state));
  }

  // Returns a future that the current worker fulfils when it next takes posted functions.
  static ChainedFuture soon() {
    auto state = std::make_shared<State>();
    coro::Worker::current().post([state] { state->fulfil(); });
    return ChainedFuture(std::move(state));
  }

  // Calls `continuation` once this future is fulfilled. Returns a future that is fulfilled when the
  // future of the continuation is.
  ChainedFuture then(std::function<ChainedFuture()> continuation) {
    auto next = std::make_shared<State>();
    state_->on_fulfilled([next, continuation = std::move(continuation)] {
      continuation().state_->on_fulfilled([next] { next->fulfil(); });
    });
    return ChainedFuture(std::move(next));
  }

  // Calls `continuation` once this future is fulfilled, and ends the chain.
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
    std::shared_ptr<State> self;  // keeps the state alive while its timer runs
  };

  explicit ChainedFuture(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace drover::lab
