// `drover lab queues`: how fast a queue carries items between threads that also do something else.
//
// Producers push batches and consumers pop them; after each batch a thread works for a moment of
// random length. What is counted are the items that consumers got between two moments. The load is
// that of foreverjun/queue-bench (its "batches of 64, work 512, balanced"), so that figures can be
// compared with those of its queues; memory is not limited, as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.h"
#include "lab/names.h"
#include "lab/rounds.h"

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

template <>
inline constexpr auto names<QueueKind> =
    std::to_array<std::string_view>({"none", "segment", "array-epochs", "array-hazard-pointers",
                                     "batch", "ticket", "locked", "moodycamel"});

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

// Only the first is a number where no consumer came to run.
struct QueueFigures {
  double items_per_s = 0;
  double cpu_ns_per_item = 0;  // all threads', the work's included
  double empty_share = 0;      // of the pops: those that got nothing
};

// Starts the threads and waits for the time to pass; call it in a process of its own. Throws
// std::logic_error if items were lost or doubled, std::runtime_error if this build has no such
// queue, std::system_error if the system does not allow so many threads.
QueueFigures measure_queue(QueueKind kind, const QueueLoad& load);

struct QueueRatio {
  unsigned producers = 1;
  unsigned consumers = 1;

  bool operator==(const QueueRatio&) const = default;
};

inline constexpr unsigned queue_threads_most = 1'024;  // of either side

// "4:8": four producers, eight consumers. nullopt for anything else, and beyond queue_threads_most.
std::optional<QueueRatio> queue_ratio(std::string_view text);

struct QueuesOptions {
  std::vector<QueueKind> queues = {QueueKind::ticket};
  std::vector<QueueRatio> ratios = {{1, 1}};
  QueueLoad load;  // without its producers and consumers: those are the ratios'
};

// Which of the figures of a cell is which. The last is made of the others when all are measured.
enum class QueuesFigure : std::uint8_t {
  items_per_second,
  cpu_ns_per_item,
  empty_share,
  against_known,
};

// "2:2 ticket: 130M items/s, CPU 15.2 ns/item, empty pops 1.2%"
std::string queues_line(const Cell& cell, const std::vector<double>& figures);

Study queues_study(const QueuesOptions& options);

// What the study concludes: from the cells' figures, how many times the better of `locked` and
// `moodycamel` each had in each round, and what that comes to. Without a word where neither was
// measured.
void compare_queues(Experiment& experiment);

}  // namespace drover::lab
