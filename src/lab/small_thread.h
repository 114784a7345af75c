// SmallThread: a thread with a stack of 64 KiB, of which a program can have as many as the system
// allows; and the patience with which they are started.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>

#include "coro/clock.h"

namespace drover::lab {

// For the thread that made it. Joins when it is destroyed: what it runs has to come to an end.
class SmallThread {
 public:
  SmallThread() = default;
  SmallThread(const SmallThread&) = delete;
  SmallThread& operator=(const SmallThread&) = delete;
  ~SmallThread() { join(); }

  // Once. `body` must not throw. Throws std::system_error if the system refuses.
  void start(std::function<void()> body);

  // Nothing if it was not started or was joined before.
  void join();

 private:
  std::function<void()> body_;
  bool started_ = false;
  pthread_t thread_{};
};

// Throws std::runtime_error when it is 10 s more than `allowed` since `begun`: those that run
// already can keep the processors from the one that starts the others.
void require_started_in_time(coro::Instant begun, coro::Duration allowed, std::size_t started,
                             std::size_t wanted);

}  // namespace drover::lab
