#include "lab/queues/queues_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "lab/rounds.h"

namespace drover::lab {
namespace {

void describe(Experiment& experiment, const QueuesOptions& options) {
  const QueueLoad& load = options.load;
  experiment.name = "queues";
  experiment.question =
      "How many items per second does each queue transfer between threads that also do other work?";
  experiment.method = {
      fmt::format(
          "Producers push batches of {} items, and consumers pop batches of up to {}. After "
          "each batch a thread works for a geometrically distributed number of steps, {} on "
          "average{}.",
          load.batch, load.batch, load.work_mean,
          load.balanced ? ", divided so that all producers together work as long as all consumers"
                        : ""),
      fmt::format(
          "A measurement counts the items that consumers pop in {} s, after a warm-up of {} "
          "s. At its end, the queue is emptied, and the number and the sum of the popped "
          "items must equal those of the pushed items.",
          load.measured_s, load.warm_up_s),
      "`none` is the same loop without a queue, which is the upper bound. `locked` is a deque with "
      "a mutex. `moodycamel` is moodycamel's ConcurrentQueue with tokens and bulk operations.",
      "Linearizable for each item: segment and both arrays. Linearizable for a whole batch: batch "
      "(up to 64 items), ticket (up to 128) and locked (any number). moodycamel only keeps the "
      "order of each producer.",
      "Each measurement runs in its own process. A round measures all queues one after the other "
      "at each ratio.",
      "`vs reference` divides the items per second by those of the reference, which is the faster "
      "of locked and moodycamel at the same ratio in the same round. Drover's fastest queue is the "
      "one with the highest median. Its confidence interval comes from order statistics of the "
      "rounds' ratios.",
  };
  if (!is_built(QueueKind::moodycamel)) {
    experiment.method.emplace_back(
        "This build was made without moodycamel's queue (libconcurrentqueue-dev).");
  }
  experiment.round_seconds = load.measured_s;
  experiment.factors = {{"producers", "producers"}, {"consumers", "consumers"}};
  experiment.figures = {
      {"items_per_second", "items/s", "1/s"},
      {"cpu_ns_per_item", "CPU ns/item", "ns"},
      {"empty_share", "empty pops", "share"},
      {"against_known", "vs reference", "x"},
  };
  for (const QueueKind kind : options.queues) {
    if (!is_ours(kind)) continue;
    experiment.pictures.push_back(
        {.title = fmt::format("{}: items/s divided by those of the better of locked and moodycamel",
                              name_of(kind)),
         .figure = index_of(QueuesFigure::against_known),
         .subject = std::string(name_of(kind))});
  }
  for (const QueueKind kind : options.queues) {
    experiment.pictures.push_back({.title = fmt::format("{}: items per second", name_of(kind)),
                                   .figure = index_of(QueuesFigure::items_per_second),
                                   .subject = std::string(name_of(kind))});
  }
  experiment.published = {
      {"foreverjun/queue-bench, with the same kind of load, on another machine",
       "an array queue with fetch-and-add and hazard pointers is faster than crossbeam's SegQueue"},
  };
}

const Cell* cell_of(const Experiment& experiment, QueueKind kind,
                    const std::vector<std::int64_t>& settings) {
  for (const Cell& cell : experiment.cells) {
    if (cell.subject == name_of(kind) && cell.settings == settings) return &cell;
  }
  return nullptr;
}

// Returns the items per second, or not_measured if the round is missing.
double rate(const Cell* cell, std::size_t round) {
  return cell != nullptr && round < cell->rounds.size()
             ? cell->rounds[round].at(index_of(QueuesFigure::items_per_second))
             : not_measured;
}

void add_ratios(Experiment& experiment) {
  for (Cell& cell : experiment.cells) {
    const Cell* locked = cell_of(experiment, QueueKind::locked, cell.settings);
    const Cell* moodycamel = cell_of(experiment, QueueKind::moodycamel, cell.settings);
    for (std::size_t round = 0; round < cell.rounds.size(); ++round) {
      // fmax() ignores a rate that is not_measured.
      const double known = std::fmax(rate(locked, round), rate(moodycamel, round));
      cell.rounds[round].push_back(known > 0 ? rate(&cell, round) / known : not_measured);
    }
  }
}

const Cell* best_of_ours(const Experiment& experiment, const std::vector<std::int64_t>& settings) {
  return highest(experiment, index_of(QueuesFigure::items_per_second), [&](const Cell& cell) {
    return cell.settings == settings && is_ours(*named<QueueKind>(cell.subject));
  });
}

// Returns the settings of all cells, in their order.
std::vector<std::vector<std::int64_t>> settings_of(const Experiment& experiment) {
  std::vector<std::vector<std::int64_t>> all;
  for (const Cell& cell : experiment.cells) {
    if (std::ranges::find(all, cell.settings) == all.end()) all.push_back(cell.settings);
  }
  return all;
}

}  // namespace

std::optional<QueueRatio> queue_ratio(std::string_view text) {
  QueueRatio ratio;
  const char* const end = text.data() + text.size();
  const auto producers = std::from_chars(text.data(), end, ratio.producers);
  if (producers.ec != std::errc() || producers.ptr == end || *producers.ptr != ':') {
    return std::nullopt;
  }
  const auto consumers = std::from_chars(producers.ptr + 1, end, ratio.consumers);
  if (consumers.ec != std::errc() || consumers.ptr != end) return std::nullopt;
  const auto in_range = [](unsigned count) { return count >= 1 && count <= queue_threads_most; };
  if (!in_range(ratio.producers) || !in_range(ratio.consumers)) return std::nullopt;
  return ratio;
}

std::string queues_line(const Cell& cell, const std::vector<double>& figures) {
  const std::string what =
      fmt::format("{}:{} {}: ", cell.settings[0], cell.settings[1], cell.subject);
  if (figures.empty()) return what + cell.note;
  const auto figure = [&](QueuesFigure which) { return figures.at(index_of(which)); };
  std::string line = what + short_number(figure(QueuesFigure::items_per_second)) + " items/s";
  if (std::isfinite(figure(QueuesFigure::cpu_ns_per_item))) {
    line += fmt::format(", CPU {:.1f} ns/item", figure(QueuesFigure::cpu_ns_per_item));
  }
  if (std::isfinite(figure(QueuesFigure::empty_share))) {
    line += fmt::format(", empty pops {:.1f}%", 100 * figure(QueuesFigure::empty_share));
  }
  return line;
}

void compare_queues(Experiment& experiment) {
  add_ratios(experiment);
  std::size_t ahead = 0;
  std::size_t behind = 0;
  std::size_t compared = 0;
  for (const auto& settings : settings_of(experiment)) {
    const Cell* best = best_of_ours(experiment, settings);
    if (best == nullptr) continue;
    std::vector<double> ratios;
    for (const std::vector<double>& round : best->rounds) {
      const double ratio = round.at(index_of(QueuesFigure::against_known));
      if (std::isfinite(ratio)) ratios.push_back(ratio);
    }
    if (ratios.empty()) continue;
    const MedianInterval interval = median_interval(ratios);
    experiment.findings.push_back(fmt::format(
        "{}:{}: {} is the fastest of Drover's queues, {} times as fast as the better of "
        "locked and moodycamel.",
        settings[0], settings[1], best->subject, interval_text(interval)));
    if (interval.confidence == 0) continue;
    ++compared;
    if (interval.low > 1) ++ahead;
    if (interval.high < 1) ++behind;
  }
  if (compared == 0) return;
  experiment.findings.push_back(
      fmt::format("Drover's fastest queue is significantly faster than the better of locked and "
                  "moodycamel at {} of {} ratios, and significantly slower at {}. At the other "
                  "ratios the interval contains 1.",
                  ahead, compared, behind));
}

Study queues_study(const QueuesOptions& options) {
  Study study{.conclude = compare_queues};
  describe(study.experiment, options);
  for (const QueueRatio ratio : options.ratios) {
    QueueLoad load = options.load;
    load.producers = ratio.producers;
    load.consumers = ratio.consumers;
    for (const QueueKind kind : options.queues) {
      study.measurements.push_back(
          {{std::string(name_of(kind)), {ratio.producers, ratio.consumers}},
           [kind, load]() -> std::vector<double> {
             const QueueFigures figures = measure_queue(kind, load);
             return {figures.items_per_s, figures.cpu_ns_per_item, figures.empty_share};
           }});
    }
  }
  return study;
}

}  // namespace drover::lab
