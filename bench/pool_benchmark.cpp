// Spawning empty tasks in a StealingPool, spawners by workers, without and with the relay. Both are
// measured in turns, so that a drift of the machine meets both; the ratio is taken turn by turn,
// and its interval from the exact ranks of those ratios. bench/peers/tokio_spawn does the same
// work.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "pool/spawn_figures.h"

namespace drover::bench {
namespace {

struct Settings {
  std::vector<std::size_t> spawners = {2, 4, 8, 16, 32};
  std::vector<std::size_t> workers = {2, 4, 8, 16};
  std::size_t tasks = 7'000;
  std::size_t repeats = 5;
  double seconds = 0.1;
};

struct Sample {
  std::vector<double> rate;
  std::vector<double> cpu_ns;
  std::uint64_t relay_batches = 0;

  void add(const SpawnFigures& figures) {
    rate.push_back(figures.tasks_per_second / 1e6);
    cpu_ns.push_back(figures.cpu_ns_per_task);
    relay_batches += figures.relay_batches;
  }
};

// Hands back the ratios, a turn each.
std::vector<double> measure_cell(const SpawnWork& work, std::size_t repeats) {
  constexpr double confidence = 0.9;
  Sample without;
  Sample with;
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < repeats; ++turn) {
    const bool relay_first = turn % 2 == 1;
    for (const bool relay : {relay_first, !relay_first}) {
      (relay ? with : without).add(measure_spawning(work, relay));
    }
    ratios.push_back(with.rate.back() / without.rate.back());
  }
  const MedianInterval ratio = median_interval(ratios, confidence);
  const double rate_without = median_interval(without.rate, confidence).median;
  const double rate_with = median_interval(with.rate, confidence).median;
  const double cpu_ns = median_interval(without.cpu_ns, confidence).median;
  fmt::print("{:>8} {:>7} {:>10.2f} {:>10.2f} {:>9.0f} {:>7.3f}  {:.3f} … {:.3f} ({:.1f}%) {:>7}\n",
             work.spawners, work.workers, rate_without, rate_with, cpu_ns, ratio.median, ratio.low,
             ratio.high, ratio.confidence * 100, with.relay_batches);
  std::fflush(stdout);
  return ratios;
}

void measure_grid(const Settings& settings) {
  fmt::print("millions of empty tasks a second, {} a spawner; medians of {}\n\n", settings.tasks,
             settings.repeats);
  fmt::print("{:>8} {:>7} {:>10} {:>10} {:>9} {:>7}  {:<22} {:>7}\n", "spawners", "workers",
             "no relay", "relay", "CPU ns", "ratio", "interval (confidence)", "batches");
  std::vector<double> all;
  for (const std::size_t spawners : settings.spawners) {
    for (const std::size_t workers : settings.workers) {
      const SpawnWork work{spawners, workers, settings.tasks, settings.seconds};
      const std::vector<double> ratios = measure_cell(work, settings.repeats);
      all.insert(all.end(), ratios.begin(), ratios.end());
    }
  }
  const MedianInterval ratio = median_interval(all, 0.95);
  fmt::print("\nratio over all cells and turns: {:.3f}, {:.3f} … {:.3f} ({:.1f}%)\n", ratio.median,
             ratio.low, ratio.high, ratio.confidence * 100);
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) {
  drover::bench::Settings settings;
  CLI::App app("Spawning empty tasks in a StealingPool, without and with the relay");
  app.add_option("--spawners", settings.spawners, "how many tasks spawn")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--workers", settings.workers, "of the pool")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_option("--tasks", settings.tasks, "empty tasks a spawner")->check(CLI::PositiveNumber);
  app.add_option("--repeats", settings.repeats, "turns")->check(CLI::PositiveNumber);
  app.add_option("--seconds", settings.seconds, "of one measurement")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  drover::bench::measure_grid(settings);
}
