// The common part of the searches of all workloads: options, bounds, limits, the folder with the
// record, the sequence of runs, Ctrl-C and the answer. A workload defines which loads exist, how a
// step becomes a run, and which settings must be equal when a search is resumed.
//
// Called on the main thread. Throws UsageError for a wrong command line, and the errors of runs and
// files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/option/command.h"
#include "cli/run_options.h"
#include "database/server.h"
#include "report/compare/metric.h"
#include "run/measured_run.h"
#include "search/search.h"

namespace drover::cli {

struct SearchOptions {
  std::string find;
  std::int64_t low = 1;
  std::optional<std::int64_t> high = {};   // none: auto
  std::optional<std::int64_t> start = {};  // none: auto
  double tolerance = 0.05;
  coro::Duration probe = std::chrono::seconds(30);
  coro::Duration confirm = std::chrono::minutes(3);
  std::vector<std::string> fail_if = {};
  std::string folder = {};
};

// The texts of the help that differ between workloads.
struct SearchWords {
  std::vector<std::string> units;  // the values of --find
  std::string find;
  std::string high;
  std::string start;
};

// Adds --out to --warmup. Options that are part of a rule follow before --fail-if.
void add_search_options(Command& command, SearchOptions& search,
                        std::optional<coro::Duration>& warmup, const SearchWords& words);
void add_limit_option(Command& command, SearchOptions& search, const std::string& example);

// Returns the limits of --fail-if. `example` is for messages.
std::vector<report::Limit> search_limits(const SearchOptions& search,
                                         const report::MetricVocabulary& vocabulary,
                                         const std::string& example);

// The loads that can be tried.
struct LoadRange {
  std::int64_t most = 1;                   // the largest load that the database has room for
  std::string there{};                     // what limits it: "the number of loaded warehouses"
  std::int64_t asked_most = 1'000'000;     // the largest sensible value of --high
  std::optional<std::int64_t> first = {};  // value of --start auto; none: an eighth of --high
};
search::Bounds search_bounds(const SearchOptions& search, const LoadRange& range);

// Returns the number of connections that a search may use. The rest is for Drover's own sessions,
// for administrators, and for sessions of the previous run that the server has not ended yet.
std::int64_t connections_for_search(const database::ServerFacts& server);

// Returns when `wanted` connections are free, or after 10 s: sessions of the previous run may still
// be ending. `free` returns nothing if it was interrupted.
void await_connections(std::int64_t wanted,
                       const std::function<std::optional<std::int64_t>()>& free);

// Returns the options that determine the results of a search, with their values as written or by
// default: those of the load, of failures and of the search itself.
std::map<std::string, std::string> settings_of_options(const Command& command);

// Returns the duration of the measured interval of a step.
coro::Duration duration_of(const SearchOptions& search, const search::Step& step);

// Executes the run of a step. Returns nothing if the run was interrupted before it began.
using MeasureStep = std::function<std::optional<run::MeasuredRun>(const search::Step&)>;

// Resumes an earlier search with the same question, or begins one. Returns the exit code.
int perform_search(const Command& command, const SearchOptions& search, const search::Rules& rules,
                   const search::Record& question, const MeasureStep& measure);

}  // namespace drover::cli
