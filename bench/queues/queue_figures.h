// How fast a queue carries items between threads that also do something else.
//
// Producers push batches and consumers pop them; after each batch a thread works for a moment of
// random length. What is counted are the items that consumers got between two moments. The load is
// that of foreverjun/queue-bench (its "batches of 64, work 512, balanced"), so that figures can be
// compared with those of its queues; memory is not limited, as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace drover::lab {

enum class QueueKind : std::uint8_t {
  none,  // the work alone: what no queue can beat
  segment,
  array_epochs,
  array_hazard_pointers,
  batch,
  ticket,
  locked,
  moodycamel,  // with bulk operations and tokens; FIFO for each producer only
};

std::string_view name(QueueKind kind) noexcept;

// All that this build has, in the order above.
std::span<const QueueKind> queue_kinds() noexcept;

struct QueueLoad {
  unsigned producers = 1;
  unsigned consumers = 1;
  std::size_t batch = 64;
  // Steps of work after each batch, geometrically distributed. Balanced: shared out so that both
  // sides together work equally long for each batch.
  double work_mean = 512;
  bool balanced = true;
  double warm_up_s = 0.1;
  double measured_s = 1;
};

struct QueueFigures {
  double items_per_s = 0;
  double cpu_ns_per_item = 0;  // all threads', the work's included
  double empty_share = 0;      // of the pops: those that got nothing
};

// Throws std::logic_error if items were lost or doubled.
QueueFigures measure(QueueKind kind, const QueueLoad& load);

}  // namespace drover::lab
