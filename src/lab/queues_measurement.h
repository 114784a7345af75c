// How fast a queue carries items between threads that also do something else.
//
// Producers push batches and consumers pop them; after each batch a thread works for a moment of
// random length. What is counted are the items that consumers got between two moments. The load is
// that of foreverjun/queue-bench (its "batches of 64, work 512, balanced"), so that figures can be
// compared with those of its queues; memory is not limited, as there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

inline constexpr std::array queue_kinds = {
    QueueKind::none,  QueueKind::segment, QueueKind::array_epochs, QueueKind::array_hazard_pointers,
    QueueKind::batch, QueueKind::ticket,  QueueKind::locked,       QueueKind::moodycamel,
};

// "array-epochs", as on the command line and in documents.
std::string_view name_of(QueueKind kind) noexcept;

// nullopt if there is no queue of this name.
std::optional<QueueKind> queue_kind(std::string_view name) noexcept;

// Whether this build has the queue: moodycamel's is from Debian's libconcurrentqueue-dev, and only
// there if that was when the build was configured.
bool is_built(QueueKind kind) noexcept;

// Whether it is one of this project's that tries to be cleverer than a lock.
bool is_ours(QueueKind kind) noexcept;

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

// Of a load under which no consumer came to run, nothing but the first is a number.
struct QueueFigures {
  double items_per_s = 0;
  double cpu_ns_per_item = 0;  // all threads', the work's included
  double empty_share = 0;      // of the pops: those that got nothing
};

// Starts the threads and waits for the time to pass; call it in a process of its own. Throws
// std::logic_error if items were lost or doubled, std::runtime_error if this build has no such
// queue, std::system_error if the system does not allow so many threads.
QueueFigures measure_queue(QueueKind kind, const QueueLoad& load);

}  // namespace drover::lab
