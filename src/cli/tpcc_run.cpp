// `drover tpcc run`: parse, plan, run, report.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/option/database_option.h"
#include "cli/run_options.h"
#include "cli/standard_output.h"
#include "report/document/result.h"
#include "report/document/result_json.h"
#include "report/page/report.h"
#include "run/measured_run.h"

namespace drover::cli {
namespace {

int finish(const run::MeasuredRun& run, const RunRequest& written) {
  const report::Result& result = run.result;
  // The document comes first: whoever reads the summary may leave, and that ends the process.
  const auto write_document = [&] {
    if (!written.json.empty()) report::write_result_file(written.json, result);
  };
  write_each({write_document,
              [&] { print(report::summary_text(result, summary_width()), "the summary"); }});
  if (result.failure) {
    fmt::print(stderr, "drover: error: the run was given up: {}\n", *result.failure);
    return exit_failure;
  }
  if (!run.delivery_log_failure.empty()) throw std::runtime_error(run.delivery_log_failure);
  if (run.stop_requested) return exit_interrupted;
  const report::AuditSummary audit = report::summarise(result.audit);
  if (written.strict && !(audit.valid && audit.compliant)) {
    fmt::print(stderr, "drover: error: --strict: {}\n", audit.sentence);
    return exit_failure;
  }
  return exit_success;
}

int perform(const DatabaseOption& database, const RunRequest& written) {
  run::RunPlan plan = make_run_plan(written, kind_of(database));
  if (!written.json.empty()) file::check_can_write(report::result_file(written.json));
  if (written.simulate_ms) return finish(run::measure_simulated(std::move(plan)), written);
  const DatabaseTarget target(database);
  const std::optional<run::MeasuredRun> run =
      run::measure_on_database(std::move(plan), target.place());
  return run ? finish(*run, written) : exit_interrupted;
}

}  // namespace

void add_tpcc_run(Command& tpcc) {
  struct Options {
    DatabaseOption database;
    RunRequest request;
  };
  const auto options = std::make_shared<Options>();
  Command& run = tpcc.add_command(
      "run", "Runs the benchmark and reports",
      "Examples:\n"
      "  drover tpcc run -w 10 --duration 3m --json result.json\n"
      "  drover tpcc run --no-delays --connections 16 --duration 1m\n"
      "  drover tpcc run -w 15000 --simulate-ms 5 --duration 60s --warmup 0\n"
      "Ctrl-C ends a run with the result so far (exit code 130); a second one at once.");
  add_database_options(run, options->database);
  add_run_options(run, options->request);
  run.action = [options] { return perform(options->database, options->request); };
}

}  // namespace drover::cli
