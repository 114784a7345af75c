// Promise and Future: pass one value from any thread to one task.
//
// The future belongs to the worker that made it, and is awaited there. The promise goes to the
// producer of the value, on any thread, and posts the value to the worker, which must outlive the
// promise. If a promise is destroyed unset, the await throws BrokenPromise. Setting or destroying a
// promise allocates nothing, so it always reaches the future. If moving the value throws, the
// promise stays unset.
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

// State that a promise and its future share. The promise's thread writes the outcome, then posts
// the state to the worker, which reads the outcome.
template <class T>
struct FutureState final : Posted {
  void deliver() noexcept override {
    const auto keep = std::move(self);
    settled.set();
  }
  void drop() noexcept override { const auto keep = std::move(self); }

  std::variant<std::monostate, T, std::exception_ptr> outcome;
  Event settled;
  std::shared_ptr<FutureState> self;  // while the state is posted
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

  // If moving the value throws, throws the same and stays unset. Throws std::logic_error if the
  // promise is set or moved from.
  void set_value(T value) { set<1>(value); }
  void set_error(std::exception_ptr error) { set<2>(error); }

 private:
  template <std::size_t alternative, class Outcome>
  void set(Outcome& outcome) {
    if (!state_) throw std::logic_error("a promise is set once, and not after it was moved from");
    state_->outcome.template emplace<alternative>(std::move(outcome));
    settle();
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

  // `T value = co_await std::move(future).get();`, once. The task does not refer to the future.
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

// Makes a promise and its future, which belongs to the calling worker.
template <class T>
std::pair<Promise<T>, Future<T>> make_promise() {
  auto state = std::make_shared<detail::FutureState<T>>();
  return {Promise<T>(Worker::current(), state), Future<T>(state)};
}

}  // namespace drover::coro
