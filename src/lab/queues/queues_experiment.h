// `drover lab queues`: measures how fast a queue transfers items between threads that also work.
//
// Producers push batches and consumers pop them. After each batch a thread works for a random time.
// The measurement counts the popped items. The load is that of foreverjun/queue-bench ("batches of
// 64, work 512, balanced"), so that figures can be compared with those of its queues. As in that
// program, the memory of the queues is not limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.h"
#include "lab/rounds.h"

namespace drover::lab {

enum class QueueKind : std::uint8_t {
  none,  // the work without a queue: the upper bound
  segment,
  array_epochs,
  array_hazard_pointers,
  batch,
  ticket,
  locked,
  moodycamel,  // with bulk operations and tokens; first in, first out for each producer only
};

template <>
inline constexpr auto names<QueueKind> =
    std::to_array<std::string_view>({"none", "segment", "array-epochs", "array-hazard-pointers",
                                     "batch", "ticket", "locked", "moodycamel"});

// Returns true if this build contains the queue. It contains moodycamel's if Debian's
// libconcurrentqueue-dev was installed when the build was configured.
bool is_built(QueueKind kind) noexcept;

// Returns true for the queues of this project, except the deque with a mutex.
bool is_ours(QueueKind kind) noexcept;

struct QueueLoad {
  unsigned producers = 1;
  unsigned consumers = 1;
  std::size_t batch = 64;
  // Mean of the steps of work after each batch, which are geometrically distributed. Balanced: all
  // producers together work as long for a batch as all consumers.
  double work_mean = 512;
  bool balanced = true;
  double warm_up_s = 0.1;
  double measured_s = 1;
};

// The figures of a measurement. If the system did not run a consumer in the measured time, only
// items_per_s is a finite number.
struct QueueFigures {
  double items_per_s = 0;
  double cpu_ns_per_item = 0;  // all threads, with their work
  double empty_share = 0;      // pops without an item, of all pops
};

// Measures the queue. Call it in a process of its own. Throws std::logic_error if items were lost
// or duplicated, std::runtime_error if this build does not contain the queue, std::system_error if
// the system refuses a thread.
QueueFigures measure_queue(QueueKind kind, const QueueLoad& load);

struct QueueRatio {
  unsigned producers = 1;
  unsigned consumers = 1;

  bool operator==(const QueueRatio&) const = default;
};

inline constexpr unsigned queue_threads_most = 1'024;  // producers, and consumers

// Reads "4:8": four producers, eight consumers. Returns nullopt for another text, and for a number
// that is 0 or above queue_threads_most.
std::optional<QueueRatio> queue_ratio(std::string_view text);

struct QueuesOptions {
  std::vector<QueueKind> queues = {QueueKind::ticket};
  std::vector<QueueRatio> ratios = {{1, 1}};
  QueueLoad load;  // its producers and consumers are replaced by the ratios
};

// The figures of a cell, in their order. The last one is calculated after all rounds.
enum class QueuesFigure : std::uint8_t {
  items_per_second,
  cpu_ns_per_item,
  empty_share,
  against_known,
};

// Returns "2:2 ticket: 130M items/s, CPU 15.2 ns/item, empty pops 1.2%".
std::string queues_line(const Cell& cell, const std::vector<double>& figures);

Study queues_study(const QueuesOptions& options);

// Adds the ratio to the better of `locked` and `moodycamel` to each round of each cell, and the
// findings from the ratios. Adds no findings if neither was measured.
void compare_queues(Experiment& experiment);

}  // namespace drover::lab
