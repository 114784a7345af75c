// `drover tpcc search`: the largest load at which the rules still hold.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/option/quantity.h"
#include "cli/search_command.h"
#include "cli/tpcc/options.h"
#include "run/interrupt.h"
#include "run/measured_run.h"
#include "search/record.h"
#include "search/rules.h"
#include "search/steps.h"

namespace drover::cli {
namespace {

using coro::Task;
using search::Step;

struct SearchArguments {
  DatabaseOption database;
  TpccRequest run;
  SearchRequest search{.find = "warehouses"};
  double efficiency_least = 90;
};

constexpr const char* limit_example = "new_order.p90 > 20";

bool finds_terminals(const SearchArguments& arguments) {
  return arguments.search.find == "terminals";
}

search::Rules rules_of(const SearchArguments& arguments) {
  search::Rules rules;
  rules.efficiency_least = arguments.efficiency_least;
  if (!(rules.efficiency_least >= 0 && rules.efficiency_least <= 100)) {
    throw UsageError("--min-efficiency: expected a percentage from 0 to 100. 0 means no minimum");
  }
  rules.limits = search_limits(arguments.search, {}, limit_example);
  return rules;
}

void validate(const SearchArguments& arguments) {
  validate_search(arguments.search, {"warehouses", "terminals"});
  if (arguments.run.simulate_ms && arguments.search.high == "auto") {
    throw UsageError(
        "--simulate-ms needs --high: there is no database from which to count the warehouses");
  }
  if (finds_terminals(arguments) && arguments.run.connections != "auto") {
    throw UsageError(
        "--connections cannot be combined with --find terminals, which opens one connection per "
        "terminal");
  }
  if (!finds_terminals(arguments) && arguments.run.warehouses != "auto") {
    throw UsageError(
        "--warehouses cannot be combined with --find warehouses, which varies this number. Set the "
        "upper bound with --high");
  }
  if (arguments.run.no_delays && !finds_terminals(arguments)) {
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
search::Bounds bounds_of(const SearchArguments& arguments, const std::optional<Room>& room) {
  LoadRange range;
  range.most = range.asked_most;
  if (room) range.most = finds_terminals(arguments) ? room->connections : room->warehouses;
  if (finds_terminals(arguments)) {
    const auto warehouses =
        parse_count_or_auto("--warehouses", arguments.run.warehouses, 1, range.asked_most);
    if (room || warehouses) {
      const auto of_run = static_cast<std::int64_t>(warehouses.value_or(0));
      range.most = std::min(range.most, 10 * (warehouses ? of_run : room->warehouses));
    }
  }
  range.there = finds_terminals(arguments) ? "free connections, and ten terminals a warehouse"
                                           : "warehouses loaded";
  return search_bounds(arguments.search, range);
}

// Everything that has to be the same when the search goes on, as it was written. `database` is none
// where transactions are simulated.
std::map<std::string, std::string> settings_of(const Command& command,
                                               const SearchArguments& arguments,
                                               const DatabaseTarget* database) {
  std::vector<std::string> names = {"--low",        "--high",         "--start",
                                    "--tolerance",  "--probe",        "--confirm",
                                    "--warmup",     "--pace",         "--min-efficiency",
                                    "--threads",    "--warehouses",   "--connections",
                                    "--seed",       "--statements",   "--schema",
                                    "--on-db-loss", "--max-attempts", "--statement-timeout"};
  const bool on_ydb = kind_of(arguments.database) == DatabaseKind::ydb;
  names.emplace_back(on_ydb ? "--tx-mode" : "--isolation");
  if (arguments.run.simulate_ms) names.emplace_back("--simulate-ms");
  std::map<std::string, std::string> settings = written_settings(command, names);
  settings["the database"] = database == nullptr ? "" : database->description();
  settings["--fail-if"] = joined_values(arguments.search.fail_if);
  add_session_settings(arguments.run, settings);
  settings["--deferred-delivery"] = arguments.run.deferred_delivery ? "yes" : "";
  return settings;
}

// One run of the search as the options of `tpcc run` would say it.
TpccRequest request_of(const SearchArguments& arguments, const Step& step) {
  TpccRequest request = arguments.run;
  request.duration = duration_of(arguments.search, step);
  const std::string load = fmt::format("{}", step.load);
  if (finds_terminals(arguments)) {
    request.no_delays = true;
    request.terminals = load;
    if (!request.simulate_ms) request.connections = load;
  } else {
    request.warehouses = load;
  }
  return request;
}

// Nothing if it was interrupted before it began. `target` is none where transactions are simulated.
std::optional<run::MeasuredRun> measure(const SearchArguments& arguments, const Step& step,
                                        const DatabaseTarget* target) {
  TpccRun planned = make_tpcc_run(request_of(arguments, step), arguments.database);
  if (target != nullptr && finds_terminals(arguments)) {
    await_connections(step.load, [target]() -> std::optional<std::int64_t> {
      Room room;
      if (run::run_command(ask_room(*target, room)) != exit_success) return std::nullopt;
      return room.connections;
    });
  }
  return measure_tpcc(std::move(planned), target);
}

int perform(const Command& command, const SearchArguments& arguments) {
  validate(arguments);
  const search::Rules rules = rules_of(arguments);
  // What is wrong with the options shall be said before anything runs.
  make_tpcc_run(request_of(arguments, {Step::Kind::probe, 1}), arguments.database);
  make_tpcc_run(request_of(arguments, {Step::Kind::confirm, 1}), arguments.database);
  std::optional<DatabaseTarget> target;
  std::optional<Room> room;
  if (!arguments.run.simulate_ms) {
    target.emplace(arguments.database);
    room.emplace();
    if (run::run_command(ask_room(*target, *room)) != exit_success) return exit_interrupted;
  }
  const DatabaseTarget* database = target ? &*target : nullptr;
  const search::Record question{.unit = arguments.search.find,
                                .bounds = bounds_of(arguments, room),
                                .settings = settings_of(command, arguments, database),
                                .runs = {}};
  return perform_search(arguments.search, rules, question,
                        [&](const Step& step) { return measure(arguments, step, database); });
}

void add_options_of_search(Command& command, SearchArguments& arguments) {
  add_search_options(
      command, arguments.search, arguments.run.warmup,
      {.units = "warehouses|terminals",
       .find = "Which maximum to find. warehouses: with keying and think times; terminals: without "
               "them, "
               "one connection per terminal",
       .high = "Largest load to try. auto: the loaded warehouses; with --find terminals, "
               "the server's free connections",
       .start = "First load to try. auto: an eighth of --high"});
  command.add_options("Search",
                      {{"--min-efficiency", &arguments.efficiency_least, "P",
                        "Reject loads with an efficiency below P percent, 0 to 100; 0: accept "
                        "any"}});
  add_limit_option(command, arguments.search, limit_example);
  command.add_options(
      "Load", {{"--connections", &arguments.run.connections, "N|auto",
                "With --find warehouses: connections to the database. auto: derived from the load, "
                "limited by the free connections"},
               {"-w,--warehouses", &arguments.run.warehouses, "W|auto",
                "With --find terminals: warehouses to run on. auto: all loaded warehouses"}});
  add_load_options(command, arguments.run);
  add_ui_option(command, arguments.run.ui);
  add_server_stats_option(command, arguments.run);
}

}  // namespace

void add_tpcc_search(Command& tpcc) {
  const auto arguments = std::make_shared<SearchArguments>();
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
  add_database_options(command, arguments->database);
  add_options_of_search(command, *arguments);
  command.action = [arguments, &command] { return perform(command, *arguments); };
}

}  // namespace drover::cli
