// Ctrl-C (SIGINT) and SIGTERM as an event on a worker: the first one is a request to end in an
// orderly way, a later one ends the process at once. Those that come within `one_request_lasts` of
// the first are the same request: timeout(1) sends its signal twice, to the process and to its
// group.
//
//   BlockedInterrupts blocked;             // before any other thread is started
//   InterruptWatch interrupt([&] { source.cancel(); });
//   scope.start(interrupt.watch());        // and cancel the scope when the work is done
//
// Thread safety: a watch lives on one worker, and its callback runs there. One watch a process at a
// time.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::run {

inline constexpr coro::Duration one_request_lasts = std::chrono::milliseconds(300);

// As long as it lives, SIGINT and SIGTERM wait for an InterruptWatch: they are blocked in this
// thread and in those that it starts. Then the mask of this thread is as it was.
//
// To be made before threads are started, and after the private server was: a child inherits the
// mask.
class BlockedInterrupts {
 public:
  BlockedInterrupts();
  BlockedInterrupts(const BlockedInterrupts&) = delete;
  BlockedInterrupts& operator=(const BlockedInterrupts&) = delete;
  ~BlockedInterrupts();

 private:
  sigset_t before_;
};

class InterruptWatch {
 public:
  // `on_first` is called once, on the worker, in the middle of watch(); must not throw. Requires: a
  // BlockedInterrupts, which outlives the watch. `clock` tells how long ago the first signal was;
  // it is asked inside of a signal handler, and has to live as long as the process.
  explicit InterruptWatch(std::function<void()> on_first,
                          const coro::Clock& clock = coro::SteadyClock::instance());
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  // Waits for the first signal and calls `on_first`; ends then, or when it is cancelled. After
  // `one_request_lasts` the next one ends the process with exit_interrupted, whatever it is doing.
  coro::Task<void> watch();

 private:
  std::function<void()> on_first_;
  const coro::Clock& clock_;
  int signal_fd_ = -1;
};

// For commands that Ctrl-C simply ends: runs `work` on a worker of the calling thread. SIGINT or
// SIGTERM cancels it, in an orderly way; a second one ends the process. Returns exit_success, or
// exit_interrupted if it was cancelled before it was through. Throws what `work` throws.
int run_command(coro::Task<void> work);

}  // namespace drover::run
