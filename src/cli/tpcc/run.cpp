// `drover tpcc run` and `drover tpcc search`.
#include "cli/tpcc/run.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "cli/commands.h"
#include "cli/search.h"
#include "report/document/result_json.h"
#include "workload/tpcc/input.h"

namespace drover::cli {
namespace {

using coro::Duration;
using std::chrono::seconds;
using tpcc::StatementStyle;

constexpr std::int32_t warehouses_most = 1'000'000;
constexpr long double simulate_ms_most = 3'600'000;

// With delays, the warm-up lasts at least one cycle of a terminal, so that each terminal has sent
// transactions before transactions are counted.
Duration warmup_of(const TpccRunOptions& options, const tpcc::Plan& plan) {
  if (options.warmup) return *options.warmup;
  return automatic_warmup(plan,
                          plan.no_delays ? Duration(seconds(3)) : tpcc::mean_cycle(plan.pace));
}

void set_range(const TpccRunOptions& options, benchmark::TpccOptions& tpcc) {
  if (!options.warehouse_range) return;
  if (options.is_on_several_hosts()) {
    throw UsageError(
        "--warehouse-range applies to hosts that you start by hand. With --hosts or --agents, "
        "Drover divides the warehouses itself");
  }
  const auto [first, last] = *options.warehouse_range;
  tpcc.range = {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}

void set_simulation(const TpccRunOptions& options, TpccRun& made) {
  if (!options.simulate_ms) return;
  settings::RunSettings& settings = made.run.settings;
  made.options.simulated = Duration(std::llround(*options.simulate_ms * 1e6));
  settings.simulate_ms = options.simulate_ms;
  settings.statements = settings.isolation = "none";
  settings.on_db_loss.clear();
  settings.statement_timeout_s = 0;
}

int perform(const TpccRunOptions& options) {
  TpccRun planned = make_tpcc_run(options);
  if (!options.json.empty()) file::check_can_write(report::result_file(options.json));
  std::optional<DatabaseTarget> target;
  if (!options.simulate_ms) target.emplace(options.database);
  const auto run = measure_tpcc(std::move(planned), target ? &*target : nullptr);
  return run ? finish_run(*run, options) : exit_interrupted;
}

}  // namespace

void add_run_options(Command& command, TpccRunOptions& options) {
  command.add_options(
      "Load",
      {{"-w,--warehouses", &options.warehouses, "W|auto",
        "Warehouses to run on, with ten terminals each. auto: all loaded warehouses",
        in_range(1, warehouses_most) + common_option},
       {"--duration", &options.duration, "TIME", "Time to measure, e.g. 90s, 10m, 2h",
        in_range(at_least(seconds(1))) + common_option},
       {"--warmup", &options.warmup, "TIME|auto",
        "Time to run the load before measuring; 0: no warm-up. auto: a tenth of --duration, at "
        "least 3s and one terminal cycle, at most 10m",
        common_option},
       {"--connections", &options.run.connections, "N|auto",
        "Connections to the database. auto: derived from the load, limited by the server's free "
        "connections",
        in_range(1, run::run_connections_most) + common_option},
       max_inflight_option(options),
       {"--terminals", &options.terminals, "N|auto",
        "With --no-delays: number of terminals. auto: ten per warehouse",
        in_range(1, 10 * warehouses_most) +
            needs("--no-delays",
                  "with delays, each warehouse has ten terminals (clause 4.2.2). Set "
                  "their number with --warehouses")}});
  add_load_options(command, options);
  add_part_options(command, options, command.action);
  command.add_options(
      hosts_group, {{"--warehouse-range",
                     OptionTarget(&options.warehouse_range, range_syntax(warehouses_most)), "A-B",
                     "Run warehouses A to B on this host, instead of --share. Other totals, such "
                     "as --connections, are divided in proportion to the warehouses",
                     excludes("--share", "which also sets the warehouses of this host")}});
  command.add_options(output_group,
                      {ui_option(options.run.ui),
                       metrics_option(options),
                       server_stats_option(options),
                       {"--delivery-log", &options.tpcc.delivery_log, "FILE",
                        "Write one JSON line per deferred Delivery to FILE (clause 2.7.2.2)",
                        needs("--deferred-delivery", "only deferred deliveries are logged")}});
  add_result_options(command, options);
}

void add_load_options(Command& command, TpccRunOptions& options) {
  tpcc::Plan& plan = options.tpcc.plan;
  command.add_options(
      "Load",
      {{"--no-delays", &plan.no_delays, "", "Run without keying and think times", common_option},
       {"--pace", &plan.pace, "X", "Divide keying and think times by X",
        in_range(0.001, 10'000) + common_option},
       seed_option(options.seed,
                   "Seed of all random inputs and pauses: 0 to 2^64 - 1, the current time, or a "
                   "random number"),
       {"--threads", &options.run.threads, "N|auto",
        "Worker threads. auto: one per 10,000 expected transactions per second, or with "
        "--no-delays one per 8 processors",
        in_range(1, run::threads_most)},
       {"--statements",
        one_of(&options.tpcc.style,
               {{"batched", StatementStyle::batched}, {"single", StatementStyle::single}}),
        "",
        "How transactions send SQL. batched: pipelines and arrays; single: one statement per row, "
        "as other tools do"}});
  add_isolation_options(command, options.tpcc.isolation);
  command.add_options(
      "Load",
      {{"--deferred-delivery", &plan.deferred_delivery, "",
        "Queue Delivery transactions, answer the terminal at once, and execute them in the "
        "background (clause 2.7.2)"},
       {"--simulate-ms", &options.simulate_ms, "N",
        "Run without a database: each transaction takes N ms", in_range(0, simulate_ms_most)}});
  add_session_options(command, options);
  command.add_options(
      "Load", {{"--affinity", &options.run.settings.affinity, "",
                "With --balance: keep the terminals of a warehouse on one host while that host is "
                "available",
                needs("--balance", "without --balance, all terminals use the same server host") +
                    on_postgres}});
  add_failure_options(command, options);
}

TpccRun make_tpcc_run(const TpccRunOptions& options) {
  TpccRun made{.run = {}, .options = options.tpcc};
  tpcc::Plan& plan = made.options.plan;
  made.options.all_warehouses = !options.warehouses;
  if (!options.warehouses && options.simulate_ms) {
    throw UsageError(
        "--simulate-ms needs --warehouses: there is no database from which to count them");
  }
  if (!made.options.delivery_log.empty() && options.is_on_several_hosts()) {
    throw UsageError(
        "--delivery-log works only on one host. Leave it out, or run without --hosts and --agents");
  }
  plan.warehouses = options.warehouses.value_or(plan.warehouses);
  plan.terminals_most = static_cast<std::size_t>(options.terminals.value_or(0));
  made.run = make_run_plan(options, plan, options.simulate_ms.has_value());
  set_range(options, made.options);
  if (made.run.conducting != nullptr) made.options.gathers = made.run.conducting->shares.size();
  plan.warmup = warmup_of(options, plan);
  made.run.settings.statements =
      made.options.style == StatementStyle::batched ? "batched" : "single";
  if (!made.options.isolation && kind_of(options.database) == DatabaseKind::ydb) {
    made.options.isolation = tpcc::Isolation::serializable;
  }
  set_simulation(options, made);
  if (options.warehouses) choose_warehouses(made.options);
  return made;
}

std::optional<run::MeasuredRun> measure_tpcc(TpccRun run, const DatabaseTarget* target) {
  if (target == nullptr) {
    const double ms = run.run.settings.simulate_ms.value_or(0);
    benchmark::TpccBenchmark benchmark(std::move(run.options), nullptr);
    return run::measure_simulated(
        std::move(run.run), benchmark,
        fmt::format("no database: every transaction is simulated and takes {} ms", ms));
  }
  const auto database = target->tpcc();
  benchmark::TpccBenchmark benchmark(std::move(run.options), database.get());
  auto measured = run::measure_on_database(std::move(run.run), benchmark, target->place());
  if (measured) measured->log_failure = benchmark.delivery_log_failure();
  return measured;
}

void add_tpcc_run(Command& tpcc) {
  const auto options = std::make_shared<TpccRunOptions>();
  Command& command = tpcc.add_command(
      "run", "Run TPC-C and report throughput, latency and rule violations",
      "Examples:\n"
      "  drover tpcc run -w 10 --duration 3m --json result.json\n"
      "  drover tpcc run --no-delays --connections 16 --duration 1m\n"
      "  drover tpcc run -w 15000 --simulate-ms 5 --duration 60s --warmup 0\n"
      "\n"
      "Ctrl-C ends the run and reports the result so far (exit code 130). A second Ctrl-C "
      "exits at once.");
  command.action = [options] { return perform(*options); };
  add_database_options(command, options->database);
  add_run_options(command, *options);
}

// ---- search

namespace {

struct TpccSearchOptions : TpccRunOptions {
  SearchOptions search{.find = "warehouses"};
  double efficiency_least = 90;

  bool finds_terminals() const { return search.find == "terminals"; }
};

constexpr const char* limit_example = "new_order.p90 > 20";

void validate(const TpccSearchOptions& options) {
  if (options.simulate_ms && !options.search.high) {
    throw UsageError(
        "--simulate-ms needs --high: there is no database from which to count the warehouses");
  }
  if (options.finds_terminals() && options.run.connections) {
    throw UsageError(
        "--connections cannot be combined with --find terminals, which opens one connection per "
        "terminal");
  }
  if (!options.finds_terminals() && options.warehouses) {
    throw UsageError(
        "--warehouses cannot be combined with --find warehouses, which varies this number. Set the "
        "upper bound with --high");
  }
  if (options.tpcc.plan.no_delays && !options.finds_terminals()) {
    throw UsageError(
        "--no-delays cannot be combined with --find warehouses: without delays, another warehouse "
        "adds no load. Use --find terminals instead");
  }
}

LoadRange range_of(const TpccSearchOptions& options, const std::optional<SearchRoom>& room) {
  LoadRange range;
  range.most = range.asked_most;
  if (!options.finds_terminals()) {
    range.limit = "the number of loaded warehouses";
    if (room) range.most = room->warehouses;
    return range;
  }
  range.limit = "limited by free connections and ten terminals per warehouse";
  if (room) range.most = room->connections;
  if (room || options.warehouses) {
    range.most =
        std::min(range.most, 10 * (options.warehouses ? *options.warehouses : room->warehouses));
  }
  return range;
}

TpccRun run_of_step(const TpccSearchOptions& search, const search::Step& step) {
  TpccRunOptions options = search;
  options.duration = duration_of(search.search, step);
  if (search.finds_terminals()) {
    options.tpcc.plan.no_delays = true;
    options.terminals = static_cast<std::uint64_t>(step.load);
    if (!options.simulate_ms) options.run.connections = step.load;
  } else {
    options.warehouses = static_cast<std::int32_t>(step.load);
  }
  return make_tpcc_run(options);
}

int perform(const TpccSearchOptions& options, const Command& command) {
  validate(options);
  search::Rules rules;
  rules.efficiency_least = options.efficiency_least;
  rules.limits = search_limits(options.search, {}, limit_example);
  return perform_search(
      command, options.search, options.simulate_ms ? nullptr : &options.database,
      {.rules = std::move(rules),
       .settings = {},
       .opens_connections = options.finds_terminals(),
       .plan = [&](const search::Step& step) { (void)run_of_step(options, step); },
       .room = [](const DatabaseTarget& target) -> coro::Task<SearchRoom> {
         const tpcc::RunPreparation there = co_await target.tpcc()->prepare(std::nullopt);
         co_return SearchRoom{.connections = connections_for_search(there.server),
                              .warehouses = there.loaded.warehouses};
       },
       .range = [&](const auto& room) { return range_of(options, room); },
       .measure =
           [&](const search::Step& step, const DatabaseTarget* target) {
             return measure_tpcc(run_of_step(options, step), target);
           }});
}

void add_options_of_search(Command& command, TpccSearchOptions& options) {
  add_search_options(command, options.search, options.warmup,
                     {.units = {"warehouses", "terminals"},
                      .find = "What to maximize. warehouses: with keying and think times; "
                              "terminals: without these times, one connection per terminal",
                      .high = "Largest load to try. auto: the number of loaded warehouses; with "
                              "--find terminals, the number of free connections",
                      .start = "First load to try. auto: an eighth of --high"});
  command.add_options(
      "Search", {{"--min-efficiency", &options.efficiency_least, "P",
                  "Reject loads with an efficiency below P percent; 0: accept every efficiency",
                  in_range(0, 100)}});
  add_limit_option(command, options.search, limit_example);
  command.add_options(
      "Load", {{"--connections", &options.run.connections, "N|auto",
                "With --find warehouses: connections to the database. auto: derived from the load, "
                "limited by the free connections",
                in_range(1, run::run_connections_most)},
               {"-w,--warehouses", &options.warehouses, "W|auto",
                "With --find terminals: warehouses to run on. auto: all loaded warehouses",
                in_range(1, 1'000'000)}});
  add_load_options(command, options);
  command.add_options(output_group, {ui_option(options.run.ui), server_stats_option(options)});
}

}  // namespace

void add_tpcc_search(Command& tpcc) {
  const auto options = std::make_shared<TpccSearchOptions>();
  Command& command = tpcc.add_command(
      "search",
      "Find the largest number of warehouses or terminals at which the rules hold: 90th "
      "percentiles, efficiency, audit and your limits. Short runs search for this limit, and a "
      "long run confirms it. Exit code 1: the rules hold at no load or not in the long run, or "
      "this machine was too slow to measure the limit.",
      "Examples:\n"
      "  drover tpcc search --out search\n"
      "  drover tpcc search --out search --pace 10 --probe 1m --confirm 10m\n"
      "  drover tpcc search --out flight --find terminals --fail-if 'new_order.p90 > 20'\n"
      "\n"
      "Ctrl-C discards the current run. The same command resumes the search.");
  add_database_options(command, options->database);
  add_options_of_search(command, *options);
  command.action = [options, &command] { return perform(*options, command); };
}

}  // namespace drover::cli
