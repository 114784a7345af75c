// All queues and both baselines, in turns, at each ratio of producers to consumers; one table of
// medians.
//   queue_benchmark --seconds 1 --rounds 5 --json queues.json
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "queues/queue_figures.h"

namespace {

namespace lab = drover::lab;

struct Ratio {
  unsigned producers, consumers;
};

struct Options {
  std::vector<std::string> ratios = {"1:1", "2:2", "4:4", "8:8", "1:2", "2:1", "4:8", "8:4"};
  std::vector<std::string> queues;  // parts of their names; none: all
  std::size_t rounds = 5;
  std::string json;
  lab::QueueLoad load;
};

Ratio parse_ratio(const std::string& text) {
  Ratio ratio{};
  if (std::sscanf(text.c_str(), "%u:%u", &ratio.producers, &ratio.consumers) != 2 ||
      ratio.producers == 0 || ratio.consumers == 0) {
    throw CLI::ValidationError("a ratio is like 2:4, not '" + text + "'");
  }
  return ratio;
}

std::vector<lab::QueueKind> wanted_kinds(const Options& options) {
  std::vector<lab::QueueKind> result;
  for (const lab::QueueKind kind : lab::queue_kinds()) {
    const auto names_it = [kind](const std::string& part) {
      return lab::name(kind).find(part) != std::string_view::npos;
    };
    if (options.queues.empty() || std::ranges::any_of(options.queues, names_it)) {
      result.push_back(kind);
    }
  }
  return result;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Millions of items a second, by kind and round. Each round has every kind once and begins with
// another one, so that a slow minute of the machine strikes all alike.
std::vector<std::vector<double>> measure_ratio(const Options& options, Ratio ratio,
                                               const std::vector<lab::QueueKind>& kinds,
                                               nlohmann::json& runs) {
  lab::QueueLoad load = options.load;
  load.producers = ratio.producers;
  load.consumers = ratio.consumers;
  std::vector<std::vector<double>> result(kinds.size());
  for (std::size_t round = 0; round < options.rounds; ++round) {
    for (std::size_t turn = 0; turn < kinds.size(); ++turn) {
      const std::size_t index = (turn + round) % kinds.size();
      const lab::QueueFigures figures = lab::measure(kinds[index], load);
      result[index].push_back(figures.items_per_s / 1e6);
      runs.push_back({{"queue", lab::name(kinds[index])},
                      {"producers", ratio.producers},
                      {"consumers", ratio.consumers},
                      {"round", round},
                      {"items_per_s", figures.items_per_s},
                      {"cpu_ns_per_item", figures.cpu_ns_per_item},
                      {"empty_share", figures.empty_share}});
    }
  }
  return result;
}

void run(const Options& options) {
  const std::vector<lab::QueueKind> kinds = wanted_kinds(options);
  nlohmann::json runs = nlohmann::json::array();
  fmt::print("M items a second: median (lowest to highest) of {} rounds, batches of {}\n\n{:9}",
             options.rounds, options.load.batch, "ratio");
  for (const lab::QueueKind kind : kinds) fmt::print(" {:>27}", lab::name(kind));
  fmt::print("\n");
  for (const std::string& text : options.ratios) {
    const auto figures = measure_ratio(options, parse_ratio(text), kinds, runs);
    fmt::print("{:9}", text);
    for (const std::vector<double>& values : figures) {
      const auto [lowest, highest] = std::ranges::minmax(values);
      const auto cell = fmt::format("{:.1f} ({:.0f} to {:.0f})", median(values), lowest, highest);
      fmt::print(" {:>27}", cell);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  if (!options.json.empty()) {
    const nlohmann::json document = {{"batch", options.load.batch},
                                     {"work_mean", options.load.work_mean},
                                     {"balanced", options.load.balanced},
                                     {"measured_s", options.load.measured_s},
                                     {"runs", runs}};
    std::ofstream(options.json) << document.dump(2) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Queues between producers and consumers, side by side");
  app.add_option("--ratios", options.ratios, "Producers:consumers")->delimiter(',');
  app.add_option("--queues", options.queues, "Parts of the names of those wanted")->delimiter(',');
  app.add_option("--seconds", options.load.measured_s, "Measured time of each run")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", options.rounds, "Runs of each queue")->check(CLI::Range(1, 1000));
  app.add_option("--batch", options.load.batch, "Items to a batch")->check(CLI::Range(1, 100'000));
  app.add_option("--work", options.load.work_mean, "Mean steps of work after each batch");
  app.add_flag("!--unbalanced", options.load.balanced, "Equal work for each thread");
  app.add_option("--json", options.json, "Where to write every run");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "queue_benchmark: {}\n", error.what());
    return 1;
  }
  return 0;
}
