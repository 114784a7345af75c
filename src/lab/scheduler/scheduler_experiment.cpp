#include "lab/scheduler/scheduler_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/rounds.h"
#include "measure/median.h"

namespace drover::lab {
namespace {

constexpr const char* direct_subject = "direct";
constexpr const char* relay_subject = "relay";

// Figures that are measured, without relay_to_direct, which is calculated.
constexpr std::size_t figures_of_a_subject = index_of(SchedulerFigure::relay_to_direct);

void describe(Experiment& experiment, const SchedulerOptions& options) {
  experiment.name = "scheduler";
  experiment.question =
      "How much does spawning a task cost in a work-stealing pool, and how much is gained by a "
      "lock-free queue (the relay) between the workers and the pool's locked global list?";
  experiment.method = {
      fmt::format(
          "Each spawner, {}, spawns {} empty tasks. When all of them have run, the spawners "
          "start again.",
          options.outside ? "a thread outside of the pool" : "which is a task of the pool",
          options.tasks),
      "`direct` is the pool with a ring of 256 tasks per worker and one global list under a "
      "mutex. `relay` adds a lock-free queue. When the global list holds more than 256 tasks above "
      "a minimum, its 256 oldest tasks move to this queue in batches of 64, and workers take the "
      "batches without the lock.",
      fmt::format(
          "Both are measured alternately in one process (direct, relay, relay, direct), each "
          "for at least {} s, in its own pool and after a warm-up. The ratio is calculated "
          "within each process. Its confidence interval comes from order statistics.",
          options.seconds),
      "Each measurement runs in its own process. A round measures every cell once.",
      "Relay batches, steals, sleeps and lock waits are counts per million tasks. A lock wait is "
      "counted when a worker or a spawner finds the lock of the global list taken.",
  };
  experiment.round_seconds = options.seconds;
  experiment.factors = {{"spawners", "spawners"}, {"workers", "workers"}};
  experiment.figures = {
      {"tasks_per_second", "tasks/s", "1/s"},
      {"cpu_ns_per_task", "CPU ns/task", "ns"},
      {"overflow_share", "overflow", "share of tasks"},
      {"relay_batches_per_million", "relay batches", "per million tasks"},
      {"steals_per_million", "steals", "per million tasks"},
      {"sleeps_per_million", "sleeps", "per million tasks"},
      {"lock_waits_per_million", "lock waits", "per million tasks"},
      {"relay_to_direct", "relay : direct", "x"},
  };
  const auto map = [](const char* title, SchedulerFigure figure, const char* subject) {
    return Picture{.title = title, .figure = index_of(figure), .subject = subject};
  };
  experiment.pictures = {
      map("Gain of the relay", SchedulerFigure::relay_to_direct, relay_subject),
      map("Tasks per second without the relay", SchedulerFigure::tasks_per_second, direct_subject),
      map("Waits for the lock of the global list", SchedulerFigure::lock_waits, direct_subject),
      map("Batches through the relay", SchedulerFigure::relay_batches, relay_subject),
  };
  experiment.published = {
      {"Tokio with a relay queue, 7,000 tasks per spawner, 24 cores (48 threads)",
       "at most 1.13 times the tasks per second, with 16 workers; between 0.95 and 1.08 otherwise"},
  };
}

void append_figures(std::vector<double>& figures, const SpawnTally& tally) {
  const auto tasks = static_cast<double>(tally.tasks);
  const auto per_million = [&](std::uint64_t count) {
    return static_cast<double>(count) * 1e6 / tasks;
  };
  figures.insert(figures.end(), {tasks / tally.seconds, tally.cpu_seconds * 1e9 / tasks,
                                 static_cast<double>(tally.overflowed) / tasks,
                                 per_million(tally.relay_batches), per_million(tally.steals),
                                 per_million(tally.sleeps), per_million(tally.lock_waits)});
}

std::vector<double> measured(const SpawnWork& work) {
  const SpawnPair pair = measure_spawning_in_turns(work);
  std::vector<double> figures;
  append_figures(figures, pair.direct);
  append_figures(figures, pair.relay);
  return figures;
}

double ratio_of(const std::vector<double>& both) {
  constexpr std::size_t rate = index_of(SchedulerFigure::tasks_per_second);
  return both.at(figures_of_a_subject + rate) / both.at(rate);
}

void split_cells(Experiment& experiment) {
  std::vector<Cell> cells;
  for (const Cell& both : experiment.cells) {
    Cell direct{direct_subject, both.settings, {}, both.note};
    Cell relay{relay_subject, both.settings, {}, both.note};
    for (const std::vector<double>& round : both.rounds) {
      const auto middle = round.begin() + figures_of_a_subject;
      direct.rounds.emplace_back(round.begin(), middle);
      direct.rounds.back().push_back(not_measured);
      relay.rounds.emplace_back(middle, round.end());
      relay.rounds.back().push_back(ratio_of(round));
    }
    cells.push_back(std::move(direct));
    cells.push_back(std::move(relay));
  }
  experiment.cells = std::move(cells);
}

std::vector<double> column(const Cell& cell, SchedulerFigure figure) {
  std::vector<double> values;
  for (const std::vector<double>& round : cell.rounds) values.push_back(round.at(index_of(figure)));
  return values;
}

// Returns, for each round, the median over all cells of the ratio of relay to direct. Rounds are
// draws of one distribution, which cells are not.
std::vector<double> medians_of_rounds(const std::vector<const Cell*>& cells) {
  std::vector<double> medians;
  for (std::size_t round = 0;; ++round) {
    std::vector<double> ratios;
    for (const Cell* cell : cells) {
      if (round < cell->rounds.size()) {
        ratios.push_back(cell->rounds[round].at(index_of(SchedulerFigure::relay_to_direct)));
      }
    }
    if (ratios.size() < cells.size()) return medians;
    medians.push_back(measure::median_of(ratios));
  }
}

std::string place(const Cell& cell) {
  return fmt::format("{} spawners and {} workers", cell.settings[0], cell.settings[1]);
}

void find(Experiment& experiment) {
  std::vector<const Cell*> cells;
  std::size_t used = 0;
  for (const Cell& cell : experiment.cells) {
    if (cell.subject != relay_subject || cell.rounds.empty()) continue;
    cells.push_back(&cell);
    if (spread_of(cell, index_of(SchedulerFigure::relay_batches))->median > 0) ++used;
  }
  if (cells.empty()) return;
  const auto ratio = [](const Cell* cell) {
    return median_interval(column(*cell, SchedulerFigure::relay_to_direct));
  };
  const auto [lowest, highest] =
      std::ranges::minmax(cells, {}, [&](const Cell* cell) { return ratio(cell).median; });
  auto& findings = experiment.findings;
  findings.push_back(fmt::format("The relay gains most with {}: {} times the tasks/s of direct.",
                                 place(*highest), interval_text(ratio(highest))));
  findings.push_back(fmt::format("The relay gains least with {}: {} times the tasks/s of direct.",
                                 place(*lowest), interval_text(ratio(lowest))));
  const std::vector<double> medians = medians_of_rounds(cells);
  if (!medians.empty()) {
    findings.push_back(fmt::format("The median of all {} cells: {} times the tasks/s of direct.",
                                   cells.size(), interval_text(median_interval(medians))));
  }
  if (cells.size() > 2) {
    findings.emplace_back(
        "The highest and the lowest gain were selected from all cells, so chance affects them more "
        "than their intervals show.");
  }
  findings.push_back(fmt::format("The relay was used in {} of {} cells.", used, cells.size()));
}

}  // namespace

std::string scheduler_line(const Cell& cell, const std::vector<double>& figures) {
  const std::string what =
      fmt::format("{} spawners, {} workers: ", cell.settings[0], cell.settings[1]);
  if (figures.empty()) return what + cell.note;
  constexpr std::size_t rate = index_of(SchedulerFigure::tasks_per_second);
  return what + fmt::format("direct {} tasks/s, relay {} tasks/s, ratio {:.2f}",
                            short_number(figures.at(rate)),
                            short_number(figures.at(figures_of_a_subject + rate)),
                            ratio_of(figures));
}

void compare_schedulers(Experiment& experiment) {
  split_cells(experiment);
  find(experiment);
}

Study scheduler_study(const SchedulerOptions& options) {
  Study study{.conclude = compare_schedulers};
  describe(study.experiment, options);
  for (const std::size_t spawners : options.spawners) {
    for (const std::size_t workers : options.workers) {
      const SpawnWork work{spawners, workers, options.tasks, options.seconds, options.outside};
      study.measurements.push_back(
          {{"direct, relay",
            {static_cast<std::int64_t>(spawners), static_cast<std::int64_t>(workers)}},
           [work] { return measured(work); }});
    }
  }
  return study;
}

}  // namespace drover::lab
