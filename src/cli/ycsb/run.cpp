// `drover ycsb run` and `drover ycsb search`.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/ycsb/ycsb_benchmark.h"
#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/search.h"
#include "cli/ycsb/options.h"
#include "file/atomic_file.h"
#include "ranks/member_run.h"
#include "report/document/result_json.h"
#include "report/page/report.h"

namespace drover::cli {
namespace {

struct YcsbRunOptions : ClientOptions {
  PropertyArguments properties;
  bool verify = false;
  std::optional<database::Isolation> isolation;
};

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

// Writes one histogram log per type of operation.
void write_logs(const report::Result& result, const std::string& prefix) {
  const auto write = [&](const std::string& name, const measure::HistogramSnapshot& latency) {
    if (latency.empty()) return;
    file::write_atomically(
        {prefix + name + ".hdr", "histogram log"},
        report::hdr_log(latency, result.summary.measure_start_ts, result.summary.time_seconds));
  };
  for (const report::TransactionResult& one : result.transactions) {
    const bool is_open = !one.service.empty();
    write(one.name, is_open ? one.service : one.latency);
    if (is_open) write("Intended-" + one.name, one.latency);
  }
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

// A run, and the benchmark that it executes.
class YcsbRun {
 public:
  // `properties`: read from options.properties. Throws UsageError.
  YcsbRun(const YcsbRunOptions& options, const ycsb::Properties& properties) {
    benchmark_.plan.properties = properties;
    run_ = make_client_run(options, benchmark_.plan);
    run_.settings.benchmark = "ycsb";
    benchmark_.isolation = options.isolation;
    if (!options.isolation && kind_of(options.database) == DatabaseKind::ydb) {
      benchmark_.isolation = database::Isolation::serializable;
    }
    if (options.run.member != nullptr) benchmark_.found = options.run.member->work().found;
    benchmark_.verify = options.verify || properties.data_integrity;
    benchmark_.all_rows =
        !properties.is_given("recordcount") && !properties.is_given("insertcount");
  }

  // Returns nothing if the run was interrupted before it began.
  std::optional<run::MeasuredRun> measure(const DatabaseTarget& target) && {
    const auto database = target.ycsb();
    benchmark::YcsbBenchmark benchmark(std::move(benchmark_), *database);
    return run::measure_on_database(std::move(run_), benchmark, target.place());
  }

 private:
  run::RunPlan run_;
  benchmark::YcsbOptions benchmark_;
};

int perform_run(YcsbRunArguments arguments, const Command& command) {
  const ycsb::Properties properties = read_row_properties(arguments.properties);
  if (!properties.do_transactions) {
    throw UsageError(
        "dotransactions=false is not supported by this command. Use 'drover ycsb load' to load the "
        "table");
  }
  const bool is_agent = arguments.run.member != nullptr;
  if (!is_agent) note_without_effect(properties);
  take_properties(arguments, command, properties);
  YcsbRun planned(arguments, properties);
  if (!arguments.json.empty()) file::check_can_write(report::result_file(arguments.json));
  const SummaryText summary =
      arguments.prints_ycsb_lines ? ycsb_summary(properties) : report::summary_text;
  const std::optional<std::string> prefix = log_prefix_of(arguments, properties);
  if (prefix && !is_agent) file::check_can_write({*prefix + "READ.hdr", "histogram log"});
  const DatabaseTarget target(arguments.database);
  const auto run = std::move(planned).measure(target);
  if (!run) return exit_interrupted;
  return finish_run(*run, arguments, summary, [&] {
    if (prefix) write_logs(run->result, *prefix);
  });
}

struct YcsbSearchArguments : YcsbRunOptions {
  SearchOptions search;
};

int perform_search_of_ycsb(const Command& command, YcsbSearchArguments arguments) {
  const ycsb::Properties properties = read_row_properties(arguments.properties);
  if (!command.find_option("--clients")->is_given() && properties.is_given("threadcount")) {
    arguments.clients = properties.thread_count;
  }
  std::vector<std::string> transactions;
  for (const load::TransactionType& type : ycsb::workload_info(properties).types) {
    transactions.push_back(type.name);
  }
  // Files may have other contents when the search is resumed, so the values of properties count.
  std::map<std::string, std::string> settings;
  settings["--verify"] = arguments.verify ? "yes" : "";
  for (const ycsb::PropertyDefinition& one : ycsb::property_table()) {
    if (properties.is_given(one.name)) settings[one.name] = one.kind.show(properties);
  }
  const auto run_of = [&](const ClientOptions& step) {
    YcsbRunOptions options = arguments;
    static_cast<ClientOptions&>(options) = step;
    return YcsbRun(options, properties);
  };
  return perform_client_search(
      command, arguments.search, arguments,
      {.benchmark = "ycsb",
       .transactions = std::move(transactions),
       .settings = std::move(settings),
       .plan = [&](const ClientOptions& step) { (void)run_of(step); },
       .measure = [&](const ClientOptions& step,
                      const DatabaseTarget& target) { return run_of(step).measure(target); }});
}

void add_verify_option(Command& command, YcsbRunOptions& options) {
  command.add_options("Workload", {{"--verify", &options.verify, "",
                                    "Compare each value read with the value that must have been "
                                    "written",
                                    common_option}});
}

}  // namespace

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
  run.action = [arguments, &run] { return perform_run(*arguments, run); };
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

void add_ycsb_search(Command& ycsb) {
  const auto arguments = std::make_shared<YcsbSearchArguments>();
  Command& command = ycsb.add_command(
      "search",
      "Find the highest rate or number of clients at which the rules hold: no failures, rate "
      "reached, valid audit and your limits. Short runs search for this limit, and a long run "
      "confirms it. Exit code 1: the rules hold at no load or not in the long run, or this machine "
      "was too slow to measure the limit.",
      "Examples:\n"
      "  drover ycsb search --out search --workload b --clients 64\n"
      "  drover ycsb search --out search --workload a --fail-if 'read.p99 > 5' --probe 1m\n"
      "  drover ycsb search --out flight --find clients --workload c --fail-if 'all.p99 > 20'\n"
      "\n"
      "Ctrl-C discards the current run. The same command resumes the search.");
  add_database_options(command, arguments->database);
  add_property_options(command, arguments->properties, {"workload", "recordcount"});
  add_verify_option(command, *arguments);
  add_client_search_options(command, arguments->search, *arguments, "operations");
  add_isolation_options(command, arguments->isolation);
  add_failure_options(command, *arguments);
  command.add_options(output_group,
                      {ui_option(arguments->run.ui), server_stats_option(*arguments)});
  command.action = [arguments, &command] { return perform_search_of_ycsb(command, *arguments); };
}

}  // namespace drover::cli
