// `drover tpcc init`: the nine tables, empty and without keys.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/count_option.h"
#include "cli/database_option.h"
#include "cli/run_command.h"
#include "cli/standard_output.h"
#include "cli/usage_error.h"

namespace drover::cli {
namespace {

using tpcc::ForeignKeys;
using tpcc::InitialiseSettings;

struct InitArguments {
  DatabaseOption database;
  std::string foreign_keys = "none";
  std::string warehouses;  // empty: as the database has it
  bool force = false;
};

std::string_view what_comes_later(const DatabaseTarget& target, ForeignKeys foreign_keys) {
  if (target.kind() == DatabaseKind::ydb) return "indexes";
  return foreign_keys == ForeignKeys::none ? "keys and indexes" : "keys, indexes and foreign keys";
}

coro::Task<void> init(const DatabaseTarget& target, InitialiseSettings settings) {
  const std::string_view later = what_comes_later(target, settings.foreign_keys);
  settings.on_note = note_to_stderr;
  const std::vector<std::string> dropped = co_await target.database().initialise(settings);
  std::string text;
  if (!dropped.empty()) text = fmt::format("dropped {}\n", fmt::join(dropped, ", "));
  text += fmt::format("made the nine tables of TPC-C in {}; {} come with the import\n",
                      target.description(), later);
  print(text, "what was made");
}

InitialiseSettings settings_of(const InitArguments& arguments) {
  InitialiseSettings settings;
  settings.force = arguments.force;
  const auto foreign_keys = tpcc::foreign_keys_of(arguments.foreign_keys);
  if (!foreign_keys) {
    throw UsageError(
        fmt::format("--foreign-keys {}: expected none or after-load", arguments.foreign_keys));
  }
  settings.foreign_keys = *foreign_keys;
  const bool on_ydb = kind_of(arguments.database) == DatabaseKind::ydb;
  if (on_ydb && settings.foreign_keys != ForeignKeys::none) {
    throw UsageError("--foreign-keys after-load: YDB has none");
  }
  if (!arguments.warehouses.empty()) {
    settings.warehouses = static_cast<std::int32_t>(
        parse_count("--warehouses", arguments.warehouses, 1, tpcc::warehouses_max));
  }
  return settings;
}

int perform(const InitArguments& arguments) {
  const InitialiseSettings settings = settings_of(arguments);
  const DatabaseTarget target(arguments.database);
  return run_command(init(target, settings));
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
      "after-load\n"
      "  drover tpcc init --db ydb://host:2136/Root/name --schema tpcc -w 100");
  add_database_options(*command, arguments->database);
  command
      ->add_option(
          "--foreign-keys", arguments->foreign_keys,
          "Whether the import adds the ten foreign keys of clause 1.3 after the rows: none "
          "or after-load")
      ->capture_default_str()
      ->type_name("WHEN");
  command
      ->add_option(
          "-w,--warehouses", arguments->warehouses,
          "How many warehouses the tables are cut in parts for (default: 10); PostgreSQL does "
          "not need to know")
      ->type_name("W");
  command->add_flag("--force", arguments->force, "Drop the tables that exist, with their rows");
  command->callback([arguments, &chosen] { chosen = [arguments] { return perform(*arguments); }; });
}

}  // namespace drover::cli
