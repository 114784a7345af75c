#include "cli/run_options.h"

#include "cli/metrics_option.h"
#include "cli/ui_option.h"

namespace drover::cli {
namespace {

constexpr const char* load_group = "Load";
constexpr const char* failures_group = "Failures";
constexpr const char* output_group = "Output";

void add_pacing_options(CLI::App& command, RunRequest& request) {
  command.add_flag("--no-delays", request.no_delays, "Without keying and think times")
      ->group(load_group);
  command
      .add_option("--pace", request.pace, "Divides keying and think times: 10 is ten times as fast")
      ->type_name("X")
      ->capture_default_str()
      ->group(load_group);
  command
      .add_option("--seed", request.seed,
                  "The inputs and pauses of the terminals are made from it; the same again by "
                  "default")
      ->type_name("N")
      ->capture_default_str()
      ->group(load_group);
}

void add_session_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("--threads", request.threads,
                  "Threads of ours; one is enough for 10,000 transactions a second")
      ->type_name("N|auto")
      ->capture_default_str()
      ->group(load_group);
  command
      .add_option("--statements", request.statements,
                  "batched: pipelines and arrays; single: a statement a row, as other tools do")
      ->type_name("batched|single")
      ->capture_default_str()
      ->group(load_group);
  command
      .add_option("--isolation", request.isolation,
                  "PostgreSQL: isolation level of the transactions; what it costs is retries")
      ->type_name("read-committed|repeatable-read|serializable")
      ->default_str("read-committed")
      ->group(load_group);
  command
      .add_option("--tx-mode", request.tx_mode,
                  "YDB: mode of the transactions that write; those that only read have a snapshot\n"
                  "(snapshot-rw is off on servers by default, and is tried before the run)")
      ->type_name("serializable-rw|snapshot-rw")
      ->default_str("serializable-rw")
      ->group(load_group);
  command
      .add_flag("--deferred-delivery", request.deferred_delivery,
                "Deliveries are queued, answered at once and executed beside the terminals\n"
                "(clause 2.7.2)")
      ->group(load_group);
  command
      .add_option("--simulate-ms", request.simulate_ms,
                  "No database: every transaction takes so many milliseconds")
      ->type_name("N")
      ->group(load_group);
}

void add_failure_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("--max-attempts", request.max_attempts,
                  "Attempts at a transaction that ends in a deadlock or a serialization failure,\n"
                  "with random growing pauses, before it is counted as failed")
      ->type_name("N")
      ->capture_default_str()
      ->group(failures_group);
  command
      .add_option("--on-db-loss", request.on_db_loss,
                  "When the database is away. wait: for as long as it takes, and the outage is\n"
                  "measured; fail: end the run with exit code 1")
      ->type_name("wait|fail")
      ->capture_default_str()
      ->group(failures_group);
  command
      .add_option("--statement-timeout", request.statement_timeout,
                  "How long one statement may take; 0: for ever. A server that says nothing for 5 "
                  "s\nlonger is taken for lost")
      ->type_name("TIME")
      ->capture_default_str()
      ->group(failures_group);
}

void add_output_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("--delivery-log", request.delivery_log,
                  "Writes a line for each deferred Delivery to this file (clause 2.7.2.2)")
      ->type_name("FILE")
      ->group(output_group);
  command
      .add_flag("--strict", request.strict,
                "Exit code 1 if the result is invalid or breaks a rule of the specification")
      ->group(output_group);
  command.add_option("--json", request.json, "Writes the result document to this file")
      ->type_name("FILE")
      ->group(output_group);
}

}  // namespace

void add_load_options(CLI::App& command, RunRequest& request) {
  add_pacing_options(command, request);
  add_session_options(command, request);
  add_failure_options(command, request);
}

void add_run_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("-w,--warehouses", request.warehouses,
                  "Warehouses, ten terminals each; auto: all that are loaded")
      ->type_name("W|auto")
      ->capture_default_str()
      ->group(load_group);
  command.add_option("--duration", request.duration, "How long to measure, e.g. 90s, 10m, 2h")
      ->type_name("TIME")
      ->capture_default_str()
      ->group(load_group);
  command
      .add_option("--warmup", request.warmup,
                  "How long to run before measuring; auto: a tenth of the duration, with delays at "
                  "least a cycle of the terminals")
      ->type_name("TIME|auto")
      ->capture_default_str()
      ->group(load_group);
  command.add_option("--connections", request.connections, "Connections to the database")
      ->type_name("N|auto")
      ->capture_default_str()
      ->group(load_group);
  command
      .add_option("--max-inflight", request.max_inflight,
                  "Transactions at a time; the others wait in a queue. auto: one a connection")
      ->type_name("N|auto")
      ->capture_default_str()
      ->group(load_group);
  command
      .add_option("--terminals", request.terminals,
                  "With --no-delays: how many terminals; auto: ten a warehouse")
      ->type_name("N|auto")
      ->capture_default_str()
      ->group(load_group);
  add_load_options(command, request);
  add_ui_option(command, request.ui);
  add_metrics_option(command, request.metrics);
  add_output_options(command, request);
}

}  // namespace drover::cli
