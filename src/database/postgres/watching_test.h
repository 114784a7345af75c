// For tests of what watches a server beside something else.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"

namespace drover::database::postgres {

// Watches while `body` runs.
template <class Watch>
void watch_during(coro::Worker& worker, Watch& watch,
                  const std::function<coro::Task<void>()>& body) {
  const auto both = [&]() -> coro::Task<void> {
    coro::Scope watching(co_await coro::current_source());
    watching.start(watch.run());
    std::exception_ptr error;
    try {
      co_await body();
    } catch (...) {
      error = std::current_exception();
    }
    watching.cancel();
    co_await watching.join();
    if (error) std::rethrow_exception(error);
  };
  coro::block_on(worker, both());
}

inline coro::Task<void> until(std::function<bool()> condition) {
  const coro::Instant give_up = coro::Worker::current().now() + std::chrono::seconds(60);
  while (!condition() && coro::Worker::current().now() < give_up) {
    co_await coro::sleep_for(std::chrono::milliseconds(10));
  }
  if (!condition()) throw std::runtime_error("it has not come true");
}

}  // namespace drover::database::postgres
