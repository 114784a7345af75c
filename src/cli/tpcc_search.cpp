// `drover tpcc search`: the largest load at which the rules still hold.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/option/quantity.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "file/atomic_file.h"
#include "file/file_descriptor.h"
#include "report/document/result_json.h"
#include "run/interrupt.h"
#include "run/measured_run.h"
#include "search/loop.h"
#include "search/page.h"
#include "search/record.h"
#include "search/rules.h"
#include "search/steps.h"

namespace drover::cli {
namespace {

using coro::Task;
using search::Record;
using search::Step;

constexpr std::int64_t load_most = 1'000'000;
constexpr const char* record_name = "search.json";

struct SearchArguments {
  DatabaseOption database;
  RunRequest run;
  std::string find = "warehouses";
  std::string low = "1";
  std::string high = "auto";
  std::string start = "auto";
  std::string tolerance = "5%";
  std::string probe = "30s";
  std::string confirm = "3m";
  double efficiency_least = 90;
  std::vector<std::string> fail_if;
  std::string folder;
};

bool finds_terminals(const SearchArguments& arguments) {
  return arguments.find == "terminals";
}

double parse_tolerance(const std::string& written) {
  double percent = 0;
  std::size_t used = 0;
  try {
    percent = std::stod(written, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool ends_well = used == written.size() || written.substr(used) == "%";
  if (used == 0 || !ends_well || !(percent >= 0 && percent <= 50)) {
    throw UsageError(
        fmt::format("--tolerance {}: expected percent from 0 to 50, such as 5%", written));
  }
  return percent / 100;
}

search::Rules rules_of(const SearchArguments& arguments) {
  search::Rules rules;
  rules.efficiency_least = arguments.efficiency_least;
  if (!(rules.efficiency_least >= 0 && rules.efficiency_least <= 100)) {
    throw UsageError("--min-efficiency: expected percent from 0 to 100; 0 asks for none");
  }
  for (const std::string& text : arguments.fail_if) {
    try {
      rules.limits.push_back(report::Limit::parse(text));
    } catch (const std::runtime_error& error) {
      throw UsageError(fmt::format("--fail-if: {}", error.what()));
    }
    if (rules.limits.back().kind != report::Limit::Kind::value) {
      throw UsageError(fmt::format(
          "--fail-if '{}': a search has nothing to compare with: expected a value without sign and "
          "percent, such as 'new_order.p90 > 20'",
          text));
    }
  }
  return rules;
}

void validate(const SearchArguments& arguments) {
  if (arguments.find != "warehouses" && !finds_terminals(arguments)) {
    throw UsageError(fmt::format("--find {}: expected warehouses or terminals", arguments.find));
  }
  for (const auto& [name, written] :
       {std::pair("--probe", arguments.probe), std::pair("--confirm", arguments.confirm)}) {
    if (parse_duration(name, written) < std::chrono::seconds(1)) {
      throw UsageError(fmt::format("{}: at least 1s is needed", name));
    }
  }
  if (arguments.run.simulate_ms && arguments.high == "auto") {
    throw UsageError("--simulate-ms needs --high: there is no database to count warehouses in");
  }
  if (finds_terminals(arguments) && arguments.run.connections != "auto") {
    throw UsageError("--connections: a search for terminals has a connection for each");
  }
  if (!finds_terminals(arguments) && arguments.run.warehouses != "auto") {
    throw UsageError("--warehouses: it is these that are searched; --high is the upper bound");
  }
  if (arguments.run.no_delays && !finds_terminals(arguments)) {
    throw UsageError(
        "--no-delays: a warehouse more adds no load then; search --find terminals instead");
  }
}

// What the database has room for.
struct Room {
  std::int64_t warehouses = 0;
  std::int64_t connections = 0;  // free ones
};

Task<void> ask_room(const DatabaseTarget& target, Room& room) {
  const tpcc::RunPreparation there = co_await target.database().prepare(std::nullopt);
  const tpcc::ServerFacts& server = there.server;
  room.warehouses = there.loaded.warehouses;
  const std::int64_t free = server.connections_max - server.connections_used;
  // Some are left for ours, for whoever has to look at the server, and for those of the run before
  // that the server has not ended yet.
  const std::int64_t left = std::max<std::int64_t>(5, free / 20);
  room.connections = server.connections_max > 0 ? std::max<std::int64_t>(free - left, 1) : 10'000;
}

// The bounds of the search, from the options and what there is.
search::Bounds bounds_of(const SearchArguments& arguments, const std::optional<Room>& room) {
  std::int64_t most = load_most;
  if (room) most = finds_terminals(arguments) ? room->connections : room->warehouses;
  if (room && finds_terminals(arguments)) most = std::min(most, room->warehouses * 10);
  search::Bounds bounds;
  bounds.tolerance = parse_tolerance(arguments.tolerance);
  bounds.high = parse_count_or_auto("--high", arguments.high, 1, load_most).value_or(most);
  if (bounds.high > most) {
    throw UsageError(fmt::format("--high {}: the database has {} only ({})", bounds.high, most,
                                 finds_terminals(arguments)
                                     ? "free connections, and ten terminals a warehouse"
                                     : "warehouses loaded"));
  }
  bounds.low = parse_count("--low", arguments.low, 1, bounds.high);
  bounds.start = parse_count_or_auto("--start", arguments.start, bounds.low, bounds.high)
                     .value_or(std::clamp(bounds.high / 8, bounds.low, bounds.high));
  return bounds;
}

// Everything that has to be the same when the search goes on, as it was written. `database` is none
// where transactions are simulated.
std::map<std::string, std::string> settings_of(const Command& command,
                                               const SearchArguments& arguments,
                                               const DatabaseTarget* database) {
  std::map<std::string, std::string> settings = {
      {"the database", database == nullptr ? "" : database->description()},
      {"--fail-if", fmt::format("{}", fmt::join(arguments.fail_if, " and "))},
      {"--deferred-delivery", arguments.run.deferred_delivery ? "yes" : ""}};
  std::vector<std::string> names = {"--low",        "--high",         "--start",
                                    "--tolerance",  "--probe",        "--confirm",
                                    "--warmup",     "--pace",         "--min-efficiency",
                                    "--threads",    "--warehouses",   "--connections",
                                    "--seed",       "--statements",   "--schema",
                                    "--on-db-loss", "--max-attempts", "--statement-timeout"};
  const bool on_ydb = kind_of(arguments.database) == DatabaseKind::ydb;
  names.emplace_back(on_ydb ? "--tx-mode" : "--isolation");
  if (arguments.run.simulate_ms) names.emplace_back("--simulate-ms");
  for (const std::string& name : names) {
    const Option& option = *command.find_option(name);
    const std::string written = option.target_text();
    settings[name] = written.empty() ? option.default_text : written;
  }
  return settings;
}

// One run of the search as the options of `tpcc run` would say it.
RunRequest request_of(const SearchArguments& arguments, const Step& step) {
  RunRequest request = arguments.run;
  request.duration = step.kind == Step::Kind::confirm ? arguments.confirm : arguments.probe;
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

// The sessions of the run before may still be ending on the server.
void await_room(std::int64_t wanted, const DatabaseTarget& target) {
  for (int i = 0; i < 20; ++i) {
    Room room;
    if (run::run_command(ask_room(target, room)) != exit_success || room.connections >= wanted) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

// Nothing if it was interrupted. `target` is none where transactions are simulated.
std::optional<report::Result> measure(const SearchArguments& arguments, const Step& step,
                                      const DatabaseTarget* target) {
  const RunRequest request = request_of(arguments, step);
  run::RunPlan plan = make_run_plan(request, kind_of(arguments.database));
  std::optional<run::MeasuredRun> run;
  if (target == nullptr) {
    run = run::measure_simulated(std::move(plan));
  } else {
    if (finds_terminals(arguments)) await_room(step.load, *target);
    run = run::measure_on_database(std::move(plan), target->place());
  }
  if (!run || run->stop_requested) return std::nullopt;
  return std::move(run->result);
}

std::filesystem::path in_folder(const SearchArguments& arguments, const std::string& name) {
  return std::filesystem::path(arguments.folder) / name;
}

// What cannot be shown is in the record: no reason to end a search of hours. At the answer it is.
void show(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int finish(const SearchArguments& arguments, const Record& record) {
  const auto page = in_folder(arguments, "report.html");
  const auto say = [](const std::string& text) { print(text, "the answer"); };
  write_each({[&] { say(fmt::format("\nanswer: {}\n", search::answer_text(record))); },
              [&] { search::write_search_page(page, record, arguments.folder); },
              [&] { say(fmt::format("report: {}\n", page.native())); }});
  return search::found_by(record.probes()).found_out() ? exit_success : exit_failure;
}

// Returns the exit code.
int go_on(const SearchArguments& arguments, const search::Rules& rules, Record& record,
          const DatabaseTarget* target) {
  const auto keep_record = [&](const Record& now) {
    file::write_atomically({in_folder(arguments, record_name), "record of the search"},
                           report::document_text(search::to_json(now)));
  };
  const auto keep_result = [&](const std::string& file, const report::Result& result) {
    report::write_result_file(in_folder(arguments, file), result);
  };
  bool ended = false;
  {
    // A signal between two runs waits for the next one, and ends it.
    const run::BlockedInterrupts blocked;
    ended =
        search::go_on(record, rules,
                      {.run = [&](const Step& step) { return measure(arguments, step, target); },
                       .keep_result = keep_result,
                       .keep_record = keep_record,
                       .show = show});
  }
  if (ended) {
    keep_record(record);
    return finish(arguments, record);
  }
  fmt::print(stderr, "interrupted; the same command goes on from here\n");
  return exit_interrupted;
}

// Makes the folder of a search if it is not there. It is locked, for one search at a time, as long as it is open.
file::FileDescriptor locked_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  file::FileDescriptor opened;
  if (!error) opened.reset(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) {
    throw UsageError(fmt::format("--out {}: cannot make or open this folder: {}", folder,
                                 error ? error.message() : std::strerror(errno)));
  }
  if (flock(opened.get(), LOCK_EX | LOCK_NB) == 0) return opened;
  throw UsageError(fmt::format("--out {}: another search is going on in this folder", folder));
}

// The record of an earlier search with the same question, or a new one.
Record record_of(const Command& command, const SearchArguments& arguments,
                 const search::Bounds& bounds, const DatabaseTarget* database) {
  Record record{.unit = arguments.find,
                .bounds = bounds,
                .settings = settings_of(command, arguments, database),
                .runs = {}};
  const auto path = in_folder(arguments, record_name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return record;
  Record earlier = search::read_record_file(path);
  const std::vector<std::string> different = search::differences(earlier, record);
  if (!different.empty()) {
    throw UsageError(fmt::format(
        "--out {}: there is another search in this folder: {}. Give the same options to go on with "
        "it, or another folder",
        arguments.folder, fmt::join(different, "; ")));
  }
  return earlier;
}

int perform(const Command& command, const SearchArguments& arguments) {
  validate(arguments);
  const search::Rules rules = rules_of(arguments);
  // What is wrong with the options shall be said before anything runs.
  make_run_plan(request_of(arguments, {Step::Kind::probe, 1}), kind_of(arguments.database));
  make_run_plan(request_of(arguments, {Step::Kind::confirm, 1}), kind_of(arguments.database));
  std::optional<DatabaseTarget> target;
  std::optional<Room> room;
  if (!arguments.run.simulate_ms) {
    target.emplace(arguments.database);
    room.emplace();
    if (run::run_command(ask_room(*target, *room)) != exit_success) return exit_interrupted;
  }
  const search::Bounds bounds = bounds_of(arguments, room);
  const DatabaseTarget* database = target ? &*target : nullptr;
  const file::FileDescriptor lock = locked_folder(arguments.folder);
  Record record = record_of(command, arguments, bounds, database);
  fmt::print(stderr, "searching the largest number of {} from {} to {}, starting at {}\n",
             record.unit, record.bounds.low, record.bounds.high, record.bounds.start);
  return go_on(arguments, rules, record, database);
}

void add_search_options(Command& command, SearchArguments& arguments) {
  command.add_options(
      "Search",
      {{"--out", &arguments.folder, "DIR",
        "Folder of the search: search.json, the result of each run, report.html. The same "
        "command goes on with what is there",
        required_option},
       {"--find", &arguments.find, "warehouses|terminals",
        "warehouses: with their keying and think times; terminals: transactions in flight without "
        "delays, a connection each"},
       {"--low", &arguments.low, "N", "The smallest load to try"},
       {"--high", &arguments.high, "N|auto",
        "The largest; auto: all warehouses that are loaded, or free connections"},
       {"--start", &arguments.start, "N|auto", "The first; auto: an eighth of the largest"},
       {"--tolerance", &arguments.tolerance, "P%", "How near to the limit, in percent of it"},
       {"--probe", &arguments.probe, "TIME", "How long to measure each load"},
       {"--confirm", &arguments.confirm, "TIME", "How long to measure the load found"},
       {"--warmup", &arguments.run.warmup, "TIME|auto",
        "How long each run goes before it is measured; see tpcc run"},
       {"--min-efficiency", &arguments.efficiency_least, "P",
        "Percent of what terminals with delays could do; 0 asks for none"},
       {"--fail-if", &arguments.fail_if, "LIMIT",
        "A value that must not be, such as 'new_order.p90 > 20' (ms); may be repeated"}});
  command.add_options(
      "Load", {{"--connections", &arguments.run.connections, "N|auto",
                "Connections to the database, of a search for warehouses"},
               {"-w,--warehouses", &arguments.run.warehouses, "W|auto",
                "Of a search for terminals: over how many warehouses; auto: all that are loaded"}});
  add_load_options(command, arguments.run);
  add_ui_option(command, arguments.run.ui);
}

}  // namespace

void add_tpcc_search(Command& tpcc) {
  const auto arguments = std::make_shared<SearchArguments>();
  Command& command = tpcc.add_command(
      "search",
      "Find the largest number of warehouses, or of transactions in flight, at which the rules "
      "still hold: the 90th percentiles, the efficiency, the audit, and limits of yours. Short "
      "runs narrow it down, a long one confirms it. Exit code 1: nothing holds, or not over the "
      "long run, or the client's own machine was too slow to find it out.",
      "Examples:\n"
      "  drover tpcc search --out search\n"
      "  drover tpcc search --out search --pace 10 --probe 1m --confirm 10m\n"
      "  drover tpcc search --out flight --find terminals --fail-if 'new_order.p90 > 20'\n"
      "Ctrl-C leaves out the run that it cuts short; the same command goes on.");
  add_database_options(command, arguments->database);
  add_search_options(command, *arguments);
  command.action = [arguments, &command] { return perform(command, *arguments); };
}

}  // namespace drover::cli
