#include "cli/commands.h"

namespace drover::cli {

void add_tpcc(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* tpcc = app.add_subcommand(
      "tpcc",
      "TPC-C: make its tables, load warehouses, run terminals, find the limit, check the data");
  tpcc->require_subcommand(1);
  tpcc->footer(
      "Example, on the private server (see drover pg):\n"
      "  drover tpcc init\n"
      "  drover tpcc import -w 10\n"
      "  drover tpcc run -w 10 --duration 3m\n"
      "  drover tpcc check");
  add_tpcc_init(*tpcc, chosen);
  add_tpcc_import(*tpcc, chosen);
  add_tpcc_run(*tpcc, chosen);
  add_tpcc_search(*tpcc, chosen);
  add_tpcc_check(*tpcc, chosen);
  add_tpcc_clean(*tpcc, chosen);
}

}  // namespace drover::cli
