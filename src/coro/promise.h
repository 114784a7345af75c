// Promise and Future: one value from any thread to one task.
//
// The Future belongs to the worker that made it and is awaited there; the Promise goes to whoever
// produces the value, on any thread, and posts it home. The worker must outlive the Promise. A
// Promise that dies unset breaks: the await throws BrokenPromise.
#pragma once

#include <memory>
#include <optional>
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

// Touched on the home worker's thread only; the other side carries it along unread.
template <class T>
struct FutureState {
  std::variant<std::monostate, T, std::exception_ptr> outcome;
  Event settled;
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
    if (state_) set_error(std::make_exception_ptr(BrokenPromise()));
  }

  // Requires: neither was called before.
  void set_value(T value) { settle(std::move(value)); }
  void set_error(std::exception_ptr error) { settle(std::move(error)); }

 private:
  template <class Outcome>
  void settle(Outcome outcome) {
    assert(state_ && "a promise is set once");
    home_->post([state = std::move(state_), value = std::move(outcome)]() mutable {
      state->outcome = std::move(value);
      state->settled.set();
    });
  }

  Worker* home_;
  std::shared_ptr<State> state_;
};

template <class T>
class Future {
 public:
  explicit Future(std::shared_ptr<detail::FutureState<T>> state) : state_(std::move(state)) {}

  // `T value = co_await std::move(future).get();` — once.
  Task<T> get() && {
    auto state = std::move(state_);
    co_await state->settled.wait();
    if (auto* error = std::get_if<std::exception_ptr>(&state->outcome)) {
      std::rethrow_exception(*error);
    }
    co_return std::get<T>(std::move(state->outcome));
  }

 private:
  std::shared_ptr<detail::FutureState<T>> state_;
};

// For the calling worker.
template <class T>
std::pair<Promise<T>, Future<T>> make_promise() {
  auto state = std::make_shared<detail::FutureState<T>>();
  return {Promise<T>(Worker::current(), state), Future<T>(state)};
}

}  // namespace drover::coro
