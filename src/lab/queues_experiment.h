// `drover lab queues` as a function: what is asked for, and the experiment that comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiment.h"
#include "lab/queues_measurement.h"
#include "lab/rounds.h"

namespace drover::lab {

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
  std::size_t rounds = 1;
};

// Which of the figures of a cell is which. The last is made of the others when all are measured.
enum class QueuesFigure : std::uint8_t {
  items_per_second,
  cpu_ns_per_item,
  empty_share,
  against_known,
};

// "2:2 ticket: 130M items/s, CPU 15.2 ns an item, empty pops 1.2%"
std::string queues_line(const Cell& cell, const std::vector<double>& figures);

// Fills factors, figures, cells, pictures and findings of `experiment`.
void measure_queues(Experiment& experiment, const QueuesOptions& options,
                    const OnMeasured& on_measured, const std::function<bool()>& interrupted);

// The end of measure_queues(): from the cells' figures, how many times the better of `locked` and
// `moodycamel` each had in each round, and what that comes to. Without a word where neither was
// measured.
void compare_queues(Experiment& experiment);

}  // namespace drover::lab
