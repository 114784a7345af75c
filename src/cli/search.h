// The search commands of all workloads: options, bounds, limits, the folder with the record, the
// sequence of runs, Ctrl-C and the answer. A workload defines which loads exist, how a step becomes
// a run, and which settings must be equal when a search is resumed.
//
// Called on the main thread. Throws UsageError for a wrong command line, and the errors of runs and
// files.
#pragma once

#include <map>

#include "cli/run_options.h"
#include "report/compare/metric.h"
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

// The free capacity of the database.
struct SearchRoom {
  std::int64_t connections = 0;
  std::int64_t warehouses = 0;  // TPC-C
};

// Returns the number of connections that a search may use. The rest is for Drover's own sessions,
// for administrators, and for sessions of the previous run that the server has not ended yet.
std::int64_t connections_for_search(const database::ServerFacts& server);

// The loads that can be tried.
struct LoadRange {
  std::int64_t most = 1;                   // the largest load that the database has room for
  std::string limit{};                     // what limits it: "the number of loaded warehouses"
  std::int64_t asked_most = 1'000'000;     // the largest sensible value of --high
  std::optional<std::int64_t> first = {};  // value of --start auto; none: an eighth of --high
};
search::Bounds search_bounds(const SearchOptions& search, const LoadRange& range);

// Returns the duration of the measured interval of a step.
coro::Duration duration_of(const SearchOptions& search, const search::Step& step);

// A workload's part of a search.
struct SearchedWorkload {
  search::Rules rules;
  std::map<std::string, std::string> settings;  // besides options: equal when the search is resumed
  bool opens_connections = false;               // a step opens one connection per unit of its load
  std::function<void(const search::Step&)> plan;  // throws if the options of a step are wrong
  std::function<coro::Task<SearchRoom>(const DatabaseTarget&)> room;
  std::function<LoadRange(const std::optional<SearchRoom>&)> range;  // none: no database
  // Executes the run of a step. Returns nothing if the run was interrupted before it began. The
  // target is null if transactions are simulated.
  std::function<std::optional<run::MeasuredRun>(const search::Step&, const DatabaseTarget*)>
      measure;
};

// Resumes an earlier search with the same question, or begins one. `database` is null if
// transactions are simulated. Returns the exit code.
int perform_search(const Command& command, const SearchOptions& search,
                   const DatabaseOption* database, SearchedWorkload workload);

// ---- Searches of YCSB and of scripts: the highest rate of an open loop, or the largest number of
// clients in a closed loop with one connection each.

// `transactions` is the workload's name of what clients execute.
void add_client_search_options(Command& command, SearchOptions& search, ClientOptions& load,
                               const std::string& transactions);

// Checks the options that need no database. `command` tells which options were given.
void validate_client_search(const Command& command, const SearchOptions& search,
                            const ClientOptions& load);

// Returns rules that allow no failures. `transactions`: the names that limits may contain.
search::Rules client_search_rules(const SearchOptions& search,
                                  std::vector<std::string> transactions);

// `free_connections` limits a search for clients.
LoadRange client_search_range(const SearchOptions& search, std::int64_t free_connections);

// Returns the options of the run that a step executes.
ClientOptions options_of_step(const SearchOptions& search, const ClientOptions& load,
                              const search::Step& step);

// A workload's part of a search for a rate or a number of clients.
struct SearchedClients {
  std::string benchmark;
  std::vector<std::string> transactions;           // their names in results
  std::map<std::string, std::string> settings;     // must be equal when the search is resumed
  std::function<void(const ClientOptions&)> plan;  // throws if the options of a step are wrong
  // Executes a step. Returns nothing if it was interrupted before it began.
  std::function<std::optional<run::MeasuredRun>(const ClientOptions&, const DatabaseTarget&)>
      measure;
};

// Returns the exit code.
int perform_client_search(const Command& command, const SearchOptions& search,
                          const ClientOptions& load, SearchedClients clients);

}  // namespace drover::cli
