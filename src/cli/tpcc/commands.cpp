// `drover tpcc`, and its commands that make the tables and drop them: init and clean.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/option/quantity.h"
#include "cli/progress_option.h"
#include "cli/standard_output.h"
#include "run/interrupt.h"

namespace drover::cli {
namespace {

using tpcc::ForeignKeys;
using tpcc::InitialiseSettings;

// One transaction makes the parts of eight tables, and drops them: a server has room for some thousand locks.
constexpr std::int64_t partitions_most = 128;

struct InitArguments {
  DatabaseOption database;
  std::string foreign_keys = "none";
  std::string warehouses;  // empty: as the database has it
  std::string partitions;  // likewise
  bool force = false;
  std::string ui = "auto";
};

std::string_view what_comes_later(bool has_keys, ForeignKeys foreign_keys) {
  if (has_keys) return "indexes";
  return foreign_keys == ForeignKeys::none ? "keys and indexes" : "keys, indexes and foreign keys";
}

coro::Task<void> init(const DatabaseTarget& target, InitialiseSettings settings) {
  settings.on_note = note_to_stderr;
  const auto [dropped, has_keys] = co_await target.tpcc()->initialise(settings);
  const std::string_view later = what_comes_later(has_keys, settings.foreign_keys);
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
    throw UsageError("--foreign-keys after-load: YDB has no foreign keys");
  }
  if (!arguments.partitions.empty()) {
    if (on_ydb)
      throw UsageError(
          "--partitions does not apply to YDB, which splits its tables by --warehouses");
    settings.partitions = static_cast<std::int32_t>(
        parse_count("--partitions", arguments.partitions, 1, partitions_most));
  }
  if (!arguments.warehouses.empty()) {
    settings.warehouses = static_cast<std::int32_t>(
        parse_count("--warehouses", arguments.warehouses, 1, tpcc::warehouses_max));
  }
  return settings;
}

int perform_init(const InitArguments& arguments) {
  static_cast<void>(is_quiet(arguments.ui));  // there is no progress, but a wrong value is refused
  const InitialiseSettings settings = settings_of(arguments);
  const DatabaseTarget target(arguments.database, DatabaseTarget::Use::administration);
  return run::run_command(init(target, settings));
}

void add_init(Command& tpcc) {
  const auto arguments = std::make_shared<InitArguments>();
  Command& command = tpcc.add_command(
      "init", "Create the nine TPC-C tables, empty. Fails if one of them exists.",
      "Examples:\n"
      "  drover tpcc init\n"
      "  drover tpcc init --db postgresql://user@host/name --schema tpcc --foreign-keys "
      "after-load\n"
      "  drover tpcc init --db ydb://host:2136/Root/name --schema tpcc -w 100");
  add_database_options(command, arguments->database);
  command.add_options(
      {{"--foreign-keys", &arguments->foreign_keys, "WHEN",
        "When to add the ten foreign keys of clause 1.3. none: never; after-load: drover tpcc "
        "import adds them after the rows",
        common_option},
       {"-w,--warehouses", &arguments->warehouses, "W",
        "YDB: partition the tables for W warehouses (default: 10). PostgreSQL ignores it",
        common_option},
       {"--partitions", &arguments->partitions, "N",
        "Partition tables by hash of the warehouse, 1 to 128: PostgreSQL partitions, YugabyteDB "
        "tablets, Citus shards (default: the server's choice)",
        common_option},
       {"--force", &arguments->force, "", "Drop existing tables and their rows first",
        common_option}});
  add_progress_option(command, arguments->ui);
  command.action = [arguments] { return perform_init(*arguments); };
}

coro::Task<void> clean(const DatabaseTarget& target) {
  const std::vector<std::string> dropped = co_await target.tpcc()->clean(note_to_stderr);
  print(dropped.empty() ? fmt::format("{} has no TPC-C tables, so there is nothing to drop\n",
                                      target.description())
                        : fmt::format("dropped {}\n", fmt::join(dropped, ", ")),
        "what was dropped");
}

// It asks nothing.
void add_clean(Command& tpcc) {
  struct Arguments {
    DatabaseOption database;
    std::string ui = "auto";
  };
  const auto arguments = std::make_shared<Arguments>();
  Command& command =
      tpcc.add_command("clean", "Drop the nine TPC-C tables and Drover's records of them",
                       "Example:\n  drover tpcc clean --schema tpcc");
  add_database_options(command, arguments->database);
  add_progress_option(command, arguments->ui);
  command.action = [arguments] {
    static_cast<void>(is_quiet(arguments->ui));
    const DatabaseTarget target(arguments->database, DatabaseTarget::Use::administration);
    return run::run_command(clean(target));
  };
}

}  // namespace

void add_tpcc(Command& app) {
  Command& tpcc =
      app.add_command("tpcc", "Run TPC-C: create tables, load data, run, find the limit, check",
                      "Example, on the private server (see drover pg):\n"
                      "  drover tpcc init\n"
                      "  drover tpcc import -w 10\n"
                      "  drover tpcc run -w 10 --duration 3m\n"
                      "  drover tpcc check");
  add_init(tpcc);
  add_tpcc_import(tpcc);
  add_tpcc_run(tpcc);
  add_tpcc_search(tpcc);
  add_tpcc_check(tpcc);
  add_clean(tpcc);
}

}  // namespace drover::cli
