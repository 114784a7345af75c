#include "cli/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "cli/count_option.h"
#include "cli/duration.h"
#include "cli/metrics_option.h"
#include "cli/ui_option.h"
#include "cli/usage_error.h"
#include "tpcc/mix.h"

namespace drover::cli {
namespace {

using coro::Duration;
using std::chrono::seconds;
using tpcc::Isolation;
using tpcc::StatementStyle;

constexpr std::int64_t warehouses_most = 1'000'000;
constexpr std::int64_t connections_most = 10'000;

std::optional<std::int64_t> count_or_auto(std::string_view name, const std::string& text,
                                          std::int64_t high) {
  if (text == "auto") return std::nullopt;
  return parse_count(name, text, 1, high);
}

// A tenth of the duration; with delays at least one cycle of a terminal, so that each has met the
// database before its transactions count.
Duration automatic_warmup(const load::Plan& plan) {
  const Duration least = plan.no_delays ? Duration(seconds(3)) : tpcc::mean_cycle(plan.pace);
  const Duration most = std::chrono::minutes(10);
  return std::clamp(plan.duration / 10, std::min(least, most), most);
}

Isolation parse_isolation(std::string_view text) {
  if (text == "read-committed") return Isolation::read_committed;
  if (text == "repeatable-read") return Isolation::repeatable_read;
  if (text == "serializable") return Isolation::serializable;
  throw UsageError(fmt::format(
      "--isolation {}: expected read-committed, repeatable-read or serializable", text));
}

Isolation parse_transaction_mode(std::string_view text) {
  if (text == "serializable-rw") return Isolation::serializable;
  if (text == "snapshot-rw") return Isolation::snapshot;
  throw UsageError(fmt::format("--tx-mode {}: expected serializable-rw or snapshot-rw", text));
}

// The same thing has two names, with what each kind of database offers.
Isolation isolation_of(const RunRequest& written, DatabaseKind kind) {
  if (kind == DatabaseKind::ydb) {
    if (written.isolation) {
      throw UsageError(
          "--isolation: of PostgreSQL; on YDB use --tx-mode serializable-rw or snapshot-rw");
    }
    return parse_transaction_mode(written.tx_mode.value_or("serializable-rw"));
  }
  if (written.tx_mode) {
    throw UsageError(
        "--tx-mode: of YDB; on PostgreSQL use --isolation read-committed, repeatable-read or "
        "serializable");
  }
  return parse_isolation(written.isolation.value_or("read-committed"));
}

// What to do when the database does not do what it should.
void validate_failures(const RunRequest& written, RunPlan& run) {
  if (written.on_db_loss != "wait" && written.on_db_loss != "fail") {
    throw UsageError(fmt::format("--on-db-loss {}: expected wait or fail", written.on_db_loss));
  }
  run.wait_for_server = written.on_db_loss == "wait";
  run.statement_timeout = parse_duration("--statement-timeout", written.statement_timeout);
  constexpr Duration longest = std::chrono::hours(24);
  if (run.statement_timeout > longest) {
    throw UsageError("--statement-timeout: at most 24h; 0 is none at all");
  }
  run.plan.retry.attempts_max =
      static_cast<int>(parse_count("--max-attempts", written.max_attempts, 1, 1'000));
  run.plan.deferred_delivery = written.deferred_delivery;
  if (!written.delivery_log.empty() && !written.deferred_delivery) {
    throw UsageError("--delivery-log needs --deferred-delivery: others leave no log");
  }
}

// What a thread can do by far: a transaction costs it 20 to 50 µs.
constexpr double transactions_a_thread = 10'000;

double transactions_a_second(const load::Plan& plan) {
  const double cycle = std::chrono::duration<double>(tpcc::mean_cycle(plan.pace)).count();
  return static_cast<double>(plan.terminals()) / cycle;
}

// Enough for transactions of 100 ms at the pace of the terminals, and not more than the server has.
std::size_t connections_for(const RunPlan& run, const tpcc::ServerFacts& server) {
  // One is for the session that watches the server's checkpoints.
  const std::int64_t free =
      std::max<std::int64_t>(server.connections_max - server.connections_used - 1, 0);
  if (run.connections) {
    if (*run.connections > free && server.connections_max > 0) {
      throw UsageError(fmt::format(
          "--connections {}: the server has room for {} more (max_connections {}, {} in use)",
          *run.connections, free, server.connections_max, server.connections_used));
    }
    return static_cast<std::size_t>(*run.connections);
  }
  const load::Plan& plan = run.plan;
  const auto processors = static_cast<double>(std::thread::hardware_concurrency());
  double wanted = plan.no_delays ? 4 * processors : transactions_a_second(plan) * 0.1;
  wanted = std::clamp(wanted, 16.0, 500.0);
  if (server.connections_max > 0) wanted = std::min(wanted, static_cast<double>(free) * 0.8);
  wanted = std::min(wanted, static_cast<double>(plan.terminals()));
  return std::max<std::size_t>(static_cast<std::size_t>(wanted), plan.threads);
}

void validate_terminals(const RunRequest& written, RunPlan& run) {
  const auto terminals = count_or_auto("--terminals", written.terminals, 10 * warehouses_most);
  if (!terminals) return;
  if (!written.no_delays) {
    throw UsageError(
        "--terminals needs --no-delays: with delays a warehouse has ten (clause 4.2.2); choose "
        "--warehouses");
  }
  run.plan.terminals_most = static_cast<std::size_t>(*terminals);
}

}  // namespace

RunPlan make_run_plan(const RunRequest& written, DatabaseKind kind) {
  RunPlan run;
  load::Plan& plan = run.plan;
  run.all_warehouses = written.warehouses == "auto";
  if (!run.all_warehouses) {
    plan.warehouses = static_cast<std::int32_t>(
        parse_count("--warehouses", written.warehouses, 1, warehouses_most));
  } else if (written.simulate_ms) {
    throw UsageError("--simulate-ms needs --warehouses: there is no database to count them in");
  }
  plan.no_delays = written.no_delays;
  if (!(written.pace >= 0.001 && written.pace <= 10'000)) {
    throw UsageError(fmt::format("--pace {}: expected a number from 0.001 to 10000", written.pace));
  }
  plan.pace = written.pace;
  plan.duration = parse_duration("--duration", written.duration);
  if (plan.duration < seconds(1)) throw UsageError("--duration: at least 1s is needed");
  plan.warmup = written.warmup == "auto" ? automatic_warmup(plan)
                                         : parse_duration("--warmup", written.warmup);
  const auto threads = count_or_auto("--threads", written.threads, 1024);
  run.threads_auto = !threads;
  plan.threads = static_cast<std::size_t>(threads.value_or(1));
  run.connections = count_or_auto("--connections", written.connections, connections_most);
  run.max_inflight = count_or_auto("--max-inflight", written.max_inflight, 10'000'000);
  plan.seed = static_cast<std::uint64_t>(
      parse_count("--seed", written.seed, 0, std::numeric_limits<std::int64_t>::max()));
  run.ui = parse_ui_choice(written.ui);
  run.metrics = parse_metrics_address(written.metrics);
  validate_terminals(written, run);
  validate_failures(written, run);
  run.isolation = isolation_of(written, kind);
  if (written.statements == "single") {
    run.style = StatementStyle::single;
  } else if (written.statements != "batched") {
    throw UsageError(
        fmt::format("--statements {}: expected batched or single", written.statements));
  }
  if (written.simulate_ms && !(*written.simulate_ms >= 0 && *written.simulate_ms <= 3'600'000)) {
    throw UsageError("--simulate-ms: expected milliseconds from 0 to 3600000");
  }
  return run;
}

void resolve_threads(RunPlan& run) {
  load::Plan& plan = run.plan;
  const auto processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  if (run.threads_auto) {
    // Without delays the database sets the pace, and it needs the processors more than we do.
    const double wanted = plan.no_delays ? static_cast<double>(processors) / 8
                                         : transactions_a_second(plan) / transactions_a_thread;
    plan.threads =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(wanted)), 1, processors);
  }
  plan.threads =
      std::min({plan.threads, static_cast<std::size_t>(plan.warehouses), plan.terminals()});
}

void resolve_connections(RunPlan& run, const tpcc::ServerFacts& server) {
  load::Plan& plan = run.plan;
  plan.connections = connections_for(run, server);
  const auto permits = static_cast<std::size_t>(run.max_inflight.value_or(connections_most));
  plan.max_inflight = std::min(permits, plan.connections);
  plan.threads = std::min({plan.threads, plan.connections, plan.max_inflight});
}

}  // namespace drover::cli
