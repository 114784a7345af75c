#include "cli/search_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/option/quantity.h"
#include "cli/standard_output.h"
#include "file/atomic_file.h"
#include "file/file_descriptor.h"
#include "report/document/result_json.h"
#include "run/interrupt.h"
#include "run/run_plan.h"
#include "search/loop.h"
#include "search/page.h"

namespace drover::cli {
namespace {

using search::Record;
using search::Step;

constexpr const char* record_name = "search.json";

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
        fmt::format("--tolerance {}: expected a percentage from 0 to 50, such as 5%", written));
  }
  return percent / 100;
}

std::filesystem::path in_folder(const SearchRequest& request, const std::string& name) {
  return std::filesystem::path(request.folder) / name;
}

// What cannot be shown is in the record: no reason to end a search of hours. At the answer it is.
void show(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int finish(const SearchRequest& request, const Record& record) {
  const auto page = in_folder(request, "report.html");
  const auto say = [](const std::string& text) { print(text, "the answer"); };
  write_each({[&] { say(fmt::format("\nanswer: {}\n", search::answer_text(record))); },
              [&] { search::write_search_page(page, record, request.folder); },
              [&] { say(fmt::format("report: {}\n", page.native())); }});
  return search::found_by(record.probes()).found_out() ? exit_success : exit_failure;
}

// Returns the exit code.
int go_on(const SearchRequest& request, const search::Rules& rules, Record& record,
          const MeasureStep& measure) {
  const auto keep_record = [&](const Record& now) {
    file::write_atomically({in_folder(request, record_name), "record of the search"},
                           report::document_text(search::to_json(now)));
  };
  const auto keep_result = [&](const std::string& file, const report::Result& result) {
    report::write_result_file(in_folder(request, file), result);
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
    ended = search::go_on(
        record, rules,
        {.run = result_of, .keep_result = keep_result, .keep_record = keep_record, .show = show});
  }
  if (ended) {
    keep_record(record);
    return finish(request, record);
  }
  fmt::print(stderr, "interrupted. Repeat the same command to continue from here\n");
  return exit_interrupted;
}

// Makes the folder of a search if it is not there. It is locked, for one search at a time, as long as it is open.
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

// The record of an earlier search with the same question, or a new one.
Record record_of(const SearchRequest& request, const Record& question) {
  const auto path = in_folder(request, record_name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return question;
  Record earlier = search::read_record_file(path);
  const std::vector<std::string> different = search::differences(earlier, question);
  if (!different.empty()) {
    throw UsageError(
        fmt::format("--out {}: this folder has a search with other options: {}. Give the same "
                    "options to continue that search, or name another folder",
                    request.folder, fmt::join(different, "; ")));
  }
  return earlier;
}

}  // namespace

void add_search_options(Command& command, SearchRequest& request, std::string& warmup,
                        const SearchWords& words) {
  command.add_options(
      "Search",
      {{"--out", &request.folder, "DIR",
        "Folder for search.json, each result and report.html. The same command resumes an "
        "interrupted search",
        required_option},
       {"--find", &request.find, words.units, words.find, common_option},
       {"--low", &request.low, "N", "Smallest load to try"},
       {"--high", &request.high, "N|auto", words.high},
       {"--start", &request.start, "N|auto", words.start},
       {"--tolerance", &request.tolerance, "P%",
        "End the search when the limit is known to within P%, 0 to 50"},
       {"--probe", &request.probe, "TIME", "Time to measure each load", common_option},
       {"--confirm", &request.confirm, "TIME",
        "Duration of the last run, which confirms the limit that was found", common_option},
       {"--warmup", &warmup, "TIME|auto",
        fmt::format("Time to run each load before measuring; auto: see drover help {} run",
                    command.path[command.path.size() - 2])}});
}

void add_limit_option(Command& command, SearchRequest& request, const std::string& example) {
  command.add_options(
      "Search",
      {{"--fail-if", &request.fail_if, "LIMIT",
        fmt::format("Reject a load if its result meets this condition, such as '{}' (ms)", example),
        common_option}});
}

void validate_search(const SearchRequest& request, const std::vector<std::string>& units) {
  if (std::ranges::find(units, request.find) == units.end()) {
    throw UsageError(fmt::format("--find {}: expected {}", request.find, alternatives(units)));
  }
  for (const auto& [name, written] :
       {std::pair("--probe", request.probe), std::pair("--confirm", request.confirm)}) {
    if (parse_duration(name, written) < std::chrono::seconds(1)) {
      throw UsageError(fmt::format("{}: expected at least 1s", name));
    }
  }
}

std::vector<report::Limit> search_limits(const SearchRequest& request,
                                         const report::MetricVocabulary& vocabulary,
                                         const std::string& example) {
  std::vector<report::Limit> limits;
  for (const std::string& text : request.fail_if) {
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

search::Bounds search_bounds(const SearchRequest& request, const LoadRange& range) {
  search::Bounds bounds;
  bounds.tolerance = parse_tolerance(request.tolerance);
  bounds.high =
      parse_count_or_auto("--high", request.high, 1, range.asked_most).value_or(range.most);
  if (bounds.high > range.most) {
    throw UsageError(fmt::format("--high {}: the database has only {} ({})", bounds.high,
                                 range.most, range.there));
  }
  bounds.low = parse_count("--low", request.low, 1, bounds.high);
  bounds.start =
      parse_count_or_auto("--start", request.start, bounds.low, bounds.high)
          .value_or(std::clamp(range.first.value_or(bounds.high / 8), bounds.low, bounds.high));
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

std::map<std::string, std::string> written_settings(const Command& command,
                                                    const std::vector<std::string>& names) {
  std::map<std::string, std::string> settings;
  for (const std::string& name : names) {
    const Option& option = *command.find_option(name);
    const std::string written = option.target_text();
    settings[name] = written.empty() ? option.default_text : written;
  }
  return settings;
}

void add_session_settings(const RunRequest& request, std::map<std::string, std::string>& settings) {
  if (!request.connection_max_age.empty()) {
    settings["--connection-max-age"] = request.connection_max_age;
  }
  if (request.balance) settings["--balance"] = "yes";
  if (request.affinity) settings["--affinity"] = "yes";
}

std::string joined_values(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, " and "));
}

const std::string& duration_of(const SearchRequest& request, const Step& step) {
  return step.kind == Step::Kind::confirm ? request.confirm : request.probe;
}

int perform_search(const SearchRequest& request, const search::Rules& rules, const Record& question,
                   const MeasureStep& measure) {
  const file::FileDescriptor lock = locked_folder(request.folder);
  Record record = record_of(request, question);
  fmt::print(stderr, "searching for the largest {} from {} to {}, starting at {}\n",
             search::sought_text(record.unit), record.bounds.low, record.bounds.high,
             record.bounds.start);
  return go_on(request, rules, record, measure);
}

}  // namespace drover::cli
