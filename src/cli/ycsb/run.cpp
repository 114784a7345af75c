// `drover ycsb run`: parse, plan, run, report.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/client_options.h"
#include "cli/commands.h"
#include "cli/option/database_option.h"
#include "cli/option/quantity.h"
#include "cli/ycsb/options.h"
#include "file/atomic_file.h"
#include "report/document/result_json.h"
#include "report/page/report.h"
#include "report/page/ycsb_output.h"
#include "run/measured_run.h"

namespace drover::cli {
namespace {

struct YcsbRequest : ClientRequest {
  PropertyArguments properties;
  bool verify = false;
  std::string format = "text";
  std::string hdr_log;  // the beginning of the names of files; empty: none
};

// What the properties say of the client, where no option does.
ClientRequest with_properties(ClientRequest request, const Command& command,
                              const ycsb::Properties& properties) {
  const auto takes = [&](const char* option, const char* property) {
    return !command.find_option(option)->is_given() && properties.is_given(property);
  };
  if (takes("--clients", "threadcount")) {
    request.clients = std::to_string(properties.thread_count);
  }
  if (takes("--rate", "target")) request.rate = properties.target;
  const bool timed = command.find_option("--duration")->is_given();
  if (!timed && takes("--operations", "operationcount") && properties.operation_count > 0) {
    request.operations = std::to_string(properties.operation_count);
  }
  if (!timed && properties.max_execution_time_s > 0) {
    request.duration = fmt::format("{}s", properties.max_execution_time_s);
  }
  return request;
}

// Returns the beginning of the histogram logs' file names, or nothing if no logs are written. An
// empty beginning means the working directory, as in the original.
std::optional<std::string> log_prefix_of(const YcsbRequest& written,
                                         const ycsb::Properties& properties) {
  if (!written.hdr_log.empty()) return written.hdr_log;
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

// Where the summary is not for people.
SummaryText summary_of(const std::string& format, const ycsb::Properties& properties) {
  const bool lines = parse_choice<bool>("--format", format, {{"text", false}, {"ycsb", true}});
  if (!lines) return report::summary_text;
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

int perform(const DatabaseOption& option, const YcsbRequest& written, const Command& command) {
  const ycsb::Properties properties = read_row_properties(written.properties);
  if (!properties.do_transactions) {
    throw UsageError("dotransactions=false loads the table. Use 'drover ycsb load' for that");
  }
  if (written.member == nullptr) note_without_effect(properties);
  YcsbRun planned = make_ycsb_run(with_properties(written, command, properties),
                                  {properties, written.verify}, option);
  if (!written.json.empty()) file::check_can_write(report::result_file(written.json));
  const SummaryText summary = summary_of(written.format, properties);
  const std::optional<std::string> prefix = log_prefix_of(written, properties);
  if (prefix && written.member == nullptr) {
    file::check_can_write({*prefix + "READ.hdr", "histogram log"});
  }
  const DatabaseTarget target(option);
  const auto run = measure_ycsb(std::move(planned), target);
  if (!run) return exit_interrupted;
  const auto write_logs = [&] {
    if (!prefix) return;
    for (const LogFile& log : logs_of(run->result, *prefix)) {
      file::write_atomically({log.path, "histogram log"}, log.text);
    }
  };
  return finish_run(*run, written, summary, write_logs);
}

}  // namespace

void add_ycsb_run(Command& ycsb) {
  struct Options {
    DatabaseOption database;
    YcsbRequest request;
  };
  const auto options = std::make_shared<Options>();
  YcsbRequest& request = options->request;
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
  add_database_options(run, options->database);
  add_property_options(run, request.properties, {"workload", "recordcount"});
  add_verify_option(run, request.verify);
  add_client_options(run, request, "operations");
  add_isolation_option(run, request);
  run.action = [options, &run] { return perform(options->database, options->request, run); };
  add_part_options(run, request, run.action);
  add_failure_options(run, request);
  add_ui_option(run, request.ui);
  add_metrics_option(run, request);
  add_server_stats_option(run, request);
  run.add_options("Output",
                  {{"--format", &request.format, "text|ycsb",
                    "Format of the summary: text, or the lines that YCSB prints"},
                   {"--hdr-log", &request.hdr_log, "PREFIX",
                    "Write a histogram log per operation for HdrHistogram's tools: PREFIXREAD.hdr "
                    "and so on"}});
  add_result_options(run, request);
}

}  // namespace drover::cli
