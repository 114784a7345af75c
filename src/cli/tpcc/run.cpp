// `drover tpcc run`: parse, plan, run, report.
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/tpcc/options.h"
#include "report/document/result_json.h"
#include "run/measured_run.h"

namespace drover::cli {
namespace {

int perform(const DatabaseOption& database, const TpccRequest& written) {
  TpccRun planned = make_tpcc_run(written, database);
  if (!written.json.empty()) file::check_can_write(report::result_file(written.json));
  std::optional<DatabaseTarget> target;
  if (!written.simulate_ms) target.emplace(database);
  const auto run = measure_tpcc(std::move(planned), target ? &*target : nullptr);
  return run ? finish_run(*run, written) : exit_interrupted;
}

}  // namespace

void add_tpcc_run(Command& tpcc) {
  struct Options {
    DatabaseOption database;
    TpccRequest request;
  };
  const auto options = std::make_shared<Options>();
  Command& run = tpcc.add_command(
      "run", "Run TPC-C and report throughput, latency and rule violations",
      "Examples:\n"
      "  drover tpcc run -w 10 --duration 3m --json result.json\n"
      "  drover tpcc run --no-delays --connections 16 --duration 1m\n"
      "  drover tpcc run -w 15000 --simulate-ms 5 --duration 60s --warmup 0\n"
      "\n"
      "Ctrl-C ends the run and reports the result so far (exit code 130). A second Ctrl-C "
      "exits at once.");
  add_database_options(run, options->database);
  run.action = [options] { return perform(options->database, options->request); };
  add_run_options(run, options->request, run.action);
}

}  // namespace drover::cli
