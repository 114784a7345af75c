// What is to be done at the end of something, whatever has ended it.
#pragma once

#include <exception>
#include <utility>

#include "coro/cancellation.h"
#include "coro/clock.h"
#include "coro/deadline.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::database {

// Does the task though its caller is cancelled, for so long at most. Throws nothing.
inline coro::Task<void> finish_in_time(coro::Task<void> task, coro::Duration most) {
  const coro::Instant give_up = coro::Worker::current().now() + most;
  coro::CancelSource own(coro::Worker::current());
  try {
    co_await coro::with_deadline(give_up, std::move(task)).under(own);
  } catch (const std::exception&) {
    // Whoever comes next finds what is left.
  }
}

}  // namespace drover::database
