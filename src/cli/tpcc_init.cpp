// `drover tpcc init`: the nine tables, empty and without keys.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/database_option.h"
#include "cli/run_command.h"
#include "cli/usage_error.h"
#include "tpcc/postgres/initialise.h"

namespace drover::cli {
namespace {

using tpcc::postgres::ForeignKeys;

struct InitArguments {
  DatabaseOption database;
  std::string foreign_keys = "none";
  bool force = false;
};

coro::Task<void> init(std::string conninfo, tpcc::postgres::InitialiseOptions options,
                      std::string where) {
  const auto connection = co_await database::postgres::Connection::open(std::move(conninfo));
  const ForeignKeys foreign_keys = options.foreign_keys;
  const std::vector<std::string> dropped =
      co_await tpcc::postgres::initialise(*connection, std::move(options));
  if (!dropped.empty()) fmt::print("dropped {}\n", fmt::join(dropped, ", "));
  fmt::print(
      "made the nine tables of TPC-C in {}; {} come with the import\n", where,
      foreign_keys == ForeignKeys::none ? "keys and indexes" : "keys, indexes and foreign keys");
}

int perform(const InitArguments& arguments) {
  tpcc::postgres::InitialiseOptions options;
  options.schema = arguments.database.schema;
  options.force = arguments.force;
  const auto foreign_keys = tpcc::postgres::foreign_keys_of(arguments.foreign_keys);
  if (!foreign_keys) {
    throw UsageError(
        fmt::format("--foreign-keys {}: expected none or after-load", arguments.foreign_keys));
  }
  options.foreign_keys = *foreign_keys;
  const DatabaseTarget target(arguments.database);
  return run_command(init(target.conninfo(), std::move(options), target.description()));
}

}  // namespace

void add_tpcc_init(CLI::App& tpcc, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<InitArguments>();
  CLI::App* command = tpcc.add_subcommand(
      "init", "Make the nine tables of TPC-C, empty; refuses where some of them exist");
  command->footer(
      "Examples:\n"
      "  drover tpcc init\n"
      "  drover tpcc init --db postgresql://user@host/name --schema tpcc --foreign-keys "
      "after-load");
  add_database_options(*command, arguments->database);
  command
      ->add_option(
          "--foreign-keys", arguments->foreign_keys,
          "Whether the import adds the ten foreign keys of clause 1.3 after the rows: none "
          "or after-load")
      ->capture_default_str()
      ->type_name("WHEN");
  command->add_flag("--force", arguments->force, "Drop the tables that exist, with their rows");
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
