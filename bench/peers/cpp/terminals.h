// The terminals of `drover lab terminals` for a C++ peer: the threads, the clock and the counts;
// the peer brings its event loop. A terminal pauses, then makes its requests one after the other;
// such a loop is a task.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drover::peers {

inline constexpr std::chrono::microseconds pause_time{200};
inline constexpr std::chrono::microseconds request_time{200};
inline constexpr int requests_per_task = 4;

// The terminals that share a thread. It belongs to that thread but for `tasks`, which the main
// thread reads meanwhile, and `stopping`, which the main thread sets.
struct alignas(64) Loop {
  std::size_t terminals = 0;
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<bool> stopping{false};

  // One writer, so no locked instruction.
  void count_task() {
    tasks.store(tasks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  bool is_stopping() const { return stopping.load(std::memory_order_relaxed); }
};

// Runs loop.terminals terminals on the calling thread until `stopping`.
using Drive = void (*)(Loop& loop);

// The whole program: `PROGRAM TERMINALS SECONDS THREADS`. Prints a line of JSON: tasks between two
// instants after a warm-up, the time between them, the CPU time of the process meanwhile, and
// what its memory grew by since before the terminals were made, divided by their number.
int run_terminals(int argc, char** argv, std::string_view version, Drive drive);

}  // namespace drover::peers
