// What the searches of all benchmarks have in common: their options, bounds and limits, the folder with its record, the
// runs one after the other, Ctrl-C and the answer. A benchmark says which loads there are, how a step becomes a run, and
// what has to be the same when its search goes on.
//
// Called on the main thread. Throws UsageError for a wrong command line, and what runs and files throw.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/option/command.h"
#include "cli/run_options.h"
#include "database/server_facts.h"
#include "report/compare/compare_limit.h"
#include "run/measured_run.h"
#include "search/record.h"
#include "search/rules.h"
#include "search/steps.h"

namespace drover::cli {

// The options as they were written.
struct SearchRequest {
  std::string find;
  std::string low = "1";
  std::string high = "auto";
  std::string start = "auto";
  std::string tolerance = "5%";
  std::string probe = "30s";
  std::string confirm = "3m";
  std::vector<std::string> fail_if = {};
  std::string folder = {};
};

// What the help says of them, where benchmarks differ.
struct SearchWords {
  std::string units;  // "warehouses|terminals"
  std::string find;
  std::string high;
  std::string start;
};

// --out to --warmup; what else makes a rule comes before --fail-if.
void add_search_options(Command& command, SearchRequest& request, std::string& warmup,
                        const SearchWords& words);
void add_limit_option(Command& command, SearchRequest& request, const std::string& example);

// What can be said before anything is asked. `units` are those of --find.
void validate_search(const SearchRequest& request, const std::vector<std::string>& units);

// Those of --fail-if. `example` is for messages.
std::vector<report::Limit> search_limits(const SearchRequest& request,
                                         const report::MetricVocabulary& vocabulary,
                                         const std::string& example);

// The loads that can be tried.
struct LoadRange {
  std::int64_t most = 1;                   // what there is
  std::string there{};                     // what that counts: "warehouses loaded"
  std::int64_t asked_most = 1'000'000;     // more make no sense to ask for
  std::optional<std::int64_t> first = {};  // --start auto; none: an eighth of --high
};
search::Bounds search_bounds(const SearchRequest& request, const LoadRange& range);

// Connections for a search to use. Some are left for ours, for whoever has to look at the server, and for those of the
// run before that the server has not ended yet.
std::int64_t connections_for_search(const database::ServerFacts& server);

// The sessions of the run before may still be ending on the server: returns when so many are free, or after 10 s.
// `free` returns nothing if it was interrupted.
void await_connections(std::int64_t wanted,
                       const std::function<std::optional<std::int64_t>()>& free);

// Options by their names, with their values as they were written, or their defaults: for Record::settings.
std::map<std::string, std::string> written_settings(const Command& command,
                                                    const std::vector<std::string>& names);
// Those of sessions, where they were given: a record from before there were any has none.
void add_session_settings(const RunRequest& request, std::map<std::string, std::string>& settings);
// Several values of an option: "a and b".
std::string joined_values(const std::vector<std::string>& values);

// How long the run of a step measures.
const std::string& duration_of(const SearchRequest& request, const search::Step& step);

// Nothing if the run was interrupted before it began.
using MeasureStep = std::function<std::optional<run::MeasuredRun>(const search::Step&)>;

// Goes on with the record of an earlier search with the same question, or begins. Returns the exit code.
int perform_search(const SearchRequest& request, const search::Rules& rules,
                   const search::Record& question, const MeasureStep& measure);

}  // namespace drover::cli
