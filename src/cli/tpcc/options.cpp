#include "cli/tpcc/options.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "cli/option/quantity.h"
#include "workload/tpcc/mix.h"

namespace drover::cli {
namespace {

using coro::Duration;
using std::chrono::seconds;
using tpcc::StatementStyle;

constexpr std::int64_t warehouses_most = 1'000'000;

// With delays at least one cycle of a terminal, so that each has met the database before its transactions count.
Duration warmup_of(const TpccRequest& written, const tpcc::Plan& plan) {
  if (written.warmup != "auto") return parse_duration("--warmup", written.warmup);
  return automatic_warmup(plan,
                          plan.no_delays ? Duration(seconds(3)) : tpcc::mean_cycle(plan.pace));
}

void validate_terminals(const TpccRequest& written, tpcc::Plan& plan) {
  const auto terminals =
      parse_count_or_auto("--terminals", written.terminals, 1, 10 * warehouses_most);
  if (!terminals) return;
  if (!written.no_delays) {
    throw UsageError(
        "--terminals needs --no-delays: with delays, each warehouse has ten terminals (clause "
        "4.2.2). Set their number with --warehouses");
  }
  plan.terminals_most = static_cast<std::size_t>(*terminals);
}

void validate_range(const TpccRequest& written, benchmark::TpccOptions& options) {
  if (written.warehouse_range.empty()) return;
  if (written.hosts.several() || written.member != nullptr) {
    throw UsageError(
        "--warehouse-range applies to hosts that you start by hand. With --hosts or --agents, "
        "Drover divides the warehouses itself");
  }
  const auto [first, last] =
      parse_range("--warehouse-range", written.warehouse_range, warehouses_most);
  if (!written.share.empty()) {
    throw UsageError(
        "--warehouse-range and --share both set the warehouses of this host. Leave out one of "
        "them");
  }
  options.range = {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}

void validate_deliveries(const TpccRequest& written, benchmark::TpccOptions& options) {
  options.plan.deferred_delivery = written.deferred_delivery;
  if (!written.delivery_log.empty() && (written.hosts.several() || written.member != nullptr)) {
    throw UsageError(
        "--delivery-log works only on one host. Leave it out, or run without --hosts and --agents");
  }
  if (!written.delivery_log.empty() && !written.deferred_delivery) {
    throw UsageError(
        "--delivery-log needs --deferred-delivery: only deferred deliveries are logged");
  }
  options.delivery_log = written.delivery_log;
}

void validate_statements(const TpccRequest& written, DatabaseKind kind, TpccRun& made) {
  made.options.isolation = parse_isolation(written, kind);
  made.options.style = parse_choice<StatementStyle>(
      "--statements", written.statements,
      {{"batched", StatementStyle::batched}, {"single", StatementStyle::single}});
  made.run.settings.statements = written.statements;
}

// There is no database that could do anything with the rest.
void validate_simulation(const TpccRequest& written, TpccRun& made) {
  if (!written.simulate_ms) return;
  if (!(*written.simulate_ms >= 0 && *written.simulate_ms <= 3'600'000)) {
    throw UsageError("--simulate-ms: expected milliseconds from 0 to 3600000");
  }
  if (written.server_stats) {
    throw UsageError("--server-stats cannot be combined with --simulate-ms, which uses no server");
  }
  if (!written.connection_max_age.empty() || written.balance) {
    throw UsageError(
        "--connection-max-age and --balance cannot be combined with --simulate-ms, which opens no "
        "connections");
  }
  settings::RunSettings& settings = made.run.settings;
  made.options.simulated = Duration(std::llround(*written.simulate_ms * 1e6));
  settings.simulate_ms = written.simulate_ms;
  settings.statements = settings.isolation = "none";
  settings.on_db_loss.clear();
  settings.statement_timeout_s = 0;
}

}  // namespace

void add_load_options(Command& command, TpccRequest& request) {
  command.add_options(
      "Load",
      {{"--no-delays", &request.no_delays, "", "Run without keying and think times", common_option},
       {"--pace", &request.pace, "X", "Divide keying and think times by X, 0.001 to 10000",
        common_option},
       {"--seed", &request.seed, "N|time|rand",
        "Seed of all random inputs and pauses: 0 to 2^64 - 1, the current time, or a random "
        "number"},
       {"--threads", &request.threads, "N|auto",
        "Worker threads, up to 1024. auto: one per 10,000 expected transactions per second, or "
        "with "
        "--no-delays one per 8 processors"},
       {"--statements", &request.statements, "batched|single",
        "How transactions send SQL. batched: pipelines and arrays; single: one statement per row, "
        "as other tools do"},
       {"--isolation", &request.isolation, "read-committed|repeatable-read|serializable",
        "PostgreSQL: isolation level. Higher levels cost retries. Other dialects have their own "
        "defaults",
        default_is("read-committed")},
       {"--tx-mode", &request.tx_mode, "serializable-rw|snapshot-rw",
        "YDB: mode of transactions that write; read-only transactions use a snapshot. snapshot-rw: "
        "disabled on servers by default",
        default_is("serializable-rw")},
       {"--deferred-delivery", &request.deferred_delivery, "",
        "Queue Delivery transactions, answer the terminal at once, and execute them in the "
        "background (clause 2.7.2)"},
       {"--simulate-ms", &request.simulate_ms, "N",
        "Run without a database: each transaction takes N ms, 0 to 3600000"}});
  add_session_options(command, request);
  add_affinity_option(command, request);
  add_failure_options(command, request);
}

void add_run_options(Command& command, TpccRequest& request, std::function<int()> perform) {
  command.add_options(
      "Load", {{"-w,--warehouses", &request.warehouses, "W|auto",
                "Warehouses to run on, with ten terminals each. auto: all loaded warehouses",
                common_option},
               {"--duration", &request.duration, "TIME", "Time to measure, e.g. 90s, 10m, 2h",
                common_option},
               {"--warmup", &request.warmup, "TIME|auto",
                "Time to run the load before measuring; 0: none. auto: a tenth of --duration, at "
                "least 3s and one terminal cycle, at most 10m",
                common_option},
               {"--connections", &request.connections, "N|auto",
                "Connections to the database. auto: derived from the load, limited by the server's "
                "free connections",
                common_option},
               {"--max-inflight", &request.max_inflight, "N|auto",
                "Maximum number of transactions in flight; the rest wait. auto: one per "
                "connection"},
               {"--terminals", &request.terminals, "N|auto",
                "With --no-delays: number of terminals. auto: ten per warehouse"}});
  add_load_options(command, request);
  add_part_options(command, request, std::move(perform));
  command.add_options(
      hosts_group,
      {{"--warehouse-range", &request.warehouse_range, "A-B",
        "Instead of --share: run warehouses A to B of all W on this host. Other totals, "
        "such as --connections, are divided in the same proportion"}});
  add_ui_option(command, request.ui);
  add_metrics_option(command, request);
  add_server_stats_option(command, request);
  command.add_options("Output",
                      {{"--delivery-log", &request.delivery_log, "FILE",
                        "Write one JSON line per deferred Delivery to FILE (clause 2.7.2.2)"}});
  add_result_options(command, request);
}

TpccRun make_tpcc_run(const TpccRequest& written, const DatabaseOption& database) {
  TpccRun made;
  tpcc::Plan& plan = made.options.plan;
  const auto warehouses =
      parse_count_or_auto("--warehouses", written.warehouses, 1, warehouses_most);
  made.options.all_warehouses = !warehouses;
  if (!warehouses && written.simulate_ms) {
    throw UsageError(
        "--simulate-ms needs --warehouses: there is no database from which to count them");
  }
  if (warehouses) plan.warehouses = static_cast<std::int32_t>(*warehouses);
  plan.no_delays = written.no_delays;
  if (!(written.pace >= 0.001 && written.pace <= 10'000)) {
    throw UsageError(fmt::format("--pace {}: expected a number from 0.001 to 10000", written.pace));
  }
  plan.pace = written.pace;
  made.run = make_run_plan(written, database, plan, written.simulate_ms.has_value());
  validate_range(written, made.options);
  if (made.run.conducting != nullptr) made.options.gathers = made.run.conducting->shares.size();
  plan.warmup = warmup_of(written, plan);
  validate_terminals(written, plan);
  validate_deliveries(written, made.options);
  validate_statements(written, kind_of(database), made);
  validate_simulation(written, made);
  if (warehouses) choose_warehouses(made.options);
  return made;
}

std::optional<run::MeasuredRun> measure_tpcc(TpccRun run, const DatabaseTarget* target) {
  if (target == nullptr) {
    const double ms = run.run.settings.simulate_ms.value_or(0);
    benchmark::TpccBenchmark benchmark(std::move(run.options), nullptr);
    return run::measure_simulated(std::move(run.run), benchmark,
                                  fmt::format("no database: every transaction takes {} ms", ms));
  }
  const auto database = target->tpcc();
  benchmark::TpccBenchmark benchmark(std::move(run.options), database.get());
  auto measured = run::measure_on_database(std::move(run.run), benchmark, target->place());
  if (measured) measured->log_failure = benchmark.delivery_log_failure();
  return measured;
}

}  // namespace drover::cli
