// `drover report`: what a stored result says.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "cli/commands.h"
#include "cli/usage_error.h"
#include "report/bounded_file.h"
#include "report/result_read.h"
#include "report/summary_text.h"

namespace drover::cli {
namespace {

int perform(const std::string& path) {
  const report::Result result = report::read_result_file(path);
  // The file may come from anywhere: nothing in it may act upon the terminal.
  const std::string text = report::terminal_text(report::summary_text(result));
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw std::runtime_error("cannot write the summary to the standard output");
  }
  return exit_success;
}

}  // namespace

void add_report(CLI::App& app, std::function<int()>& chosen) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "report",
      "Print the summary of a result that 'drover tpcc run --json FILE' wrote. Exit code 1: the\n"
      "file cannot be read, or is no such result.");
  command->add_option("result", *path, "The result document")->required()->type_name("FILE");
  command->footer(
      "Example:\n"
      "  drover tpcc run -w 10 --duration 3m --json result.json\n"
      "  drover report result.json");
  command->callback([path, &chosen] { chosen = [path] { return perform(*path); }; });
}

}  // namespace drover::cli
