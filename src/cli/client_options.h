// The options of runs of clients, of YCSB's and of scripts', as they were written.
#pragma once

#include <optional>
#include <string>

#include "cli/option/command.h"
#include "cli/run_options.h"
#include "load/plan.h"

namespace drover::cli {

struct ClientRequest : RunRequest {
  ClientRequest() { duration = "auto"; }

  std::string clients = "16";
  double rate = 0;  // 0: a closed loop
  std::string arrivals = "constant";
  std::string operations;  // empty: by time alone
};

// How many connections and threads there are for whatever clients there are, and the seed.
void add_connection_options(Command& command, ClientRequest& request);

// `transactions` is what clients do, in the words of the benchmark's users.
void add_client_options(Command& command, ClientRequest& request, const std::string& transactions);

// Throws UsageError.
run::RunPlan make_client_run(const ClientRequest& written, const DatabaseOption& database,
                             load::Plan& plan);

}  // namespace drover::cli
