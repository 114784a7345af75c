// `drover tpcc search`: the largest load at which the rules still hold.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

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
#include "cli/count_option.h"
#include "cli/database_option.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/measured_run.h"
#include "cli/run_command.h"
#include "cli/run_options.h"
#include "cli/run_plan.h"
#include "cli/search_report.h"
#include "cli/standard_output.h"
#include "cli/ui_option.h"
#include "cli/usage_error.h"
#include "report/atomic_file.h"
#include "report/result_file.h"
#include "report/result_json.h"
#include "search/record.h"
#include "search/rules.h"
#include "search/steps.h"

namespace drover::cli {
namespace {

using coro::Task;
using search::Probe;
using search::Record;
using search::Step;

constexpr std::int64_t load_most = 1'000'000;

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

// Of the search: from the options and what there is.
search::Bounds bounds_of(const SearchArguments& arguments, const std::optional<Room>& room) {
  std::int64_t most = load_most;
  if (room) most = finds_terminals(arguments) ? room->connections : room->warehouses;
  if (room && finds_terminals(arguments)) most = std::min(most, room->warehouses * 10);
  search::Bounds bounds;
  bounds.tolerance = parse_tolerance(arguments.tolerance);
  bounds.high = parse_count_or_auto("--high", arguments.high, 1, load_most, most);
  if (bounds.high > most) {
    throw UsageError(fmt::format("--high {}: the database has {} only ({})", bounds.high, most,
                                 finds_terminals(arguments)
                                     ? "free connections, and ten terminals a warehouse"
                                     : "warehouses loaded"));
  }
  bounds.low = parse_count("--low", arguments.low, 1, bounds.high);
  const std::int64_t start = std::clamp(bounds.high / 8, bounds.low, bounds.high);
  bounds.start = parse_count_or_auto("--start", arguments.start, bounds.low, bounds.high, start);
  return bounds;
}

// Everything that has to be the same when the search goes on, as it was written. `database` is none
// where transactions are simulated.
std::map<std::string, std::string> settings_of(const SearchArguments& arguments,
                                               const DatabaseTarget* database) {
  const RunRequest& run = arguments.run;
  std::map<std::string, std::string> settings = {
      {"the database", database == nullptr ? "" : database->description()},
      {"--low", arguments.low},
      {"--high", arguments.high},
      {"--start", arguments.start},
      {"--tolerance", arguments.tolerance},
      {"--probe", arguments.probe},
      {"--confirm", arguments.confirm},
      {"--warmup", run.warmup},
      {"--min-efficiency", fmt::format("{:g}", arguments.efficiency_least)},
      {"--fail-if", fmt::format("{}", fmt::join(arguments.fail_if, " and "))},
      {"--pace", fmt::format("{:g}", run.pace)},
      {"--threads", run.threads},
      {"--connections", run.connections},
      {"--warehouses", run.warehouses},
      {"--seed", run.seed},
      {"--statements", run.statements},
      {"--max-attempts", run.max_attempts},
      {"--on-db-loss", run.on_db_loss},
      {"--statement-timeout", run.statement_timeout},
      {"--deferred-delivery", run.deferred_delivery ? "yes" : ""},
      {"--schema", arguments.database.schema},
  };
  if (kind_of(arguments.database) == DatabaseKind::ydb) {
    settings["--tx-mode"] = run.tx_mode.value_or("serializable-rw");
  } else {
    settings["--isolation"] = run.isolation.value_or("read-committed");
  }
  if (run.simulate_ms) settings["--simulate-ms"] = fmt::format("{:g}", *run.simulate_ms);
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

class Search {
 public:
  Search(const SearchArguments& arguments, search::Rules rules, Record record)
      : arguments_(arguments), rules_(std::move(rules)), record_(std::move(record)) {}

  // Returns the exit code.
  int go_on(const DatabaseTarget* target) {
    for (const search::RecordedRun& run : record_.runs) show(run, " (before)");
    if (perform_all(target)) return finish();
    fmt::print(stderr, "interrupted; the same command goes on from here\n");
    return exit_interrupted;
  }

 private:
  // False if it was interrupted. A signal between two runs waits for the next one, and ends it.
  bool perform_all(const DatabaseTarget* target) {
    const BlockedInterrupts blocked;
    for (;;) {
      const Step step = search::next_step(record_.bounds, record_.probes());
      if (step.kind == Step::Kind::done) return true;
      if (!perform(step, target)) return false;
    }
  }

  std::filesystem::path in_folder(const std::string& name) const {
    return std::filesystem::path(arguments_.folder) / name;
  }

  // The sessions of the run before may still be ending on the server.
  void await_room(const RunRequest& request, const DatabaseTarget& target) const {
    if (!finds_terminals(arguments_)) return;
    const std::int64_t wanted = parse_count("--connections", request.connections, 1, load_most);
    for (int i = 0; i < 20; ++i) {
      Room room;
      if (run_command(ask_room(target, room)) != exit_success || room.connections >= wanted) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
  }

  // False if it was interrupted: then it does not count.
  bool perform(const Step& step, const DatabaseTarget* target) {
    const bool confirmation = step.kind == Step::Kind::confirm;
    const RunRequest request = request_of(arguments_, step);
    RunPlan plan = make_run_plan(request, kind_of(arguments_.database));
    std::optional<MeasuredRun> run;
    if (target == nullptr) {
      run = measure_simulated(request, std::move(plan));
    } else {
      await_room(request, *target);
      run = measure_on_database(request, std::move(plan), *target);
    }
    if (!run || run->stop_requested) return false;
    const Probe probe{
        .load = step.load, .confirmation = confirmation, .held = false, .by_client = false};
    const std::string file = fmt::format("run-{:02}-{}-{}.json", record_.runs.size() + 1,
                                         confirmation ? "confirm" : "probe", step.load);
    report::write_result_file(in_folder(file), run->result);
    record_.runs.push_back(
        search::recorded(probe, file, run->result, search::broken_rules(run->result, rules_)));
    write_record();
    show(record_.runs.back(), "");
    const Step next = search::next_step(record_.bounds, record_.probes());
    if (record_.runs.back().probe.by_client && next == step) {
      std::fputs("         the client's own machine broke it: it is made again\n", stdout);
    }
    return true;
  }

  void write_record() const {
    report::write_atomically({in_folder(search_record_name), "record of the search"},
                             report::document_text(search::to_json(record_)));
  }

  // What cannot be shown is in the record: no reason to end a search of hours. At the answer it is.
  void show(const search::RecordedRun& run, std::string_view note) const {
    const char* verdict = run.probe.held ? "holds" : run.probe.by_client ? "no say" : "breaks";
    std::string text = fmt::format(
        "{:<8} {:>18}  {:<6} {:>9.1f} tpmC{}  {:>7.1f} tx/s  NewOrder p90 {}{}\n",
        run.probe.confirmation ? "confirm" : "probe", search::counted(run.probe.load, record_.unit),
        verdict, run.tpmc, run.efficiency > 0 ? fmt::format("  {:>5.1f}%", run.efficiency) : "",
        run.throughput,
        run.new_order_p90_ms ? fmt::format("{:.1f} ms", *run.new_order_p90_ms) : "-", note);
    for (const std::string& rule : run.broken) text += fmt::format("         {}\n", rule);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  int finish() const {
    write_record();
    const auto page = in_folder(search_page_name);
    const auto say = [](const std::string& text) { print(text, "the answer"); };
    write_each({[&] { say(fmt::format("\nanswer: {}\n", search::answer_text(record_))); },
                [&] { write_search_report(page, record_, arguments_.folder); },
                [&] { say(fmt::format("report: {}\n", page.native())); }});
    return search::found_by(record_.probes()).found_out() ? exit_success : exit_failure;
  }

  const SearchArguments& arguments_;
  search::Rules rules_;
  Record record_;
};

// The folder of a search, made if it is not there, for one search at a time.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error) fd_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0) {
      throw UsageError(fmt::format("--out {}: cannot make or open this folder: {}", folder,
                                   error ? error.message() : std::strerror(errno)));
    }
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
    close(fd_);
    throw UsageError(fmt::format("--out {}: another search is going on in this folder", folder));
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { close(fd_); }

 private:
  int fd_ = -1;
};

// The record of an earlier search with the same question, or a new one.
Record record_of(const SearchArguments& arguments, const search::Bounds& bounds,
                 const DatabaseTarget* database) {
  Record record{.unit = arguments.find,
                .bounds = bounds,
                .settings = settings_of(arguments, database),
                .runs = {}};
  const auto path = std::filesystem::path(arguments.folder) / search_record_name;
  std::error_code error;
  std::filesystem::create_directories(arguments.folder, error);
  if (error) {
    throw UsageError(
        fmt::format("--out {}: cannot make this folder: {}", arguments.folder, error.message()));
  }
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

int perform(const SearchArguments& arguments) {
  validate(arguments);
  search::Rules rules = rules_of(arguments);
  // What is wrong with the options shall be said before anything runs.
  make_run_plan(request_of(arguments, {Step::Kind::probe, 1}), kind_of(arguments.database));
  make_run_plan(request_of(arguments, {Step::Kind::confirm, 1}), kind_of(arguments.database));
  std::optional<DatabaseTarget> target;
  std::optional<Room> room;
  if (!arguments.run.simulate_ms) {
    target.emplace(arguments.database);
    room.emplace();
    if (run_command(ask_room(*target, *room)) != exit_success) return exit_interrupted;
  }
  const search::Bounds bounds = bounds_of(arguments, room);
  const DatabaseTarget* database = target ? &*target : nullptr;
  const FolderLock lock(arguments.folder);
  Record record = record_of(arguments, bounds, database);
  fmt::print(stderr, "searching the largest number of {} from {} to {}, starting at {}\n",
             record.unit, record.bounds.low, record.bounds.high, record.bounds.start);
  return Search(arguments, std::move(rules), std::move(record)).go_on(database);
}

void add_search_options(CLI::App& command, SearchArguments& arguments) {
  constexpr const char* group = "Search";
  const auto add = [&](const char* name, std::string& value, const char* text, const char* type) {
    command.add_option(name, value, text)->type_name(type)->capture_default_str()->group(group);
  };
  command
      .add_option(
          "--out", arguments.folder,
          "Folder of the search: search.json, the result of each run, report.html. The same "
          "command goes on with what is there")
      ->required()
      ->type_name("DIR")
      ->group(group);
  add("--find", arguments.find,
      "warehouses: with their keying and think times; terminals: transactions in flight without "
      "delays, a connection each",
      "warehouses|terminals");
  add("--low", arguments.low, "The smallest load to try", "N");
  add("--high", arguments.high,
      "The largest; auto: all warehouses that are loaded, or free connections", "N|auto");
  add("--start", arguments.start, "The first; auto: an eighth of the largest", "N|auto");
  add("--tolerance", arguments.tolerance, "How near to the limit, in percent of it", "P%");
  add("--probe", arguments.probe, "How long to measure each load", "TIME");
  add("--confirm", arguments.confirm, "How long to measure the load found", "TIME");
  add("--warmup", arguments.run.warmup,
      "How long each run goes before it is measured; see tpcc run", "TIME|auto");
  command
      .add_option("--min-efficiency", arguments.efficiency_least,
                  "Percent of what terminals with delays could do; 0 asks for none")
      ->type_name("P")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--fail-if", arguments.fail_if,
                  "A value that must not be, such as 'new_order.p90 > 20' (ms); may be repeated")
      ->type_name("LIMIT")
      ->group(group);
}

void add_search_load_options(CLI::App& command, SearchArguments& arguments) {
  command
      .add_option("--connections", arguments.run.connections,
                  "Connections to the database, of a search for warehouses")
      ->type_name("N|auto")
      ->capture_default_str()
      ->group("Load");
  command
      .add_option("-w,--warehouses", arguments.run.warehouses,
                  "Of a search for terminals: over how many warehouses; auto: all that are loaded")
      ->type_name("W|auto")
      ->capture_default_str()
      ->group("Load");
  add_load_options(command, arguments.run);
  add_ui_option(command, arguments.run.ui);
}

}  // namespace

void add_tpcc_search(CLI::App& tpcc, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<SearchArguments>();
  CLI::App* command = tpcc.add_subcommand(
      "search",
      "Find the largest number of warehouses, or of transactions in flight, at which the rules\n"
      "still hold: the 90th percentiles, the efficiency, the audit, and limits of yours. Short "
      "runs\n"
      "narrow it down, a long one confirms it. Exit code 1: nothing holds, or not over the long\n"
      "run, or the client's own machine was too slow to find it out.");
  add_database_options(*command, arguments->database);
  add_search_options(*command, *arguments);
  add_search_load_options(*command, *arguments);
  command->footer(
      "Examples:\n"
      "  drover tpcc search --out search\n"
      "  drover tpcc search --out search --pace 10 --probe 1m --confirm 10m\n"
      "  drover tpcc search --out flight --find terminals --fail-if 'new_order.p90 > 20'\n"
      "Ctrl-C leaves out the run that it cuts short; the same command goes on.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
