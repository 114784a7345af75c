// `drover ycsb search`: finds the highest rate or number of clients at which the rules hold.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/search.h"
#include "cli/ycsb/run.h"

namespace drover::cli {
namespace {

struct SearchArguments : YcsbRunOptions {
  SearchOptions search;
};

int perform(const Command& command, SearchArguments arguments) {
  const ycsb::Properties properties = read_row_properties(arguments.properties);
  if (!command.find_option("--clients")->is_given() && properties.is_given("threadcount")) {
    arguments.clients = properties.thread_count;
  }
  std::vector<std::string> transactions;
  for (const load::TransactionType& type : ycsb::workload_info(properties).types) {
    transactions.push_back(type.name);
  }
  // Files may have other contents when the search is resumed, so the values of properties count.
  std::map<std::string, std::string> settings;
  settings["--verify"] = arguments.verify ? "yes" : "";
  for (const ycsb::ShownProperty& one : ycsb::shown_properties(properties)) {
    if (properties.is_given(one.name)) settings[one.name] = one.value;
  }
  const auto run_of_step = [&](const ClientOptions& step) {
    YcsbRunOptions options = arguments;
    static_cast<ClientOptions&>(options) = step;
    return make_ycsb_run(options, properties);
  };
  return perform_client_search(command, arguments.search, arguments,
                               {.benchmark = "ycsb",
                                .transactions = std::move(transactions),
                                .settings = std::move(settings),
                                .plan = [&](const ClientOptions& step) { (void)run_of_step(step); },
                                .measure =
                                    [&](const ClientOptions& step, const DatabaseTarget& target) {
                                      return measure_ycsb(run_of_step(step), target);
                                    }});
}

}  // namespace

void add_ycsb_search(Command& ycsb) {
  const auto arguments = std::make_shared<SearchArguments>();
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
  add_verify_option(command, *arguments);
  add_client_search_options(command, arguments->search, *arguments, "operations");
  add_isolation_options(command, arguments->isolation);
  add_failure_options(command, *arguments);
  command.add_options(output_group,
                      {ui_option(arguments->run.ui), server_stats_option(*arguments)});
  command.action = [arguments, &command] { return perform(command, *arguments); };
}

}  // namespace drover::cli
