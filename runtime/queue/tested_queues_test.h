// For tests: all queues, with small segments, and threads that are stopped in the middle of
// operations.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "queue/array_queue.h"
#include "queue/batch_queue.h"
#include "queue/epoch_reclamation.h"
#include "queue/hazard_pointers.h"
#include "queue/locked_queue.h"
#include "queue/segment_queue.h"
#include "queue/ticket_queue.h"

namespace drover::queue {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr int stress_divisor = 8;
#else
inline constexpr int stress_divisor = 1;
#endif
#else
inline constexpr int stress_divisor = 1;
#endif

// Yields at about every sixteenth call. More would take minutes on a loaded machine.
struct Yielding {
  static void claimed() noexcept { maybe_yield(); }
  static void looked() noexcept { maybe_yield(); }

 private:
  static void maybe_yield() noexcept {
    thread_local std::uint32_t state =
        static_cast<std::uint32_t>(std::hash<std::thread::id>()(std::this_thread::get_id())) | 1U;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    if (state % 16 == 0) std::this_thread::yield();
  }
};

// A batch of up to `atomic_batch_max` items is pushed, and popped, as one step.
struct Locked {
  using Queue = LockedQueue<std::uint64_t>;
  static constexpr const char* name = "Locked";
  static constexpr std::size_t atomic_batch_max = 1'000'000;
};
struct OfSegments {
  using Queue = SegmentQueue<std::uint64_t, Yielding>;
  static constexpr const char* name = "Segment";
  static constexpr std::size_t atomic_batch_max = 1;
};
struct ArrayWithHazardPointers {
  using Queue = ArrayQueue<std::uint64_t, HazardPointers, 8, Yielding>;
  static constexpr const char* name = "ArrayHazardPointers";
  static constexpr std::size_t atomic_batch_max = 1;
};
struct ArrayWithEpochs {
  using Queue = ArrayQueue<std::uint64_t, EpochReclamation, 8, Yielding>;
  static constexpr const char* name = "ArrayEpochs";
  static constexpr std::size_t atomic_batch_max = 1;
};
struct BatchWithHazardPointers {
  using Queue = BatchQueue<std::uint64_t, HazardPointers>;
  static constexpr const char* name = "BatchHazardPointers";
  static constexpr std::size_t atomic_batch_max = 64;
};
struct BatchWithEpochs {
  using Queue = BatchQueue<std::uint64_t, EpochReclamation>;
  static constexpr const char* name = "BatchEpochs";
  static constexpr std::size_t atomic_batch_max = 64;
};
struct TicketOfSmallSegments {
  using Queue = TicketQueue<std::uint64_t, HazardPointers, 8, Yielding>;
  static constexpr const char* name = "TicketSmall";
  static constexpr std::size_t atomic_batch_max = 8;
};
struct TicketWithEpochs {
  using Queue = TicketQueue<std::uint64_t, EpochReclamation, 16, Yielding>;
  static constexpr const char* name = "TicketEpochs";
  static constexpr std::size_t atomic_batch_max = 16;
};
struct Ticket {
  using Queue = TicketQueue<std::uint64_t>;
  static constexpr const char* name = "Ticket";
  static constexpr std::size_t atomic_batch_max = 128;
};

using TestedQueues = testing::Types<Locked, OfSegments, ArrayWithHazardPointers, ArrayWithEpochs,
                                    BatchWithHazardPointers, BatchWithEpochs, TicketOfSmallSegments,
                                    TicketWithEpochs, Ticket>;

struct QueueNames {
  template <class Tested>
  static std::string GetName(int) {
    return Tested::name;
  }
};

}  // namespace drover::queue
