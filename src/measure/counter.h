// A count that one thread raises and any thread reads.
//
// Thread safety: add() belongs to one thread, get() to everybody. Both are relaxed: a reader sees
// some recent value, and nothing else of the writer's doings follows from it. Raising it is a
// load and a store, never a locked instruction.
//
// A Counter is eight bytes, so that counters of one writer lie densely together. What must not
// share a cache line is the counters of different writers: align the group they stand in to
// cache_line_bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace drover::measure {

// std::hardware_destructive_interference_size varies with compiler flags, which must not change
// the layout of a struct. x86-64 and most ARM servers have lines of 64 bytes.
inline constexpr std::size_t cache_line_bytes = 64;

class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // Requires: called by the writing thread only.
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }

  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// How many of something there are: as a counter, written by one thread.
class Gauge {
 public:
  Gauge() = default;
  Gauge(const Gauge&) = delete;
  Gauge& operator=(const Gauge&) = delete;

  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace drover::measure
