// The common part of `ycsb search` and `sql search`: the search for the highest rate of an open
// loop, or for the largest number of clients in a closed loop with one connection each.
//
// Called on the main thread. Throws UsageError for a wrong command line, and the errors of runs and
// files.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_options.h"
#include "cli/search_command.h"

namespace drover::cli {

struct ClientSearchOptions : SearchOptions {
  ClientSearchOptions() { find = "rate"; }

  bool finds_clients() const { return find == "clients"; }
};

// `transactions` is the workload's name of what clients execute.
void add_client_search_options(Command& command, ClientSearchOptions& search, ClientOptions& load,
                               const std::string& transactions);

// Checks the options that need no database. `command` tells which options were given.
void validate_client_search(const Command& command, const ClientSearchOptions& search,
                            const ClientOptions& load);

// Returns rules that allow no failures. `transactions`: the names that limits may contain.
search::Rules client_search_rules(const SearchOptions& search,
                                  std::vector<std::string> transactions);

// `free_connections` limits a search for clients.
search::Bounds client_search_bounds(const ClientSearchOptions& search,
                                    std::int64_t free_connections);

// Returns the options of the run that a step executes.
ClientOptions options_of_step(const ClientSearchOptions& search, const ClientOptions& load,
                              const search::Step& step);

// A workload's part of a search.
struct ClientSearch {
  std::string benchmark;
  std::vector<std::string> transactions;           // their names in results
  std::map<std::string, std::string> settings;     // must be equal when the search is resumed
  std::function<void(const ClientOptions&)> plan;  // checks the options of a step
  // Executes a step. Returns nothing if it was interrupted before it began.
  std::function<std::optional<run::MeasuredRun>(const ClientOptions&, const DatabaseTarget&)>
      measure;
};

// Returns the exit code.
int perform_client_search(const Command& command, const ClientSearchOptions& search,
                          const ClientOptions& load, ClientSearch benchmark);

}  // namespace drover::cli
