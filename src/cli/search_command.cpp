#include "cli/search_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/standard_output.h"
#include "file/atomic_file.h"
#include "file/file_descriptor.h"
#include "report/document/result_json.h"
#include "run/process.h"
#include "run/run_plan.h"
#include "search/search.h"

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

// Returns the exit code.
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
  bool ended = false;
  {
    // A signal between two runs waits for the next one, and ends it.
    const run::BlockedInterrupts blocked;
    ended = search::run_search(
        record, rules,
        {.run = result_of, .keep_result = keep_result, .keep_record = keep_record, .show = show});
  }
  if (ended) {
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
       {"--tolerance",
        {&options.tolerance, percent_syntax(0, 50)},
        "P%",
        "End the search when the limit is known to within P%, 0 to 50"},
       {"--probe",
        &options.probe,
        "TIME",
        "Time to measure each load",
        {.range = lengths, .common = true}},
       {"--confirm",
        &options.confirm,
        "TIME",
        "Duration of the last run, which confirms the limit that was found",
        {.range = lengths, .common = true}},
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
        fmt::format("--high {}: expected at most {}, {}", bounds.high, range.most, range.there));
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

void await_connections(std::int64_t wanted,
                       const std::function<std::optional<std::int64_t>()>& free) {
  for (int i = 0; i < 20; ++i) {
    const std::optional<std::int64_t> there = free();
    if (!there || *there >= wanted) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

std::map<std::string, std::string> settings_of_options(const Command& command) {
  std::map<std::string, std::string> settings;
  for (const Option& option : command.options) {
    if (is_of_question(option)) settings[option.name()] = setting_text(option);
  }
  return settings;
}

coro::Duration duration_of(const SearchOptions& options, const Step& step) {
  return step.kind == Step::Kind::confirm ? options.confirm : options.probe;
}

int perform_search(const Command& command, const SearchOptions& options, const search::Rules& rules,
                   const Record& question, const MeasureStep& measure) {
  const file::FileDescriptor lock = locked_folder(options.folder);
  Record record = record_of(command, options, question);
  fmt::print(stderr, "searching for the largest {} from {} to {}, starting at {}\n",
             search::sought_text(record.unit), record.bounds.low, record.bounds.high,
             record.bounds.start);
  return go_on(options, rules, record, measure);
}

}  // namespace drover::cli
