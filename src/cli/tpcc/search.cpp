// `drover tpcc search`: finds the largest load at which the rules hold.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/search_command.h"
#include "cli/tpcc/run.h"
#include "run/measured_run.h"
#include "run/process.h"
#include "search/search.h"

namespace drover::cli {
namespace {

using coro::Task;
using search::Step;

struct TpccSearchArguments {
  TpccRunOptions run;
  SearchOptions search{.find = "warehouses"};
  double efficiency_least = 90;
};

constexpr const char* limit_example = "new_order.p90 > 20";

bool finds_terminals(const TpccSearchArguments& arguments) {
  return arguments.search.find == "terminals";
}

search::Rules rules_of(const TpccSearchArguments& arguments) {
  search::Rules rules;
  rules.efficiency_least = arguments.efficiency_least;
  rules.limits = search_limits(arguments.search, {}, limit_example);
  return rules;
}

void validate(const TpccSearchArguments& arguments) {
  if (arguments.run.simulate_ms && !arguments.search.high) {
    throw UsageError(
        "--simulate-ms needs --high: there is no database from which to count the warehouses");
  }
  if (finds_terminals(arguments) && arguments.run.run.connections) {
    throw UsageError(
        "--connections cannot be combined with --find terminals, which opens one connection per "
        "terminal");
  }
  if (!finds_terminals(arguments) && arguments.run.warehouses) {
    throw UsageError(
        "--warehouses cannot be combined with --find warehouses, which varies this number. Set the "
        "upper bound with --high");
  }
  if (arguments.run.tpcc.plan.no_delays && !finds_terminals(arguments)) {
    throw UsageError(
        "--no-delays cannot be combined with --find warehouses: without delays, another warehouse "
        "adds no load. Use --find terminals instead");
  }
}

// What the database has room for.
struct Room {
  std::int64_t warehouses = 0;
  std::int64_t connections = 0;
};

Task<void> ask_room(const DatabaseTarget& target, Room& room) {
  const tpcc::RunPreparation there = co_await target.tpcc()->prepare(std::nullopt);
  room.warehouses = there.loaded.warehouses;
  room.connections = connections_for_search(there.server);
}

// The bounds of the search, from the options and what there is.
search::Bounds bounds_of(const TpccSearchArguments& arguments, const std::optional<Room>& room) {
  LoadRange range;
  range.most = range.asked_most;
  if (room) range.most = finds_terminals(arguments) ? room->connections : room->warehouses;
  if (finds_terminals(arguments)) {
    const auto& warehouses = arguments.run.warehouses;
    if (room || warehouses) {
      range.most = std::min(range.most, 10 * (warehouses ? *warehouses : room->warehouses));
    }
  }
  range.there = finds_terminals(arguments)
                    ? "limited by free connections and ten terminals per warehouse"
                    : "the number of loaded warehouses";
  return search_bounds(arguments.search, range);
}

// Returns the options of the run that a step executes.
TpccRunOptions options_of(const TpccSearchArguments& arguments, const Step& step) {
  TpccRunOptions options = arguments.run;
  options.duration = duration_of(arguments.search, step);
  if (finds_terminals(arguments)) {
    options.tpcc.plan.no_delays = true;
    options.terminals = static_cast<std::uint64_t>(step.load);
    if (!options.simulate_ms) options.run.connections = step.load;
  } else {
    options.warehouses = static_cast<std::int32_t>(step.load);
  }
  return options;
}

// Returns nothing if the run was interrupted before it began. `target` is null where transactions
// are simulated.
std::optional<run::MeasuredRun> measure(const TpccSearchArguments& arguments, const Step& step,
                                        const DatabaseTarget* target) {
  TpccRun planned = make_tpcc_run(options_of(arguments, step));
  if (target != nullptr && finds_terminals(arguments)) {
    await_connections(step.load, [target]() -> std::optional<std::int64_t> {
      Room room;
      if (run::run_command(ask_room(*target, room)) != exit_success) return std::nullopt;
      return room.connections;
    });
  }
  return measure_tpcc(std::move(planned), target);
}

int perform(const Command& command, const TpccSearchArguments& arguments) {
  validate(arguments);
  const search::Rules rules = rules_of(arguments);
  // Errors of the options are reported before anything runs.
  make_tpcc_run(options_of(arguments, {Step::Kind::probe, 1}));
  make_tpcc_run(options_of(arguments, {Step::Kind::confirm, 1}));
  std::optional<DatabaseTarget> target;
  std::optional<Room> room;
  if (!arguments.run.simulate_ms) {
    target.emplace(arguments.run.database);
    room.emplace();
    if (run::run_command(ask_room(*target, *room)) != exit_success) return exit_interrupted;
  }
  const DatabaseTarget* database = target ? &*target : nullptr;
  search::Record question{.unit = arguments.search.find,
                          .bounds = bounds_of(arguments, room),
                          .settings = settings_of_options(command),
                          .runs = {}};
  question.settings["the database"] = database == nullptr ? "" : database->description();
  return perform_search(command, arguments.search, rules, question,
                        [&](const Step& step) { return measure(arguments, step, database); });
}

void add_options_of_search(Command& command, TpccSearchArguments& arguments) {
  TpccRunOptions& run = arguments.run;
  add_search_options(command, arguments.search, run.warmup,
                     {.units = {"warehouses", "terminals"},
                      .find = "What to maximize. warehouses: with keying and think times; "
                              "terminals: without these times, one connection per terminal",
                      .high = "Largest load to try. auto: the number of loaded warehouses; with "
                              "--find terminals, the number of free connections",
                      .start = "First load to try. auto: an eighth of --high"});
  command.add_options(
      "Search", {{"--min-efficiency", &arguments.efficiency_least, "P",
                  "Reject loads with an efficiency below P percent; 0: accept every efficiency",
                  in_range(0, 100)}});
  add_limit_option(command, arguments.search, limit_example);
  command.add_options(
      "Load", {{"--connections", &run.run.connections, "N|auto",
                "With --find warehouses: connections to the database. auto: derived from the load, "
                "limited by the free connections",
                in_range(1, run::run_connections_most)},
               {"-w,--warehouses", &run.warehouses, "W|auto",
                "With --find terminals: warehouses to run on. auto: all loaded warehouses",
                in_range(1, 1'000'000)}});
  add_load_options(command, run);
  command.add_options(output_group, {ui_option(run.run.ui), server_stats_option(run)});
}

}  // namespace

void add_tpcc_search(Command& tpcc) {
  const auto arguments = std::make_shared<TpccSearchArguments>();
  Command& command = tpcc.add_command(
      "search",
      "Find the largest number of warehouses or terminals at which the rules hold: 90th "
      "percentiles, efficiency, audit and your limits. Short runs search for this limit, and a "
      "long run confirms it. Exit code 1: the rules hold at no load or not in the long run, or "
      "this machine was too slow to measure the limit.",
      "Examples:\n"
      "  drover tpcc search --out search\n"
      "  drover tpcc search --out search --pace 10 --probe 1m --confirm 10m\n"
      "  drover tpcc search --out flight --find terminals --fail-if 'new_order.p90 > 20'\n"
      "\n"
      "Ctrl-C discards the current run. The same command resumes the search.");
  add_database_options(command, arguments->run.database);
  add_options_of_search(command, *arguments);
  command.action = [arguments, &command] { return perform(command, *arguments); };
}

}  // namespace drover::cli
