#include "cli/ycsb/run.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "file/atomic_file.h"
#include "ranks/member_run.h"
#include "report/document/result_json.h"
#include "report/page/report.h"

namespace drover::cli {
namespace {

struct YcsbRunArguments : YcsbRunOptions {
  bool prints_ycsb_lines = false;
  std::string hdr_log;  // beginning of the histogram logs' file names; empty: none
};

// Takes the settings of clients from the properties, unless options set them.
void take_properties(YcsbRunOptions& options, const Command& command,
                     const ycsb::Properties& properties) {
  const auto takes = [&](const char* option, const char* property) {
    return !command.find_option(option)->is_given() && properties.is_given(property);
  };
  if (takes("--clients", "threadcount")) options.clients = properties.thread_count;
  if (takes("--rate", "target")) options.rate = properties.target;
  if (command.find_option("--duration")->is_given()) return;
  if (takes("--operations", "operationcount") && properties.operation_count > 0) {
    options.operations = properties.operation_count;
  }
  if (properties.max_execution_time_s > 0) {
    options.duration = std::chrono::seconds(properties.max_execution_time_s);
  }
}

// Returns the beginning of the histogram logs' file names, or nothing if no logs are written. An
// empty beginning means the working directory, as in the original.
std::optional<std::string> log_prefix_of(const YcsbRunArguments& arguments,
                                         const ycsb::Properties& properties) {
  if (!arguments.hdr_log.empty()) return arguments.hdr_log;
  if (properties.histogram_file_output) return properties.histogram_output_path;
  return std::nullopt;
}

struct LogFile {
  std::string path;
  std::string text;
};

std::vector<LogFile> logs_of(const report::Result& result, const std::string& prefix) {
  std::vector<LogFile> logs;
  const auto add = [&](const std::string& name, const measure::HistogramSnapshot& latency) {
    if (latency.empty()) return;
    logs.push_back(
        {prefix + name + ".hdr",
         report::hdr_log(latency, result.summary.measure_start_ts, result.summary.time_seconds)});
  };
  for (const report::TransactionResult& one : result.transactions) {
    const bool is_open = !one.service.empty();
    add(one.name, is_open ? one.service : one.latency);
    if (is_open) add("Intended-" + one.name, one.latency);
  }
  return logs;
}

// Returns the function that prints YCSB's lines.
SummaryText ycsb_summary(const ycsb::Properties& properties) {
  auto interval = report::YcsbInterval::op;
  if (properties.measurement_interval == ycsb::MeasurementInterval::intended) {
    interval = report::YcsbInterval::intended;
  } else if (properties.measurement_interval == ycsb::MeasurementInterval::both) {
    interval = report::YcsbInterval::both;
  }
  return [interval, percentiles = properties.percentiles](const report::Result& result, auto) {
    return report::ycsb_lines(result, interval, percentiles);
  };
}

int perform(YcsbRunArguments arguments, const Command& command) {
  const ycsb::Properties properties = read_row_properties(arguments.properties);
  if (!properties.do_transactions) {
    throw UsageError(
        "dotransactions=false is not supported by this command. Use 'drover ycsb load' to load the "
        "table");
  }
  const bool is_agent = arguments.run.member != nullptr;
  if (!is_agent) note_without_effect(properties);
  take_properties(arguments, command, properties);
  YcsbRun planned = make_ycsb_run(arguments, properties);
  if (!arguments.json.empty()) file::check_can_write(report::result_file(arguments.json));
  const SummaryText summary =
      arguments.prints_ycsb_lines ? ycsb_summary(properties) : report::summary_text;
  const std::optional<std::string> prefix = log_prefix_of(arguments, properties);
  if (prefix && !is_agent) file::check_can_write({*prefix + "READ.hdr", "histogram log"});
  const DatabaseTarget target(arguments.database);
  const auto run = measure_ycsb(std::move(planned), target);
  if (!run) return exit_interrupted;
  const auto write_logs = [&] {
    if (!prefix) return;
    for (const LogFile& log : logs_of(run->result, *prefix)) {
      file::write_atomically({log.path, "histogram log"}, log.text);
    }
  };
  return finish_run(*run, arguments, summary, write_logs);
}

}  // namespace

void add_verify_option(Command& command, YcsbRunOptions& options) {
  command.add_options("Workload", {{"--verify", &options.verify, "",
                                    "Compare each value read with the value that must have been "
                                    "written",
                                    common_option}});
}

YcsbRun make_ycsb_run(const YcsbRunOptions& options, const ycsb::Properties& properties) {
  YcsbRun made;
  ycsb::Plan& plan = made.options.plan;
  plan.properties = properties;
  made.run = make_client_run(options, plan);
  made.run.settings.benchmark = "ycsb";
  made.options.isolation = options.isolation;
  if (!options.isolation && kind_of(options.database) == DatabaseKind::ydb) {
    made.options.isolation = database::Isolation::serializable;
  }
  if (options.run.member != nullptr) made.options.found = options.run.member->work().found;
  made.options.verify = options.verify || properties.data_integrity;
  made.options.all_rows =
      !properties.is_given("recordcount") && !properties.is_given("insertcount");
  return made;
}

std::optional<run::MeasuredRun> measure_ycsb(YcsbRun run, const DatabaseTarget& target) {
  const auto database = target.ycsb();
  benchmark::YcsbBenchmark benchmark(std::move(run.options), *database);
  return run::measure_on_database(std::move(run.run), benchmark, target.place());
}

void add_ycsb_run(Command& ycsb) {
  const auto arguments = std::make_shared<YcsbRunArguments>();
  Command& run = ycsb.add_command(
      "run", "Run a YCSB workload with concurrent clients, and report throughput and latency",
      "Examples:\n"
      "  drover ycsb run --workload a --clients 32 --duration 1m\n"
      "  drover ycsb run --workload b --rate 5000 --arrivals poisson --json result.json\n"
      "  drover ycsb run -P workloads/workloada -p requestdistribution=uniform --operations "
      "100000\n"
      "\n"
      "Ctrl-C ends the run and reports the result so far (exit code 130). A second Ctrl-C "
      "exits at once.");
  run.action = [arguments, &run] { return perform(*arguments, run); };
  add_database_options(run, arguments->database);
  add_property_options(run, arguments->properties, {"workload", "recordcount"});
  add_verify_option(run, *arguments);
  add_client_options(run, *arguments, "operations");
  run.add_options("Load", {think_time_option(*arguments)});
  add_isolation_options(run, arguments->isolation);
  add_part_options(run, *arguments, run.action);
  add_failure_options(run, *arguments);
  run.add_options(
      output_group,
      {ui_option(arguments->run.ui),
       metrics_option(*arguments),
       server_stats_option(*arguments),
       {"--format", one_of(&arguments->prints_ycsb_lines, {{"text", false}, {"ycsb", true}}), "",
        "Format of the summary: text, or the lines that YCSB prints"},
       {"--hdr-log", &arguments->hdr_log, "PREFIX",
        "Write one histogram log per type of operation, such as PREFIXREAD.hdr, for "
        "HdrHistogram's tools"}});
  add_result_options(run, *arguments);
}

}  // namespace drover::cli
