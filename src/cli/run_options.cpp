#include "cli/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "cli/option/quantity.h"
#include "cli/version.h"
#include "ui/terminal/screen_place.h"
#include "workload/tpcc/mix.h"

namespace drover::cli {
namespace {

using coro::Duration;
using run::RunPlan;
using std::chrono::seconds;
using tpcc::Isolation;
using tpcc::StatementStyle;

constexpr std::int64_t warehouses_most = 1'000'000;

// A tenth of the duration; with delays at least one cycle of a terminal, so that each has met the
// database before its transactions count.
Duration automatic_warmup(const tpcc::Plan& plan) {
  const Duration least = plan.no_delays ? Duration(seconds(3)) : tpcc::mean_cycle(plan.pace);
  const Duration most = std::chrono::minutes(10);
  return std::clamp(plan.duration / 10, std::min(least, most), most);
}

// The same thing has two names, with what each kind of database offers.
Isolation isolation_of(const RunRequest& written, DatabaseKind kind) {
  if (kind == DatabaseKind::ydb) {
    if (written.isolation) {
      throw UsageError(
          "--isolation: of PostgreSQL; on YDB use --tx-mode serializable-rw or snapshot-rw");
    }
    return parse_choice<Isolation>(
        "--tx-mode", written.tx_mode.value_or("serializable-rw"),
        {{"serializable-rw", Isolation::serializable}, {"snapshot-rw", Isolation::snapshot}});
  }
  if (written.tx_mode) {
    throw UsageError(
        "--tx-mode: of YDB; on PostgreSQL use --isolation read-committed, repeatable-read or "
        "serializable");
  }
  return parse_choice<Isolation>("--isolation", written.isolation.value_or("read-committed"),
                                 {{"read-committed", Isolation::read_committed},
                                  {"repeatable-read", Isolation::repeatable_read},
                                  {"serializable", Isolation::serializable}});
}

// What to do when the database does not do what it should.
void validate_failures(const RunRequest& written, RunPlan& run) {
  if (written.on_db_loss != "wait" && written.on_db_loss != "fail") {
    throw UsageError(fmt::format("--on-db-loss {}: expected wait or fail", written.on_db_loss));
  }
  const Duration timeout = parse_duration("--statement-timeout", written.statement_timeout);
  if (timeout > std::chrono::hours(24)) {
    throw UsageError("--statement-timeout: at most 24h; 0 is none at all");
  }
  run.settings.on_db_loss = written.on_db_loss;
  run.settings.statement_timeout_s = coro::seconds_of(timeout);
  run.plan.retry.attempts_max =
      static_cast<int>(parse_count("--max-attempts", written.max_attempts, 1, 1'000));
  run.plan.deferred_delivery = written.deferred_delivery;
  if (!written.delivery_log.empty() && !written.deferred_delivery) {
    throw UsageError("--delivery-log needs --deferred-delivery: others leave no log");
  }
  run.delivery_log = written.delivery_log;
}

void validate_terminals(const RunRequest& written, RunPlan& run) {
  const auto terminals =
      parse_count_or_auto("--terminals", written.terminals, 1, 10 * warehouses_most);
  if (!terminals) return;
  if (!written.no_delays) {
    throw UsageError(
        "--terminals needs --no-delays: with delays a warehouse has ten (clause 4.2.2); choose "
        "--warehouses");
  }
  run.plan.terminals_most = static_cast<std::size_t>(*terminals);
}

void validate_statements(const RunRequest& written, DatabaseKind kind, RunPlan& run) {
  run.isolation = isolation_of(written, kind);
  run.style = parse_choice<StatementStyle>(
      "--statements", written.statements,
      {{"batched", StatementStyle::batched}, {"single", StatementStyle::single}});
  run.settings.statements = written.statements;
  run.settings.isolation = tpcc::isolation_name(run.isolation);
}

// There is no database that could do anything with the rest.
void validate_simulation(const RunRequest& written, RunPlan& run) {
  if (!written.simulate_ms) return;
  if (!(*written.simulate_ms >= 0 && *written.simulate_ms <= 3'600'000)) {
    throw UsageError("--simulate-ms: expected milliseconds from 0 to 3600000");
  }
  settings::RunSettings& settings = run.settings;
  settings.simulate_ms = written.simulate_ms;
  settings.statements = settings.isolation = "none";
  settings.on_db_loss.clear();
  settings.statement_timeout_s = 0;
}

}  // namespace

void add_load_options(Command& command, RunRequest& request) {
  command.add_options(
      "Load",
      {{"--no-delays", &request.no_delays, "", "Without keying and think times"},
       {"--pace", &request.pace, "X", "Divides keying and think times: 10 is ten times as fast"},
       {"--seed", &request.seed, "N",
        "The inputs and pauses of the terminals are made from it; the same again by default"},
       {"--threads", &request.threads, "N|auto",
        "Worker threads; one is enough for 10,000 transactions a second"},
       {"--statements", &request.statements, "batched|single",
        "batched: pipelines and arrays; single: a statement a row, as other tools do"},
       {"--isolation", &request.isolation, "read-committed|repeatable-read|serializable",
        "PostgreSQL: isolation level of the transactions; what it costs is retries",
        default_is("read-committed")},
       {"--tx-mode", &request.tx_mode, "serializable-rw|snapshot-rw",
        "YDB: mode of the transactions that write; those that only read have a snapshot "
        "(snapshot-rw is off on servers by default, and is tried before the run)",
        default_is("serializable-rw")},
       {"--deferred-delivery", &request.deferred_delivery, "",
        "Deliveries are queued, answered at once and executed beside the terminals (clause 2.7.2)"},
       {"--simulate-ms", &request.simulate_ms, "N",
        "No database: every transaction takes so many milliseconds"}});
  command.add_options("Failures",
                      {{"--max-attempts", &request.max_attempts, "N",
                        "Attempts at a transaction that ends in a deadlock or a serialization "
                        "failure, with random growing pauses, before it is counted as failed"},
                       {"--on-db-loss", &request.on_db_loss, "wait|fail",
                        "When the database is away. wait: for as long as it takes, and the outage "
                        "is measured; fail: end the run with exit code 1"},
                       {"--statement-timeout", &request.statement_timeout, "TIME",
                        "How long one statement may take; 0: for ever. A server that says nothing "
                        "for 5 s longer is taken for lost"}});
}

void add_ui_option(Command& command, std::string& written) {
  command.add_options(
      "Output",
      {{"--ui", &written, "auto|screen|plain|quiet",
        "What is shown meanwhile, on the error stream. screen: a live screen with keys (? shows "
        "them); plain: lines; quiet: nothing. auto: the screen where the standard input and the "
        "error stream are a terminal of 80 x 24 or more, else plain"}});
}

void add_run_options(Command& command, RunRequest& request) {
  command.add_options(
      "Load", {{"-w,--warehouses", &request.warehouses, "W|auto",
                "Warehouses, ten terminals each; auto: all that are loaded"},
               {"--duration", &request.duration, "TIME", "How long to measure, e.g. 90s, 10m, 2h"},
               {"--warmup", &request.warmup, "TIME|auto",
                "How long to run before measuring; auto: a tenth of the duration, with delays at "
                "least a cycle of the terminals"},
               {"--connections", &request.connections, "N|auto", "Connections to the database"},
               {"--max-inflight", &request.max_inflight, "N|auto",
                "Transactions at a time; the others wait in a queue. auto: one a connection"},
               {"--terminals", &request.terminals, "N|auto",
                "With --no-delays: how many terminals; auto: ten a warehouse"}});
  add_load_options(command, request);
  add_ui_option(command, request.ui);
  command.add_options(
      "Output", {{"--metrics", &request.metrics, "[ADDRESS:]PORT",
                  "Shows the run to Prometheus at http://ADDRESS/metrics while it goes on. A port "
                  "alone is one of 127.0.0.1; 0 takes any free one, and says which; 0.0.0.0:9464 "
                  "may be read from other machines"},
                 {"--delivery-log", &request.delivery_log, "FILE",
                  "Writes a line for each deferred Delivery to this file (clause 2.7.2.2)"},
                 {"--strict", &request.strict, "",
                  "Exit code 1 if the result is invalid or breaks a rule of the specification"},
                 {"--json", &request.json, "FILE", "Writes the result document to this file"}});
}

ui::Choice parse_ui_choice(const std::string& written) {
  const auto choice = parse_choice<ui::Choice>("--ui", written,
                                               {{"auto", ui::Choice::automatic},
                                                {"screen", ui::Choice::screen},
                                                {"plain", ui::Choice::plain},
                                                {"quiet", ui::Choice::quiet}});
  const auto reason = choice == ui::Choice::screen ? ui::why_no_screen() : std::nullopt;
  if (!reason) return choice;
  throw UsageError(
      fmt::format("--ui screen: {}. Use --ui plain, or run it in a terminal", *reason));
}

std::optional<metrics::ListenAddress> parse_metrics_address(const std::string& written) {
  if (written.empty()) return std::nullopt;
  const auto address = metrics::parse_listen_address(written);
  if (!address) {
    throw UsageError(
        fmt::format("--metrics {}: expected a port, or an address of this machine in digits and a "
                    "port, such as 9464, 127.0.0.1:9464, [::1]:9464, 0.0.0.0:9464 (for other "
                    "machines too) or 0 (any free port)",
                    written));
  }
  return address;
}

RunPlan make_run_plan(const RunRequest& written, DatabaseKind kind) {
  RunPlan run;
  tpcc::Plan& plan = run.plan;
  const auto warehouses =
      parse_count_or_auto("--warehouses", written.warehouses, 1, warehouses_most);
  run.all_warehouses = !warehouses;
  if (run.all_warehouses && written.simulate_ms) {
    throw UsageError("--simulate-ms needs --warehouses: there is no database to count them in");
  }
  if (warehouses) plan.warehouses = static_cast<std::int32_t>(*warehouses);
  plan.no_delays = written.no_delays;
  if (!(written.pace >= 0.001 && written.pace <= 10'000)) {
    throw UsageError(fmt::format("--pace {}: expected a number from 0.001 to 10000", written.pace));
  }
  plan.pace = written.pace;
  plan.duration = parse_duration("--duration", written.duration);
  if (plan.duration < seconds(1)) throw UsageError("--duration: at least 1s is needed");
  plan.warmup = written.warmup == "auto" ? automatic_warmup(plan)
                                         : parse_duration("--warmup", written.warmup);
  const auto threads = parse_count_or_auto("--threads", written.threads, 1, 1024);
  run.threads_auto = !threads;
  plan.threads = static_cast<std::size_t>(threads.value_or(1));
  run.connections =
      parse_count_or_auto("--connections", written.connections, 1, run::run_connections_most);
  run.max_inflight = parse_count_or_auto("--max-inflight", written.max_inflight, 1, 10'000'000);
  run.settings.max_inflight_chosen = run.max_inflight.has_value();
  plan.seed = static_cast<std::uint64_t>(
      parse_count("--seed", written.seed, 0, std::numeric_limits<std::int64_t>::max()));
  run.ui = parse_ui_choice(written.ui);
  run.metrics = parse_metrics_address(written.metrics);
  validate_terminals(written, run);
  validate_failures(written, run);
  validate_statements(written, kind, run);
  validate_simulation(written, run);
  run.tool = tool();
  return run;
}

}  // namespace drover::cli
