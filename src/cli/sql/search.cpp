// `drover sql search`: the highest rate, or the largest number of clients, at which the rules still hold.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/client_search.h"
#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/sql/options.h"
#include "random/fnv.h"
#include "text/password.h"

namespace drover::cli {
namespace {

struct SqlSearchArguments {
  DatabaseOption database;
  ClientSearchRequest search;
  ClientRequest load;
  ScriptArguments scripts;
};

// Tells texts apart that were changed by people; it is no protection against those who try.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0;
  for (const char c : text) hash = random::fnv1a_64(static_cast<unsigned char>(c), hash);
  return fmt::format("{:016x}", hash);
}

// A record contains no definition that may hold a password, except its name.
std::vector<std::string> shown_definitions(const ScriptArguments& scripts) {
  std::vector<std::string> shown = scripts.definitions;
  for (std::string& definition : shown) {
    if (!text::may_hold_password(definition)) continue;
    definition = definition.substr(0, definition.find('=')) + "=(hidden)";
  }
  return shown;
}

// A file may have other contents when the search goes on.
std::map<std::string, std::string> settings_of_scripts(const Command& command,
                                                       const ScriptArguments& scripts,
                                                       const std::vector<sql::ScriptText>& texts) {
  std::map<std::string, std::string> settings =
      written_settings(command, {"--protocol", "--scale", "--tx-mode"});
  settings["--file"] = joined_values(scripts.files);
  settings["--builtin"] = joined_values(scripts.builtins);
  settings["--define"] = joined_values(shown_definitions(scripts));
  std::string all;
  for (const sql::ScriptText& text : texts) all += fingerprint(text.text);
  settings["the fingerprint of the scripts"] = fingerprint(all);
  return settings;
}

int perform(const Command& command, const SqlSearchArguments& arguments) {
  const DatabaseKind kind = kind_of(arguments.database);
  const std::vector<sql::ScriptText> texts = read_scripts(arguments.scripts, kind);
  const benchmark::SqlOptions options =
      sql_options_of(arguments.scripts, texts, arguments.load, kind);
  return perform_client_search(
      command, arguments.database, arguments.search, arguments.load,
      {.benchmark = "sql",
       .transactions = options.plan.scripts->titles(),
       .settings = settings_of_scripts(command, arguments.scripts, texts),
       .plan =
           [&](const ClientRequest& request) {
             (void)make_sql_run(request, options, arguments.database);
           },
       .measure =
           [&](const ClientRequest& request, const DatabaseTarget& target) {
             return measure_sql(make_sql_run(request, options, arguments.database), target);
           }});
}

}  // namespace

void add_sql_search(Command& sql) {
  const auto arguments = std::make_shared<SqlSearchArguments>();
  Command& command = sql.add_command(
      "search",
      "Find the highest rate or number of clients at which the rules hold: no failures, rate "
      "reached, valid audit and your limits. Short runs search for this limit, and a long run "
      "confirms it. Exit code 1: the rules hold at no load or not in the long run, or this machine "
      "was too slow to measure the limit.",
      "Examples:\n"
      "  drover sql search --out search -f pay.sql@9 -f report.sql@1 --clients 64\n"
      "  drover sql search --out search -f pay.sql --fail-if 'pay.sql.p99 > 5'\n"
      "  drover sql search --out flight --find clients -b tpcb-like --fail-if 'all.p99 > 20'\n"
      "\n"
      "Ctrl-C discards the current run. The same command resumes the search.");
  add_database_options(command, arguments->database);
  add_script_options(command, arguments->scripts);
  add_client_search_options(command, arguments->search, arguments->load, "transactions");
  add_mode_option(command, arguments->load);
  arguments->load.attempts_option = "--max-tries";
  add_failure_options(command, arguments->load);
  add_ui_option(command, arguments->load.ui);
  add_server_stats_option(command, arguments->load);
  command.action = [arguments, &command] { return perform(command, *arguments); };
}

}  // namespace drover::cli
