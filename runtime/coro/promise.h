// Promise and Future: one value from any thread to one task.
//
// The Future belongs to the worker that made it and is awaited there; the Promise goes to whoever
// produces the value, on any thread, and posts it home. The worker must outlive the Promise. A
// Promise that dies unset breaks: the await throws BrokenPromise. Every promise that is set or dies
// is heard of: neither needs memory, and a value that throws while it is moved leaves it unset.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include "coro/event.h"
#include "coro/worker.h"

namespace drover::coro {

class BrokenPromise : public std::logic_error {
 public:
  BrokenPromise() : std::logic_error("the promise was dropped without a value") {}
};

namespace detail {

// The outcome is written by the promise's thread before it posts the state home, and read there
// after. Settling allocates nothing, so it cannot fail: the state is itself what is posted.
template <class T>
struct FutureState final : Posted {
  void deliver() noexcept override {
    const auto keep = std::move(self);
    settled.set();
  }
  void drop() noexcept override { const auto keep = std::move(self); }

  std::variant<std::monostate, T, std::exception_ptr> outcome;
  Event settled;
  std::shared_ptr<FutureState> self;  // while it is posted
};

}  // namespace detail

template <class T>
class Promise {
 public:
  using State = detail::FutureState<T>;

  Promise(Worker& home, std::shared_ptr<State> state) : home_(&home), state_(std::move(state)) {}
  Promise(Promise&&) noexcept = default;
  Promise& operator=(Promise&&) = delete;
  ~Promise() {
    if (state_) settle();
  }

  // Throws what moving the value throws; the promise is then not set, and may be set again.
  void set_value(T value) {
    require_unset();
    state_->outcome.template emplace<1>(std::move(value));
    settle();
  }

  void set_error(std::exception_ptr error) {
    require_unset();
    state_->outcome.template emplace<2>(std::move(error));
    settle();
  }

 private:
  void require_unset() const {
    if (!state_) throw std::logic_error("a promise is set once, and not after it was moved from");
  }

  void settle() noexcept {
    State& state = *state_;
    state.self = std::move(state_);
    home_->post(state);
  }

  Worker* home_;
  std::shared_ptr<State> state_;
};

template <class T>
class Future {
 public:
  explicit Future(std::shared_ptr<detail::FutureState<T>> state) : state_(std::move(state)) {}

  // `T value = co_await std::move(future).get();` — once. The task does not refer to the future.
  Task<T> get() && {
    if (!state_) throw std::logic_error("a future is asked once, and not after it was moved from");
    return outcome_of(std::move(state_));
  }

 private:
  static Task<T> outcome_of(std::shared_ptr<detail::FutureState<T>> state) {
    co_await state->settled.wait();
    if (auto* value = std::get_if<1>(&state->outcome)) co_return std::move(*value);
    if (auto* error = std::get_if<2>(&state->outcome)) std::rethrow_exception(*error);
    throw BrokenPromise();
  }

  std::shared_ptr<detail::FutureState<T>> state_;
};

// For the calling worker.
template <class T>
std::pair<Promise<T>, Future<T>> make_promise() {
  auto state = std::make_shared<detail::FutureState<T>>();
  return {Promise<T>(Worker::current(), state), Future<T>(state)};
}

}  // namespace drover::coro
