// `drover tpcc`, with its commands init and clean, which create and drop the tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "run/process.h"

namespace drover::cli {
namespace {

using tpcc::ForeignKeys;
using tpcc::InitialiseSettings;

// One transaction creates or drops the partitions of eight tables, and a server has room for some
// thousand locks.
constexpr long double partitions_most = 128;

struct InitArguments {
  DatabaseOption database;
  ForeignKeys foreign_keys = ForeignKeys::none;
  std::optional<std::int32_t> warehouses;  // none: the default of the database
  std::optional<std::int32_t> partitions;  // none: the default of the database
  bool force = false;
  bool is_quiet = false;
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
  text += fmt::format("created the nine TPC-C tables in {}. drover tpcc import adds {}\n",
                      target.description(), later);
  print(text, "the created tables");
}

InitialiseSettings settings_of(const InitArguments& arguments) {
  InitialiseSettings settings;
  settings.force = arguments.force;
  settings.foreign_keys = arguments.foreign_keys;
  settings.partitions = arguments.partitions.value_or(settings.partitions);
  settings.warehouses = arguments.warehouses;
  if (kind_of(arguments.database) == DatabaseKind::ydb &&
      settings.foreign_keys != ForeignKeys::none) {
    throw UsageError("--foreign-keys after-load: YDB has no foreign keys");
  }
  return settings;
}

int perform_init(const InitArguments& arguments) {
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
      {{"--foreign-keys",
        one_of(&arguments->foreign_keys,
               {{"none", ForeignKeys::none}, {"after-load", ForeignKeys::after_load}}),
        "",
        "When to add the ten foreign keys of clause 1.3. none: never; after-load: drover tpcc "
        "import adds them after the rows",
        common_option},
       {"-w,--warehouses", &arguments->warehouses, "W",
        "YDB: number of warehouses for which the tables are partitioned (default: 10). No effect "
        "on PostgreSQL",
        in_range(1, tpcc::warehouses_max) + common_option},
       {"--partitions", &arguments->partitions, "N",
        "Partition tables by hash of the warehouse: PostgreSQL partitions, YugabyteDB tablets, "
        "Citus shards (default: the server's choice)",
        in_range(1, partitions_most) + on_postgres +
            instead("YDB splits its tables by --warehouses") + common_option},
       {"--force", &arguments->force, "", "Drop existing tables and their rows first",
        common_option}});
  add_progress_option(command, arguments->is_quiet);
  command.action = [arguments] { return perform_init(*arguments); };
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
  add_clean_command(tpcc, "Drop the nine TPC-C tables and Drover's records of them",
                    "Example:\n  drover tpcc clean --schema tpcc", "TPC-C tables",
                    [](const DatabaseTarget& target) -> coro::Task<std::vector<std::string>> {
                      co_return co_await target.tpcc()->clean(note_to_stderr);
                    });
}

}  // namespace drover::cli
