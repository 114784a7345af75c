// `drover tpcc run`: parse, plan, run, report.
#include "cli/tpcc_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <thread>

#include "cli/commands.h"
#include "cli/count_option.h"
#include "cli/duration.h"
#include "cli/interrupt.h"
#include "cli/run_command.h"
#include "cli/run_result.h"
#include "cli/usage_error.h"
#include "coro/block_on.h"
#include "database/postgres/server_info.h"
#include "load/run.h"
#include "report/audit.h"
#include "report/result_file.h"
#include "report/summary_text.h"
#include "tpcc/mix.h"
#include "tpcc/postgres/ledger.h"
#include "tpcc/postgres/loaded.h"
#include "tpcc/postgres/postgres_backend.h"
#include "tpcc/simulated/simulated_backend.h"
#include "ui/plain_lines.h"

namespace drover::cli {
namespace {

using coro::Duration;
using coro::Task;
using std::chrono::seconds;
using tpcc::postgres::Isolation;
using tpcc::postgres::StatementStyle;

constexpr std::int64_t warehouses_most = 1'000'000;
constexpr std::int64_t connections_most = 10'000;

// Everything that is known before the database is asked.
struct Request {
  load::Plan plan;
  StatementStyle style = StatementStyle::batched;
  bool all_warehouses = false;
  std::optional<std::int64_t> connections;  // none: auto
  std::optional<std::int64_t> max_inflight;
  bool threads_auto = false;
  Isolation isolation = Isolation::read_committed;
  bool wait_for_server = true;
  Duration statement_timeout{};
};

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

// What to do when the database does not do what it should.
void validate_failures(const RunRequest& written, Request& request) {
  request.isolation = parse_isolation(written.isolation);
  if (written.on_db_loss != "wait" && written.on_db_loss != "fail") {
    throw UsageError(fmt::format("--on-db-loss {}: expected wait or fail", written.on_db_loss));
  }
  request.wait_for_server = written.on_db_loss == "wait";
  request.statement_timeout = parse_duration("--statement-timeout", written.statement_timeout);
  constexpr Duration longest = std::chrono::hours(24);
  if (request.statement_timeout > longest) {
    throw UsageError("--statement-timeout: at most 24h; 0 is none at all");
  }
  request.plan.retry.attempts_max =
      static_cast<int>(parse_count("--max-attempts", written.max_attempts, 1, 1'000));
  request.plan.deferred_delivery = written.deferred_delivery;
  if (!written.delivery_log.empty() && !written.deferred_delivery) {
    throw UsageError("--delivery-log needs --deferred-delivery: others leave no log");
  }
}

Request validate(const RunRequest& written) {
  Request request;
  load::Plan& plan = request.plan;
  request.all_warehouses = written.warehouses == "auto";
  if (!request.all_warehouses) {
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
  request.threads_auto = !threads;
  plan.threads = static_cast<std::size_t>(threads.value_or(1));
  request.connections = count_or_auto("--connections", written.connections, connections_most);
  request.max_inflight = count_or_auto("--max-inflight", written.max_inflight, 10'000'000);
  plan.seed = static_cast<std::uint64_t>(
      parse_count("--seed", written.seed, 0, std::numeric_limits<std::int64_t>::max()));
  validate_failures(written, request);
  if (written.statements == "single") {
    request.style = StatementStyle::single;
  } else if (written.statements != "batched") {
    throw UsageError(
        fmt::format("--statements {}: expected batched or single", written.statements));
  }
  if (written.simulate_ms && !(*written.simulate_ms >= 0 && *written.simulate_ms <= 3'600'000)) {
    throw UsageError("--simulate-ms: expected milliseconds from 0 to 3600000");
  }
  return request;
}

// What a thread can do by far: a transaction costs it 20 to 50 µs.
constexpr double transactions_a_thread = 10'000;

double transactions_a_second(const load::Plan& plan) {
  const double cycle = std::chrono::duration<double>(tpcc::mean_cycle(plan.pace)).count();
  return static_cast<double>(plan.terminals()) / cycle;
}

void resolve_threads(Request& request) {
  load::Plan& plan = request.plan;
  const auto processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  if (request.threads_auto) {
    // Without delays the database sets the pace, and it needs the processors more than we do.
    const double wanted = plan.no_delays ? static_cast<double>(processors) / 8
                                         : transactions_a_second(plan) / transactions_a_thread;
    plan.threads =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(wanted)), 1, processors);
  }
  plan.threads = std::min(plan.threads, static_cast<std::size_t>(plan.warehouses));
}

// Enough for transactions of 100 ms at the pace of the terminals, and not more than the server has.
std::size_t resolve_connections(const Request& request,
                                const database::postgres::ServerInfo& server) {
  const std::int64_t free =
      std::max<std::int64_t>(server.connections_max - server.connections_used, 0);
  if (request.connections) {
    if (*request.connections > free && server.connections_max > 0) {
      throw UsageError(fmt::format(
          "--connections {}: the server has room for {} more (max_connections {}, {} in use)",
          *request.connections, free, server.connections_max, server.connections_used));
    }
    return static_cast<std::size_t>(*request.connections);
  }
  const load::Plan& plan = request.plan;
  const auto processors = static_cast<double>(std::thread::hardware_concurrency());
  double wanted = plan.no_delays ? 4 * processors : transactions_a_second(plan) * 0.1;
  wanted = std::clamp(wanted, 16.0, 500.0);
  if (server.connections_max > 0) wanted = std::min(wanted, static_cast<double>(free) * 0.8);
  wanted = std::min(wanted, static_cast<double>(plan.terminals()));
  return std::max<std::size_t>(static_cast<std::size_t>(wanted), plan.threads);
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// Of `total`, the part of the thread `index` of `threads`.
std::size_t share(std::size_t total, std::size_t threads, std::size_t index) {
  return total / threads + (index < total % threads ? 1 : 0);
}

// What the run needs from the database, and what its result says of it.
struct Prepared {
  tpcc::postgres::LoadedDatabase loaded;
  database::postgres::ServerInfo server;
  tpcc::postgres::LedgerSums ledger;
};

// `warehouses`: how many the run has; none for all that are there.
Task<Prepared> prepare(std::string conninfo, std::string schema,
                       std::optional<std::int32_t> warehouses) {
  Prepared prepared;
  const auto connection = co_await tpcc::postgres::open_in_schema(conninfo, schema);
  prepared.server = co_await database::postgres::server_info(*connection);
  prepared.loaded = co_await tpcc::postgres::inspect_loaded(*connection, schema);
  const std::int32_t wanted = warehouses.value_or(prepared.loaded.warehouses);
  tpcc::postgres::require_warehouses(prepared.loaded, wanted, schema);
  prepared.ledger = co_await tpcc::postgres::read_ledger(*connection, wanted);
  co_return prepared;
}

// What is left to ask when the terminals have ended; for so long at most.
using Afterwards = std::function<Task<void>(Duration patience)>;

// After an interrupt nobody wants to wait for long.
constexpr Duration patience_after_interrupt = seconds(5);
// A run that was given up has waited for its database before.
constexpr Duration patience_after_failure = seconds(1);

Task<void> run_afterwards(Afterwards& afterwards, load::StopRequest& stop, Duration patience) {
  coro::CancelSource& outer = co_await coro::current_source();
  coro::CancelSource source(outer);
  stop.on_request([&source] { source.cancel(); });
  try {
    co_await afterwards(patience).under(source);
  } catch (const coro::Cancelled&) {
    if (outer.cancelled()) throw;
  }
  stop.on_request({});
}

// Runs the engine on this thread's worker, with Ctrl-C as an orderly end, and then `afterwards`,
// which Ctrl-C cuts short.
Task<load::Outcome> run_until_interrupted(const load::Plan& plan, load::BackendFactory backends,
                                          load::Observer& observer, load::DeliveryLog* log,
                                          Afterwards afterwards, Duration patience) {
  load::StopRequest stop;
  InterruptWatch interrupt([&stop] {
    std::fputs("interrupted: ending the run (once more ends it at once)\n", stderr);
    stop.request();
  });
  coro::Scope watching(co_await coro::current_source());
  watching.start(interrupt.watch());
  std::exception_ptr error;
  load::Outcome outcome;
  try {
    outcome = co_await load::run(plan, std::move(backends), observer, stop, log);
    Duration wait = patience;
    if (stop.requested()) wait = std::min(wait, patience_after_interrupt);
    if (outcome.failure) wait = std::min(wait, patience_after_failure);
    co_await run_afterwards(afterwards, stop, wait);
    outcome.stop_requested = stop.requested();
  } catch (...) {
    error = std::current_exception();
  }
  watching.cancel();
  co_await watching.join();
  if (error) std::rethrow_exception(error);
  co_return outcome;
}

// The file of deferred Deliveries, if one was asked for.
std::unique_ptr<load::DeliveryLog> open_delivery_log(const RunRequest& written) {
  if (written.delivery_log.empty()) return nullptr;
  return std::make_unique<load::DeliveryLog>(written.delivery_log);
}

int finish(const report::Result& result, const load::Outcome& outcome, const RunRequest& written,
           const load::DeliveryLog* log) {
  fmt::print("{}", report::summary_text(result));
  const bool printed = std::fflush(stdout) == 0;
  if (!written.json.empty()) report::write_result_file(written.json, result);
  if (!printed) throw std::runtime_error("cannot write the summary to the standard output");
  if (outcome.failure) {
    fmt::print(stderr, "drover: error: the run was given up: {}\n", *outcome.failure);
    return exit_failure;
  }
  if (log != nullptr && !log->failure().empty()) throw std::runtime_error(log->failure());
  if (outcome.interrupted || outcome.stop_requested) return exit_interrupted;
  const report::AuditSummary audit = report::summarise(result.audit);
  if (written.strict && !(audit.valid && audit.compliant)) {
    fmt::print(stderr, "drover: error: --strict: {}\n", audit.sentence);
    return exit_failure;
  }
  return exit_success;
}

int run_simulated(Request request, const RunRequest& written) {
  load::Plan& plan = request.plan;
  resolve_threads(request);
  plan.max_inflight = static_cast<std::size_t>(request.max_inflight.value_or(0));
  if (plan.max_inflight > 0) plan.threads = std::min(plan.threads, plan.max_inflight);
  plan.constants = tpcc::run_constants(plan.seed, tpcc::load_constants(plan.seed));
  const auto time = Duration(std::llround(*written.simulate_ms * 1e6));
  const BlockedInterrupts blocked;
  coro::Worker worker;
  ui::PlainLines lines(plan, stderr, seconds(5));
  const auto log = open_delivery_log(written);
  const auto nothing = [](Duration) -> Task<void> { co_return; };
  const auto backends = [time](std::size_t) -> std::unique_ptr<tpcc::Backend> {
    return std::make_unique<tpcc::SimulatedBackend>(time);
  };
  const load::Outcome outcome =
      coro::block_on(worker, run_until_interrupted(plan, backends, lines, log.get(), nothing, {}));
  RunFacts facts;
  facts.statements = "none";
  facts.isolation = "none";
  facts.max_inflight_chosen = request.max_inflight.has_value();
  facts.simulate_ms = written.simulate_ms;
  return finish(make_result(plan, facts, outcome), outcome, written, log.get());
}

// For the database to be there again, when the terminals have ended.
Duration patience(const Request& request) {
  return request.wait_for_server ? seconds(60) : seconds(5);
}

tpcc::postgres::PostgresOptions backend_options(const Request& request,
                                                const DatabaseTarget& target) {
  tpcc::postgres::PostgresOptions options;
  options.conninfo = target.conninfo();
  options.schema = target.schema();
  options.style = request.style;
  options.isolation = request.isolation;
  options.statement_timeout = request.statement_timeout;
  options.wait_for_server = request.wait_for_server;
  options.resolve_patience = patience(request);
  return options;
}

// What the data say of this run: the difference to what they said before.
Task<std::optional<report::LedgerInData>> ledger_of_run(const DatabaseTarget& target,
                                                        tpcc::postgres::LedgerSums before,
                                                        std::int32_t warehouses,
                                                        Duration patience) {
  const auto after = co_await tpcc::postgres::read_ledger_patiently(
      target.conninfo(), target.schema(), warehouses, patience);
  if (!after) co_return std::nullopt;
  report::LedgerInData ledger;
  ledger.new_orders = after->next_o_ids - before.next_o_ids;
  ledger.payment_cents = after->ytd_cents - before.ytd_cents;
  co_return ledger;
}

int run_on_postgres(Request request, const DatabaseOption& database, const RunRequest& written) {
  load::Plan& plan = request.plan;
  const DatabaseTarget target(database);
  std::optional<std::int32_t> warehouses = plan.warehouses;
  if (request.all_warehouses) warehouses.reset();
  Prepared prepared;
  const auto ask = [&]() -> Task<void> {
    prepared = co_await prepare(target.conninfo(), target.schema(), warehouses);
  };
  if (run_command(ask()) != exit_success) return exit_interrupted;
  if (request.all_warehouses) plan.warehouses = prepared.loaded.warehouses;
  resolve_threads(request);
  const std::size_t connections = resolve_connections(request, prepared.server);
  plan.threads = std::min(plan.threads, connections);
  plan.max_inflight = std::min(
      static_cast<std::size_t>(request.max_inflight.value_or(connections_most)), connections);
  plan.threads = std::min(plan.threads, plan.max_inflight);
  plan.constants = prepared.loaded.load_constants
                       ? tpcc::run_constants(plan.seed, *prepared.loaded.load_constants)
                       : tpcc::load_constants(plan.seed);

  fmt::print(stderr, "TPC-C on {}, PostgreSQL {}: {}, {}, {}, {}\n", target.description(),
             prepared.server.version,
             counted(static_cast<std::size_t>(plan.warehouses), "warehouse"),
             counted(plan.terminals(), "terminal"), counted(connections, "connection"),
             counted(plan.threads, "thread"));
  if (!prepared.loaded.load_constants) {
    fmt::print(stderr,
               "note: another tool loaded these tables, so its C-Load is unknown: the distance of "
               "C-Run to it (clause 2.1.6.1) is not ensured\n");
  }
  // From here on Ctrl-C ends the run, with its result.
  const BlockedInterrupts blocked;
  coro::Worker worker;
  ui::PlainLines lines(plan, stderr, seconds(5));
  const auto log = open_delivery_log(written);
  const auto backends = [&](std::size_t index) -> std::unique_ptr<tpcc::Backend> {
    tpcc::postgres::PostgresOptions options = backend_options(request, target);
    options.connections = share(connections, plan.threads, index);
    options.seed = plan.seed + index;
    return std::make_unique<tpcc::postgres::PostgresBackend>(std::move(options));
  };
  RunFacts facts;
  const auto read_ledger = [&](Duration wait) -> Task<void> {
    facts.ledger_in_data = co_await ledger_of_run(target, prepared.ledger, plan.warehouses, wait);
  };
  const load::Outcome outcome = coro::block_on(
      worker,
      run_until_interrupted(plan, backends, lines, log.get(), read_ledger, patience(request)));
  facts.connections = connections;
  facts.statements = written.statements;
  facts.schema = target.schema();
  facts.isolation = tpcc::postgres::isolation_name(request.isolation);
  facts.on_db_loss = written.on_db_loss;
  facts.statement_timeout_s = std::chrono::duration<double>(request.statement_timeout).count();
  facts.max_inflight_chosen = request.max_inflight.has_value();
  facts.server = report::Server{prepared.server.version, prepared.server.settings};
  return finish(make_result(plan, facts, outcome), outcome, written, log.get());
}

}  // namespace

int run_tpcc(const DatabaseOption& database, const RunRequest& request) {
  const Request validated = validate(request);
  if (!request.json.empty()) report::check_result_file(request.json);
  if (request.simulate_ms) return run_simulated(validated, request);
  return run_on_postgres(validated, database, request);
}

void add_tpcc_run(CLI::App& tpcc, std::function<int()>& chosen) {
  struct Options {
    DatabaseOption database;
    RunRequest request;
  };
  auto options = std::make_shared<Options>();
  RunRequest& request = options->request;
  CLI::App& run = *tpcc.add_subcommand("run", "Runs the benchmark and reports");
  add_database_options(run, options->database);
  run.add_option("-w,--warehouses", request.warehouses,
                 "Warehouses, ten terminals each; auto: all that are loaded")
      ->type_name("W|auto")
      ->capture_default_str();
  run.add_option("--duration", request.duration, "How long to measure, e.g. 90s, 10m, 2h")
      ->type_name("TIME")
      ->capture_default_str();
  run.add_option("--warmup", request.warmup,
                 "How long to run before measuring; auto: a tenth of the duration, with delays at "
                 "least a cycle of the terminals")
      ->type_name("TIME|auto")
      ->capture_default_str();
  run.add_option("--threads", request.threads,
                 "Threads of ours; one is enough for 10,000 transactions a second")
      ->type_name("N|auto")
      ->capture_default_str();
  run.add_option("--connections", request.connections, "Connections to the database")
      ->type_name("N|auto")
      ->capture_default_str();
  run.add_option("--max-inflight", request.max_inflight,
                 "Transactions at a time; the others wait in a queue. auto: one a connection")
      ->type_name("N|auto")
      ->capture_default_str();
  run.add_flag("--no-delays", request.no_delays, "Without keying and think times");
  run.add_option("--pace", request.pace, "Divides keying and think times: 10 is ten times as fast")
      ->type_name("X")
      ->capture_default_str();
  run.add_option(
         "--seed", request.seed,
         "The inputs and pauses of the terminals are made from it; the same again by default")
      ->type_name("N")
      ->capture_default_str();
  run.add_option("--statements", request.statements,
                 "batched: pipelines and arrays; single: a statement a row, as other tools do")
      ->type_name("batched|single")
      ->capture_default_str();
  run.add_option("--isolation", request.isolation,
                 "Isolation level of the transactions; what it costs is retries")
      ->type_name("read-committed|repeatable-read|serializable")
      ->capture_default_str();
  run.add_option("--max-attempts", request.max_attempts,
                 "Attempts at a transaction that ends in a deadlock or a serialization failure,\n"
                 "with random growing pauses, before it is counted as failed")
      ->type_name("N")
      ->capture_default_str();
  run.add_option("--on-db-loss", request.on_db_loss,
                 "When the database is away. wait: for as long as it takes, and the outage is\n"
                 "measured; fail: end the run with exit code 1")
      ->type_name("wait|fail")
      ->capture_default_str();
  run.add_option(
         "--statement-timeout", request.statement_timeout,
         "How long one statement may take; 0: for ever. A server that says nothing for 5 s\n"
         "longer is taken for lost")
      ->type_name("TIME")
      ->capture_default_str();
  run.add_flag("--deferred-delivery", request.deferred_delivery,
               "Deliveries are queued, answered at once and executed beside the terminals\n"
               "(clause 2.7.2)");
  run.add_option("--delivery-log", request.delivery_log,
                 "Writes a line for each deferred Delivery to this file (clause 2.7.2.2)")
      ->type_name("FILE");
  run.add_flag("--strict", request.strict,
               "Exit code 1 if the result is invalid or breaks a rule of the specification");
  run.add_option("--json", request.json, "Writes the result document to this file")
      ->type_name("FILE");
  run.add_option("--simulate-ms", request.simulate_ms,
                 "No database: every transaction takes so many milliseconds")
      ->type_name("N");
  run.footer(
      "Examples:\n"
      "  drover tpcc run -w 10 --duration 3m --json result.json\n"
      "  drover tpcc run --no-delays --connections 16 --duration 1m\n"
      "  drover tpcc run -w 15000 --simulate-ms 5 --duration 60s --warmup 0\n"
      "Ctrl-C ends a run with the result so far (exit code 130); a second one at once.");
  run.callback([options, &chosen] {
    chosen = [options] { return run_tpcc(options->database, options->request); };
  });
}

}  // namespace drover::cli
