// What `ycsb search` and `sql search` have in common: the highest rate at which the rules still hold, or the largest
// number of clients in a closed loop, a connection each.
//
// Called on the main thread. Throws UsageError for a wrong command line, and what runs and files throw.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/client_options.h"
#include "cli/option/command.h"
#include "cli/option/database_option.h"
#include "cli/search_command.h"
#include "run/measured_run.h"
#include "search/rules.h"
#include "search/steps.h"

namespace drover::cli {

struct ClientSearchRequest : SearchRequest {
  ClientSearchRequest() { find = "rate"; }

  bool finds_clients() const { return find == "clients"; }
};

// `transactions` is what clients do, in the words of the benchmark's users.
void add_client_search_options(Command& command, ClientSearchRequest& search, ClientRequest& load,
                               const std::string& transactions);

// What can be said before anything is asked; `command` tells which options were given.
void validate_client_search(const Command& command, const ClientSearchRequest& search,
                            const ClientRequest& load);

// Nothing may fail, and no limit be broken. `transactions` are those that limits can name.
search::Rules client_search_rules(const SearchRequest& search,
                                  std::vector<std::string> transactions);

// `free_connections` is for a search for clients.
search::Bounds client_search_bounds(const ClientSearchRequest& search,
                                    std::int64_t free_connections);

// The load of a step, as the options of a run would say it.
ClientRequest request_of_step(const ClientSearchRequest& search, const ClientRequest& load,
                              const search::Step& step);

// What a benchmark does for its search.
struct ClientSearch {
  std::string benchmark;
  std::vector<std::string> transactions;  // as its results call them
  std::map<std::string, std::string>
      settings;  // its own, which have to be the same when it goes on
  std::function<void(const ClientRequest&)> plan;  // a run, that is not made: throws what is wrong
  // Nothing if it was interrupted before it began.
  std::function<std::optional<run::MeasuredRun>(const ClientRequest&, const DatabaseTarget&)>
      measure;
};

// Returns the exit code.
int perform_client_search(const Command& command, const DatabaseOption& database,
                          const ClientSearchRequest& search, const ClientRequest& load,
                          ClientSearch benchmark);

}  // namespace drover::cli
