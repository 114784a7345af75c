// when_all: several tasks side by side, and the results of all of them, in the order of the tasks.
//
//   std::vector<Task<Page>> fetches = …;
//   const std::vector<Page> pages = co_await when_all(std::move(fetches));
//
// A nursery for the case that each task hands something back: as with a Scope, the first error
// cancels the others, and is thrown when all have ended. For tasks without a result use
// with_scope().
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/task.h"

namespace drover::coro {

template <class T>
Task<std::vector<T>> when_all(std::vector<Task<T>> tasks) {
  std::vector<std::optional<T>> results(tasks.size());
  auto start_all = [&](Scope& scope) -> Task<void> {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      scope.start(detail::keep_result(std::move(tasks[i]), results[i]));
    }
    co_return;
  };
  co_await with_scope(start_all);
  std::vector<T> values;
  values.reserve(results.size());
  for (std::optional<T>& result : results) values.push_back(std::move(*result));
  co_return values;
}

}  // namespace drover::coro
