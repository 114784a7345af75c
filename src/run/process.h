// The process of a command: its end by Ctrl-C (SIGINT) or SIGTERM, and the limits of the machine.
//
// The first signal asks for the end of the work, and a later one ends the process at once:
//
//   BlockedInterrupts blocked;             // before threads are started
//   InterruptWatch interrupt([&] { source.cancel(); });
//   scope.start(interrupt.watch());        // cancel the scope when the work is done
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "coro/clock.h"
#include "coro/task.h"

namespace drover::run {

// Signals within this time after the first one belong to it: timeout(1) signals the process and
// its group.
inline constexpr coro::Duration one_request_lasts = std::chrono::milliseconds(300);

// Blocks SIGINT and SIGTERM, which an InterruptWatch takes, in this thread and in threads that this
// thread starts. Restores the signal mask in the destructor. Child processes inherit the mask, so
// the private server must be started before.
class BlockedInterrupts {
 public:
  BlockedInterrupts();
  BlockedInterrupts(const BlockedInterrupts&) = delete;
  BlockedInterrupts& operator=(const BlockedInterrupts&) = delete;
  ~BlockedInterrupts();

 private:
  sigset_t before_;
};

// For one worker. One watch per process at a time.
class InterruptWatch {
 public:
  // watch() calls `on_first` on its worker at the first signal; it must not throw. A signal handler
  // reads `clock`, which must live as long as the process. Requires: a BlockedInterrupts, which
  // outlives the watch.
  explicit InterruptWatch(std::function<void()> on_first,
                          const coro::Clock& clock = coro::SteadyClock::instance());
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  // Waits for the first signal, calls `on_first` and returns. After `one_request_lasts` the next
  // signal ends the process with exit_interrupted.
  coro::Task<void> watch();

 private:
  std::function<void()> on_first_;
  const coro::Clock& clock_;
  int signal_fd_ = -1;
};

// Runs `work` on a worker of the calling thread. The first SIGINT or SIGTERM cancels it, a second
// one ends the process. Returns exit_success, or exit_interrupted if the work was cancelled. Throws
// what `work` throws.
int run_command(coro::Task<void> work);

enum class DatabaseKind { postgres, ydb };

// Throw std::runtime_error if the limits of the process or the memory of the machine are too small,
// with both figures. A run that would fail later is refused at its start.

// Checks the open files (ulimit -n) for connections to PostgreSQL. On YDB, sessions share
// connections.
void require_descriptors(DatabaseKind kind, std::size_t connections, std::size_t threads);

// Checks the address space (ulimit -v) for the stacks of `threads`. The C library ends a process
// whose new thread finds no memory.
void require_address_space_for_threads(std::size_t threads);

void require_memory_for_terminals(std::size_t terminals);

// Returns the smallest of the machine's memory, its available part, the limit of the control group,
// and the rest of the address space.
std::uint64_t memory_available();

// Returns the bytes of "MemAvailable: 22000000 kB" in the text of /proc/meminfo.
std::optional<std::uint64_t> parse_memory_available(std::string_view meminfo);

}  // namespace drover::run
