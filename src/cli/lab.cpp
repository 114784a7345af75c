#include "cli/lab.h"

#include "cli/commands.h"

namespace drover::cli {

void add_lab(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* lab =
      app.add_subcommand("lab", "The experiments that show why the runtime is built as it is");
  lab->require_subcommand(1);
  lab->footer(
      "Example:\n"
      "  drover lab terminals -t 1 -w 65536 --multi -o terminals.html\n"
      "\n"
      "docs/lab.md walks through the experiments and has the results of real runs.");
  add_lab_terminals(*lab, chosen);
  add_lab_switch(*lab, chosen);
  add_lab_queues(*lab, chosen);
  add_lab_scheduler(*lab, chosen);
  add_lab_steps(*lab, chosen);
}

}  // namespace drover::cli
