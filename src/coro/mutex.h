// Mutex: one task at a time, first come, first served, also across its awaits. The lock goes to the
// longest waiter itself, so nobody barges in. For the tasks of one worker; not thread-safe.
//
//   const auto lock = co_await mutex.lock();  // until the end of the block
//
// Tasks of one worker are never interrupted between two awaits: what is read and written without an
// await between needs no mutex. Not recursive: a task that locks twice waits for itself.
#pragma once

#include <cstddef>

#include "coro/semaphore.h"

namespace drover::coro {

class Mutex {
 public:
  // Unlocks when it is destroyed; can be moved, to another task as well.
  using Lock = Semaphore::Permit;

  Semaphore::AcquireAwaiter lock() noexcept { return semaphore_.acquire(); }

  bool locked() const noexcept { return semaphore_.available() == 0; }
  std::size_t waiting() const noexcept { return semaphore_.waiting(); }

 private:
  Semaphore semaphore_{1};
};

}  // namespace drover::coro
