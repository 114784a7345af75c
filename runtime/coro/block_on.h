// block_on: the way from ordinary code into the runtime.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "coro/scope.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::coro {

namespace detail {

template <class T>
Task<void> keep_result(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

}  // namespace detail

// Runs `task`, and all that it starts, on the calling thread until it is done; hands back its
// result or throws its error. Throws std::logic_error within a task, on a thread that runs a
// worker, and for a worker that another thread runs.
template <class T>
T block_on(Worker& worker, Task<T> task) {
  worker.check_idle();
  Scope root(worker);
  if constexpr (std::is_void_v<T>) {
    worker.call([&] { root.start(std::move(task)); });  // another thread's call may be under way
    worker.run_until([&root] { return root.running() == 0; });
    root.rethrow_first_error();
  } else {
    std::optional<T> result;
    worker.call([&] { root.start(detail::keep_result(std::move(task), result)); });
    worker.run_until([&root] { return root.running() == 0; });
    root.rethrow_first_error();
    return std::move(*result);
  }
}

}  // namespace drover::coro
