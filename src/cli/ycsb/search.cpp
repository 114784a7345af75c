// `drover ycsb search`: the highest rate, or the largest number of clients, at which the rules still hold.
#include <map>
#include <memory>
#include <string>

#include "cli/client_search.h"
#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/ycsb/options.h"

namespace drover::cli {
namespace {

struct YcsbSearchArguments {
  DatabaseOption database;
  ClientSearchRequest search;
  ClientRequest load;
  PropertyArguments properties;
  bool verify = false;
};

// A property may come from a file, which may be another one when the search goes on: so its value counts.
std::map<std::string, std::string> settings_of_workload(const Command& command,
                                                        const YcsbWorkload& workload) {
  std::map<std::string, std::string> settings = written_settings(command, {"--isolation"});
  settings["--verify"] = workload.verify ? "yes" : "";
  for (const ycsb::ShownProperty& one : ycsb::shown_properties(workload.properties)) {
    if (workload.properties.is_given(one.name)) settings[one.name] = one.value;
  }
  return settings;
}

int perform(const Command& command, const YcsbSearchArguments& arguments) {
  const YcsbWorkload workload{read_row_properties(arguments.properties), arguments.verify};
  ClientRequest load = arguments.load;
  if (!command.find_option("--clients")->is_given() &&
      workload.properties.is_given("threadcount")) {
    load.clients = std::to_string(workload.properties.thread_count);
  }
  ClientSearch benchmark{.benchmark = "ycsb",
                         .transactions = {},
                         .settings = settings_of_workload(command, workload),
                         .plan =
                             [&](const ClientRequest& request) {
                               (void)make_ycsb_run(request, workload, arguments.database);
                             },
                         .measure =
                             [&](const ClientRequest& request, const DatabaseTarget& target) {
                               return measure_ycsb(
                                   make_ycsb_run(request, workload, arguments.database), target);
                             }};
  for (const load::TransactionType& type : ycsb::presentation_of(workload.properties).types) {
    benchmark.transactions.push_back(type.name);
  }
  return perform_client_search(command, arguments.database, arguments.search, load,
                               std::move(benchmark));
}

}  // namespace

void add_ycsb_search(Command& ycsb) {
  const auto arguments = std::make_shared<YcsbSearchArguments>();
  Command& command = ycsb.add_command(
      "search",
      "Find the highest rate or number of clients at which the rules hold: no failures, rate "
      "reached, valid audit and your limits. Short runs search for this limit, and a long run "
      "confirms it. Exit code 1: the rules hold at no load or not in the long run, or this machine "
      "was too slow to measure the limit.",
      "Examples:\n"
      "  drover ycsb search --out search --workload b --clients 64\n"
      "  drover ycsb search --out search --workload a --fail-if 'read.p99 > 5' --probe 1m\n"
      "  drover ycsb search --out flight --find clients --workload c --fail-if 'all.p99 > 20'\n"
      "\n"
      "Ctrl-C discards the current run. The same command resumes the search.");
  add_database_options(command, arguments->database);
  add_property_options(command, arguments->properties, {"workload", "recordcount"});
  add_verify_option(command, arguments->verify);
  add_client_search_options(command, arguments->search, arguments->load, "operations");
  add_isolation_option(command, arguments->load);
  add_failure_options(command, arguments->load);
  add_ui_option(command, arguments->load.ui);
  add_server_stats_option(command, arguments->load);
  command.action = [arguments, &command] { return perform(command, *arguments); };
}

}  // namespace drover::cli
