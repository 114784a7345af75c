// Counter and Gauge: numbers that one thread writes and any thread reads, without locked
// instructions.
//
// Accesses are relaxed: a reader sees some recent value, and may conclude nothing about other
// writes. A counter has eight bytes, so that counters of one writer lie together. Align groups of
// counters of different writers to cache_line_bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace drover::measure {

// Not std::hardware_destructive_interference_size, because that depends on compiler flags. x86-64
// and most ARM servers have lines of 64 bytes.
inline constexpr std::size_t cache_line_bytes = 64;

class Counter {
 public:
  Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // By the writing thread only.
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }

  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Number that may also fall.
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
