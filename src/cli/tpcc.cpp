#include "cli/commands.h"

namespace drover::cli {

CLI::App& add_tpcc(CLI::App& app) {
  CLI::App* tpcc = app.add_subcommand(
      "tpcc", "TPC-C: make its tables, load warehouses, run terminals, check the data");
  tpcc->require_subcommand(1);
  tpcc->footer(
      "Example, on the private server (see drover pg):\n"
      "  drover tpcc init\n"
      "  drover tpcc import -w 10\n"
      "  drover tpcc run -w 10 --duration 3m\n"
      "  drover tpcc check");
  return *tpcc;
}

}  // namespace drover::cli
