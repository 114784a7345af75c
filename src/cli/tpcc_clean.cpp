// `drover tpcc clean`: drops what init made and import filled. It asks nothing.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/database_option.h"
#include "cli/run_command.h"
#include "cli/standard_output.h"

namespace drover::cli {
namespace {

coro::Task<void> clean(const DatabaseTarget& target) {
  const std::vector<std::string> dropped = co_await target.database().clean(note_to_stderr);
  print(dropped.empty() ? fmt::format("there are no tables of TPC-C in {}: nothing to drop\n",
                                      target.description())
                        : fmt::format("dropped {}\n", fmt::join(dropped, ", ")),
        "what was dropped");
}

int perform(const DatabaseOption& database) {
  const DatabaseTarget target(database);
  return run_command(clean(target));
}

}  // namespace

void add_tpcc_clean(CLI::App& tpcc, std::function<int()>& chosen) {
  const auto database = std::make_shared<DatabaseOption>();
  CLI::App* command =
      tpcc.add_subcommand("clean", "Drop the nine tables of TPC-C and drover's records of them");
  command->footer("Example:\n  drover tpcc clean --schema tpcc");
  add_database_options(*command, *database);
  command->callback([database, &chosen] { chosen = [database] { return perform(*database); }; });
}

}  // namespace drover::cli
