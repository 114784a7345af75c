// block_on: runs a task from code that is not a coroutine.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "coro/scope.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::coro {

// Runs `task`, and all tasks that it starts, on the calling thread until all have ended. Returns
// its result or throws its error. Throws std::logic_error within a task, on a thread that runs a
// worker, and if another thread runs `worker`.
template <class T>
T block_on(Worker& worker, Task<T> task) {
  worker.check_idle();
  Scope root(worker);
  // By call(), because a call of another thread may be in progress.
  const auto run = [&](Task<void> main) {
    worker.call([&] { root.start(std::move(main)); });
    worker.run_until([&root] { return root.running() == 0; });
    root.rethrow_first_error();
  };
  if constexpr (std::is_void_v<T>) {
    run(std::move(task));
  } else {
    std::optional<T> result;
    run(detail::keep_result(std::move(task), result));
    return std::move(*result);
  }
}

}  // namespace drover::coro
