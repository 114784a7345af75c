#include "cli/search.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "cli/standard_output.h"
#include "file/atomic_file.h"
#include "file/file_descriptor.h"
#include "report/document/result_json.h"
#include "run/process.h"

namespace drover::cli {
namespace {

using search::Record;
using search::Step;

constexpr const char* record_name = "search.json";
constexpr long double loads_most = 1e9L;

std::filesystem::path in_folder(const SearchOptions& options, const std::string& name) {
  return std::filesystem::path(options.folder) / name;
}

// Ignores errors of the standard output: a search of hours goes on, and its record has everything.
void show(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int finish(const SearchOptions& options, const Record& record) {
  const auto page = in_folder(options, "report.html");
  const auto say = [](const std::string& text) { print(text, "the answer"); };
  write_each({[&] { say(fmt::format("\nanswer: {}\n", search::answer_text(record))); },
              [&] { search::write_search_page(page, record, options.folder); },
              [&] { say(fmt::format("report: {}\n", page.native())); }});
  return search::answer_of(record.probes()).is_final() ? exit_success : exit_failure;
}

using MeasureStep = std::function<std::optional<run::MeasuredRun>(const Step&)>;

// Executes the remaining runs. Returns the exit code.
int go_on(const SearchOptions& options, const search::Rules& rules, Record& record,
          const MeasureStep& measure) {
  const auto keep_record = [&](const Record& now) {
    file::write_atomically({in_folder(options, record_name), "record of the search"},
                           report::document_text(search::to_json(now)));
  };
  const auto keep_result = [&](const std::string& file, const report::Result& result) {
    report::write_result_file(in_folder(options, file), result);
  };
  const auto result_of = [&](const Step& step) -> std::optional<report::Result> {
    std::optional<run::MeasuredRun> run = measure(step);
    if (!run || run->stop_requested) return std::nullopt;
    return std::move(run->result);
  };
  // A signal between two runs waits for the next run, and ends it.
  std::optional<run::BlockedInterrupts> blocked(std::in_place);
  const bool has_ended = search::run_search(
      record, rules,
      {.run = result_of, .keep_result = keep_result, .keep_record = keep_record, .show = show});
  blocked.reset();
  if (has_ended) {
    keep_record(record);
    return finish(options, record);
  }
  fmt::print(stderr, "interrupted. To continue from here, repeat the same command\n");
  return exit_interrupted;
}

// Creates the folder of a search if necessary, and locks it while the descriptor is open.
file::FileDescriptor locked_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  file::FileDescriptor opened;
  if (!error) opened.reset(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) {
    throw UsageError(fmt::format("--out {}: cannot create or open this folder: {}", folder,
                                 error ? error.message() : std::strerror(errno)));
  }
  if (flock(opened.get(), LOCK_EX | LOCK_NB) == 0) return opened;
  throw UsageError(
      fmt::format("--out {}: another search is running in this folder. Wait for its end, or name "
                  "another folder",
                  folder));
}

// Returns true for options whose value changes the result of a search.
bool is_of_question(const Option& option) {
  constexpr std::array<std::string_view, 4> groups = {"Search", "Load", "Scripts", failures_group};
  if (option.name() == "--schema") return true;
  // --find is the unit of the record.
  if (option.name() == "--out" || option.name() == "--find") return false;
  return std::ranges::find(groups, option.group) != groups.end();
}

std::string setting_text(const Option& option) {
  if (option.is_flag()) return option.is_set() ? "yes" : "";
  return option.is_list() ? fmt::format("{}", fmt::join(option.words, " and ")) : option.written();
}

// Returns the record of an earlier search with the same question, or a new one. An earlier version
// of Drover may have had fewer options, which then had their defaults.
Record record_of(const Command& command, const SearchOptions& options, const Record& question) {
  const auto path = in_folder(options, record_name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return question;
  Record earlier = search::read_record_file(path);
  Record completed = earlier;
  for (const Option& option : command.options) {
    if (is_of_question(option)) completed.settings.emplace(option.name(), option.default_text);
  }
  const std::vector<std::string> different = search::differences(completed, question);
  if (!different.empty()) {
    throw UsageError(
        fmt::format("--out {}: this folder has a search with other options: {}. Give the same "
                    "options to continue that search, or name another folder",
                    options.folder, fmt::join(different, "; ")));
  }
  return earlier;
}

// Returns the options that determine the results of a search, with their values as written or by
// default: those of the load, of failures and of the search itself.
std::map<std::string, std::string> settings_of_options(const Command& command) {
  std::map<std::string, std::string> settings;
  for (const Option& option : command.options) {
    if (is_of_question(option)) settings[option.name()] = setting_text(option);
  }
  return settings;
}

}  // namespace

void add_search_options(Command& command, SearchOptions& options,
                        std::optional<coro::Duration>& warmup, const SearchWords& words) {
  const Range lengths = at_least(std::chrono::seconds(1));
  command.add_options(
      "Search",
      {{"--out", &options.folder, "DIR",
        "Folder for search.json, each result and report.html. The same command resumes an "
        "interrupted search",
        required_option},
       {"--find", &options.find, "", words.find, {.only = words.units, .common = true}},
       {"--low", &options.low, "N", "Smallest load to try", in_range(1, loads_most)},
       {"--high", &options.high, "N|auto", words.high, in_range(1, loads_most)},
       {"--start", &options.start, "N|auto", words.start, in_range(1, loads_most)},
       {"--tolerance", OptionTarget(&options.tolerance, percent_syntax(0, 50)), "P%",
        "End the search when the limit is known to within P%, 0 to 50"},
       {"--probe", &options.probe, "TIME", "Time to measure each load",
        in_range(lengths) + common_option},
       {"--confirm", &options.confirm, "TIME",
        "Duration of the last run, which confirms the limit that was found",
        in_range(lengths) + common_option},
       {"--warmup", &warmup, "TIME|auto",
        fmt::format("Time to run each load before measuring. auto: as in drover {} run",
                    command.path[command.path.size() - 2])}});
}

void add_limit_option(Command& command, SearchOptions& options, const std::string& example) {
  command.add_options(
      "Search",
      {{"--fail-if", &options.fail_if, "LIMIT",
        fmt::format("Reject a load if its result meets this condition, such as '{}' (ms)", example),
        common_option}});
}

std::vector<report::Limit> search_limits(const SearchOptions& options,
                                         const report::MetricVocabulary& vocabulary,
                                         const std::string& example) {
  std::vector<report::Limit> limits;
  for (const std::string& text : options.fail_if) {
    try {
      limits.push_back(report::Limit::parse(text, vocabulary));
    } catch (const std::runtime_error& error) {
      throw UsageError(fmt::format("--fail-if: {}", error.what()));
    }
    if (limits.back().kind != report::Limit::Kind::value) {
      throw UsageError(
          fmt::format("--fail-if '{}': a search has no base to compare with. Expected a value "
                      "without sign and percent, such as '{}'",
                      text, example));
    }
  }
  return limits;
}

search::Bounds search_bounds(const SearchOptions& options, const LoadRange& range) {
  search::Bounds bounds;
  bounds.tolerance = options.tolerance;
  bounds.high = options.high.value_or(range.most);
  const auto require = [](const char* option, std::int64_t load, std::int64_t low,
                          std::int64_t high) {
    if (load >= low && load <= high) return;
    throw UsageError(
        fmt::format("{} {}: expected a whole number from {} to {}", option, load, low, high));
  };
  require("--high", bounds.high, 1, range.asked_most);
  if (bounds.high > range.most) {
    throw UsageError(
        fmt::format("--high {}: expected at most {}, {}", bounds.high, range.most, range.limit));
  }
  bounds.low = options.low;
  require("--low", bounds.low, 1, bounds.high);
  bounds.start = options.start.value_or(
      std::clamp(range.first.value_or(bounds.high / 8), bounds.low, bounds.high));
  require("--start", bounds.start, bounds.low, bounds.high);
  return bounds;
}

std::int64_t connections_for_search(const database::ServerFacts& server) {
  if (server.connections_max == 0) return run::run_connections_most;
  const std::int64_t free = server.connections_max - server.connections_used;
  const std::int64_t left = std::max<std::int64_t>(5, free / 20);
  return std::max<std::int64_t>(free - left, 1);
}

coro::Duration duration_of(const SearchOptions& options, const Step& step) {
  return step.kind == Step::Kind::confirm ? options.confirm : options.probe;
}

int perform_search(const Command& command, const SearchOptions& options,
                   const DatabaseOption* database, SearchedWorkload workload) {
  // Errors of the options are reported before anything runs.
  workload.plan({Step::Kind::probe, 1});
  workload.plan({Step::Kind::confirm, 1});
  std::optional<DatabaseTarget> target;
  if (database != nullptr) target.emplace(*database);
  std::optional<SearchRoom> room;
  const auto ask = [&]() -> coro::Task<void> { room = co_await workload.room(*target); };
  if (target && run::run_command(ask()) != exit_success) return exit_interrupted;
  Record question{.unit = options.find,
                  .bounds = search_bounds(options, workload.range(room)),
                  .settings = std::move(workload.settings),
                  .runs = {}};
  question.settings.merge(settings_of_options(command));
  question.settings["the database"] = target ? target->description() : "";
  const file::FileDescriptor lock = locked_folder(options.folder);
  Record record = record_of(command, options, question);
  fmt::print(stderr, "searching for the largest {} from {} to {}, starting at {}\n",
             search::sought_text(record.unit), record.bounds.low, record.bounds.high,
             record.bounds.start);
  return go_on(options, workload.rules, record, [&](const Step& step) {
    // Sessions of the previous run may still be ending.
    for (int i = 0; i < 20 && target && workload.opens_connections; ++i) {
      if (run::run_command(ask()) != exit_success || room->connections >= step.load) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    return workload.measure(step, target ? &*target : nullptr);
  });
}

namespace {

constexpr std::int64_t rate_asked_most = 10'000'000;
constexpr std::int64_t first_rate = 100;
constexpr const char* client_limit_example = "all.p99 > 20";

bool finds_clients(const SearchOptions& search) {
  return search.find == "clients";
}

}  // namespace

void add_client_search_options(Command& command, SearchOptions& search, ClientOptions& load,
                               const std::string& transactions) {
  search.find = "rate";
  add_search_options(
      command, search, load.warmup,
      {.units = {"rate", "clients"},
       .find =
           fmt::format("What to maximize. rate: {} per second in an open loop; clients: clients "
                       "of a closed loop, with one connection each",
                       transactions),
       .high = "Largest load to try. auto: 10,000,000 per second; with --find clients, the number "
               "of free connections",
       .start =
           "First load to try. auto: 100 per second; with --find clients, an eighth of --high"});
  add_limit_option(command, search, client_limit_example);
  command.add_options("Load",
                      {clients_option(load, "With --find rate: number of concurrent clients"),
                       arrivals_option(load, "With --find rate")});
  add_connection_options(command, load);
}

void validate_client_search(const Command& command, const SearchOptions& search,
                            const ClientOptions& load) {
  if (!finds_clients(search)) return;
  if (search.fail_if.empty()) {
    throw UsageError(
        fmt::format("--find clients needs --fail-if, because a closed loop has no limit of its "
                    "own. Example: --fail-if '{}'",
                    client_limit_example));
  }
  if (command.find_option("--clients")->is_given()) {
    throw UsageError(
        "--clients cannot be combined with --find clients, which varies this number. Set the upper "
        "bound with --high");
  }
  if (load.run.connections) {
    throw UsageError(
        "--connections cannot be combined with --find clients, which opens one connection per "
        "client");
  }
  if (load.poisson) {
    throw UsageError(
        "--arrivals cannot be combined with --find clients, which has no schedule. Use --find rate "
        "instead");
  }
}

search::Rules client_search_rules(const SearchOptions& search,
                                  std::vector<std::string> transactions) {
  search::Rules rules;
  rules.failures_allowed = false;
  rules.limits = search_limits(search, {.has_tpmc = false, .transactions = std::move(transactions)},
                               client_limit_example);
  return rules;
}

LoadRange client_search_range(const SearchOptions& search, std::int64_t free_connections) {
  if (finds_clients(search)) {
    return {.most = free_connections,
            .limit = "the number of free connections",
            .asked_most = run::run_connections_most};
  }
  return {.most = rate_asked_most, .asked_most = rate_asked_most, .first = first_rate};
}

ClientOptions options_of_step(const SearchOptions& search, const ClientOptions& load,
                              const Step& step) {
  ClientOptions options = load;
  options.duration = duration_of(search, step);
  if (finds_clients(search)) {
    options.clients = static_cast<std::uint64_t>(step.load);
    options.run.connections = step.load;
  } else {
    options.rate = static_cast<double>(step.load);
  }
  return options;
}

int perform_client_search(const Command& command, const SearchOptions& search,
                          const ClientOptions& load, SearchedClients clients) {
  validate_client_search(command, search, load);
  clients.settings["the benchmark"] = clients.benchmark;
  const auto options_of = [&](const Step& step) { return options_of_step(search, load, step); };
  return perform_search(
      command, search, &load.database,
      {.rules = client_search_rules(search, std::move(clients.transactions)),
       .settings = std::move(clients.settings),
       .opens_connections = finds_clients(search),
       .plan = [&](const Step& step) { clients.plan(options_of(step)); },
       .room = [&](const DatabaseTarget& target) -> coro::Task<SearchRoom> {
         // Sessions of YDB share connections, which have no limit.
         if (!finds_clients(search) || target.kind() == DatabaseKind::ydb) {
           co_return SearchRoom{.connections = run::run_connections_most};
         }
         const auto prepared = co_await target.sql()->prepare(false);
         co_return SearchRoom{.connections = connections_for_search(prepared.server)};
       },
       .range = [&](const auto& room) { return client_search_range(search, room->connections); },
       .measure =
           [&](const Step& step, const DatabaseTarget* target) {
             return clients.measure(options_of(step), *target);
           }});
}

}  // namespace drover::cli
