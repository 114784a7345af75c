#include "cli/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "cli/help/help.h"
#include "cli/program.h"
#include "cli/standard_output.h"
#include "file/atomic_file.h"
#include "report/document/result_json.h"
#include "run/process.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "ui/terminal/terminal.h"

namespace drover::cli {

using coro::Duration;
using database::Isolation;
using run::RunPlan;
using std::chrono::hours;
using std::chrono::seconds;

namespace {

constexpr long double clients_most = 1'000'000;
constexpr double rate_most = 1e7;
constexpr double rate_least = 1e-3;

Syntax<Seed> seed_syntax() {
  return {.read = [](const Option& option, const std::string& word) -> Seed {
            if (word == "time") return {Seed::Source::time};
            if (word == "rand") return {Seed::Source::random};
            if (const auto seed = text::number_of<std::uint64_t>(word)) {
              return {Seed::Source::given, *seed};
            }
            throw UsageError(fmt::format(
                "{} {}: expected a whole number from 0 to {}, time or rand", option.name(),
                text::shown(word), std::numeric_limits<std::uint64_t>::max()));
          },
          .text =
              [](const Seed& seed) {
                return seed.source == Seed::Source::given  ? fmt::format("{}", seed.number)
                       : seed.source == Seed::Source::time ? "time"
                                                           : "rand";
              }};
}

// All hosts of a run draw their inputs from one seed, so their command lines must contain a number.
std::uint64_t chosen_seed(const RunOptions& options) {
  if (options.seed.source == Seed::Source::given) return options.seed.number;
  const bool is_time = options.seed.source == Seed::Source::time;
  if (options.is_on_several_hosts() || options.share) {
    throw UsageError(
        fmt::format("--seed {}: the hosts of a run must use the same seed. Give a number",
                    is_time ? "time" : "rand"));
  }
  if (is_time) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  }
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

Syntax<metrics::ListenAddress> metrics_syntax() {
  return {.read = [](const Option& option, const std::string& word) {
    if (const auto address = metrics::parse_listen_address(word)) return *address;
    throw UsageError(fmt::format(
        "{} {}: expected a port, or a numeric address of this machine and a port, such as 9464, "
        "127.0.0.1:9464, [::1]:9464, 0.0.0.0:9464 (for other machines too) or 0 (any free port)",
        option.name(), word));
  }};
}

void set_hosts_of_database(const RunOptions& options, load::Plan& plan) {
  if (!options.run.settings.balance) return;
  plan.hosts = hosts_of(options.database);
  plan.affinity = options.run.settings.affinity;
  if (plan.hosts.size() < 2) {
    throw UsageError(
        "--balance needs several hosts in --db, such as "
        "postgresql://user@host1:5432,host2:5432/name");
  }
  if (plan.hosts.size() > report::hosts_max) {
    throw UsageError(fmt::format("--balance: --db has {} hosts. Expected at most {}",
                                 plan.hosts.size(), report::hosts_max));
  }
}

// Sets what the coordinator decides for an agent.
void take_part(RunPlan& run, load::Plan& plan) {
  const ranks::MemberWork& work = run.member->work();
  plan.share = work.share;
  run.ui = ui::DisplayMode::quiet;
  if (work.connections > 0) run.connections = work.connections;
}

void require_share_of(const char* option, std::uint64_t of_all, const load::Plan& plan) {
  if (plan.share.of(of_all) > 0 && of_all >= plan.share.ranks) return;
  throw UsageError(
      fmt::format("{} {}: too few. The number is divided among {} hosts, and each needs at least 1",
                  option, of_all, plan.share.ranks));
}

void set_rate(const ClientOptions& options, load::Plan& plan) {
  if (options.rate > 0 && options.rate < rate_least) {
    throw UsageError(
        fmt::format("--rate {:g}: expected at least {} per second, or 0 for a closed "
                    "loop",
                    options.rate, rate_least));
  }
  plan.rate = options.rate;
  plan.poisson = options.poisson;
  plan.think_time = Duration(std::llround(options.run.settings.think_time_s * 1e9));
  if (plan.think_time > Duration::zero() && plan.rate > 0) {
    throw UsageError(
        "--think-time cannot be combined with --rate, which starts operations on a schedule. Leave "
        "out one of them");
  }
  if (plan.poisson && plan.rate <= 0) {
    throw UsageError("--arrivals poisson needs --rate, because a closed loop has no schedule");
  }
}

// A number of operations counts from the first one, so there is no warm-up.
void set_end(const ClientOptions& options, const RunPlan& run, load::Plan& plan) {
  plan.warmup = options.warmup.value_or(Duration::zero());
  if (!options.operations) {
    if (!options.warmup) plan.warmup = automatic_warmup(plan, seconds(3));
    return;
  }
  plan.operations = *options.operations;
  require_share_of("--operations", plan.operations, plan);
  if (run.settings.max_attempts == 0U && !options.duration) {
    throw UsageError(
        fmt::format("{} 0 with --operations needs --duration, because a transaction that always "
                    "fails would be retried forever",
                    options.attempts_option));
  }
  if (plan.warmup > Duration::zero()) {
    throw UsageError(
        "--operations cannot be combined with --warmup, because --operations counts from the first "
        "operation. Set --warmup to 0");
  }
}

}  // namespace

RunOptions::RunOptions() {
  run.settings.on_db_loss = "wait";
  run.settings.statement_timeout_s = 60;
  run.settings.max_attempts = 20;
}

Option tx_mode_option(std::optional<Isolation>& isolation, std::string description) {
  return {"--tx-mode",
          one_of(&isolation, {{"serializable-rw", Isolation::serializable},
                              {"snapshot-rw", Isolation::snapshot}}),
          "", std::move(description),
          default_is("serializable-rw") + on_ydb +
              instead("For PostgreSQL, use --isolation read-committed, repeatable-read or "
                      "serializable")};
}

void add_isolation_options(Command& command, std::optional<Isolation>& isolation) {
  command.add_options(
      "Load", {{"--isolation",
                one_of(&isolation, {{"read-committed", Isolation::read_committed},
                                    {"repeatable-read", Isolation::repeatable_read},
                                    {"serializable", Isolation::serializable}}),
                "",
                "PostgreSQL: isolation level. Higher levels cause retries. Other dialects have "
                "their own defaults",
                default_is("read-committed") + on_postgres +
                    instead("For YDB, use --tx-mode serializable-rw or snapshot-rw")},
               tx_mode_option(isolation,
                              "YDB: mode of transactions that write (read-only transactions use a "
                              "snapshot). Servers disable snapshot-rw by default")});
}

void add_session_options(Command& command, RunOptions& options) {
  command.add_options(
      "Load",
      {{"--connection-max-age", in_seconds(&options.run.settings.connection_max_age_s), "TIME",
        "PostgreSQL: maximum age of connections. A connection is replaced between two "
        "transactions, at 90% to 100% of this age",
        default_is("unlimited") + in_range(at_least(seconds(1))) +
            excludes("--simulate-ms", "which opens no connections") + on_postgres},
       {"--balance", &options.run.settings.balance, "",
        "PostgreSQL: distribute connections evenly over the hosts in --db, and report the latency "
        "of each host",
        excludes("--simulate-ms", "which opens no connections") + on_postgres}});
}

void add_part_options(Command& command, RunOptions& options, std::function<int()> perform) {
  add_hosts_options(command, options.hosts);
  add_parts_option(command, options.hosts);
  command.member_action = [&options, perform](ranks::Member& member, const ranks::Message& work) {
    const ranks::MemberWork own = member_work(work);
    ranks::check_place_of_part(own);
    ranks::MemberRun run(member, own);
    options.run.member = &run;
    return perform();
  };
  command.add_options(
      hosts_group,
      {{"--share", OptionTarget(&options.share, part_syntax(run::shares_most)), "I/N",
        "Run part I (1 to N) of a load that you start by hand on N hosts. Use the same other "
        "options on all hosts; numbers such as --connections are totals over all hosts"},
       {"--start-at", OptionTarget(&options.start_at, start_time_syntax(load::unix_time_now)),
        "TIME",
        "Start the load at this time of the local clock: Unix seconds or 2026-11-25T20:00:00Z. "
        "Connections open earlier"}});
}

void add_failure_options(Command& command, RunOptions& options, const std::string& attempts) {
  settings::RunSettings& settings = options.run.settings;
  options.attempts_option = attempts;
  command.add_options(
      failures_group,
      {{attempts, &settings.max_attempts, "N",
        "Maximum number of attempts for a transaction that ends in a deadlock or a serialization "
        "failure; 0: no limit. The pauses between attempts are random and grow",
        in_range(0, 1'000)},
       {"--on-db-loss",
        &settings.on_db_loss,
        "wait|fail",
        "Reaction to an unavailable database. wait: reconnect and measure the "
        "outage; fail: end with exit code 1",
        {.only = {"wait", "fail"}}},
       {"--statement-timeout", in_seconds(&settings.statement_timeout_s), "TIME",
        "Time limit of a statement; 0: no limit. Drover closes a connection if the server is "
        "silent for another 5s",
        in_range(between(seconds(0), hours(24)))}});
}

Option seed_option(Seed& seed, std::string description) {
  return {"--seed", OptionTarget(&seed, seed_syntax()), "N|time|rand", std::move(description)};
}

Option ui_option(ui::DisplayMode& choice) {
  return {"--ui",
          one_of(&choice, {{"auto", ui::DisplayMode::automatic},
                           {"screen", ui::DisplayMode::screen},
                           {"plain", ui::DisplayMode::plain},
                           {"quiet", ui::DisplayMode::quiet}}),
          "",
          "Progress display. screen: live screen; plain: lines; quiet: none; auto: screen on a "
          "terminal of at least 80 x 24, else plain"};
}

Option metrics_option(RunOptions& options) {
  return {"--metrics", OptionTarget(&options.run.metrics, metrics_syntax()), "[ADDRESS:]PORT",
          "Serve /metrics for Prometheus during the run. ADDRESS: 127.0.0.1 by default, 0.0.0.0 "
          "for all addresses. PORT 0: any free port"};
}

Option server_stats_option(RunOptions& options) {
  return {"--server-stats", &options.run.settings.server_stats, "",
          "PostgreSQL: record every second what the run's sessions wait for, and with "
          "pg_stat_statements also the cost of each statement",
          excludes("--simulate-ms", "which uses no server")};
}

void add_result_options(Command& command, RunOptions& options) {
  command.add_options(
      output_group,
      {{"--strict", &options.strict, "",
        "Exit with code 1 if the result is invalid or breaks a rule of the specification"},
       {"--json", &options.json, "FILE", "Write the result to FILE as JSON", common_option}});
}

Option max_inflight_option(RunOptions& options) {
  return {"--max-inflight", &options.run.max_inflight, "N|auto",
          "Maximum number of transactions in flight; other transactions wait. auto: one per "
          "connection",
          in_range(1, run::permits_most)};
}

Option clients_option(ClientOptions& options, std::string description) {
  return {"-c,--clients", &options.clients, "N", std::move(description),
          in_range(1, clients_most) + common_option};
}

Option arrivals_option(ClientOptions& options, const std::string& condition) {
  return {"--arrivals", one_of(&options.poisson, {{"constant", false}, {"poisson", true}}), "",
          condition +
              ": time between starts. constant: equal; poisson: random, as with "
              "independent users"};
}

Option think_time_option(ClientOptions& options) {
  return {"--think-time", in_seconds(&options.run.settings.think_time_s), "TIME",
          "Closed loop: pause of each client after an answer. The latency excludes this pause",
          in_range(between(seconds(0), hours(24)))};
}

void add_connection_options(Command& command, ClientOptions& options) {
  command.add_options(
      "Load", {{"--connections", &options.run.connections, "N|auto",
                "Connections to the database. auto: one per client, limited by the server's free "
                "connections",
                in_range(1, run::run_connections_most) + common_option},
               max_inflight_option(options),
               {"--threads", &options.run.threads, "N|auto",
                "Worker threads. auto: with --rate one per 10,000 transactions per second, "
                "otherwise one per 16 clients; at most one per processor",
                in_range(1, run::threads_most)},
               seed_option(options.seed,
                           "Seed of all random inputs: 0 to 2^64 - 1, the current time, or a "
                           "random number")});
  add_session_options(command, options);
}

void add_client_options(Command& command, ClientOptions& options, const std::string& transactions) {
  command.add_options(
      "Load",
      {clients_option(options, "Number of concurrent clients"),
       {"--rate", &options.rate, "N",
        fmt::format("Open loop: start N {} per second on a fixed schedule, and measure latency "
                    "from each scheduled start. 0: closed loop",
                    transactions),
        in_range(0, rate_most) + common_option},
       arrivals_option(options, "With --rate"),
       {"--duration", &options.duration, "TIME|auto",
        "Time to measure, e.g. 90s, 10m, 2h. auto: 10m, or until --operations are done",
        in_range(at_least(seconds(1))) + common_option},
       {"--operations", &options.operations, "N",
        fmt::format(
            "End the run after N {}, or after --duration if that is earlier. There is no warm-up",
            transactions),
        in_range(1, 1e15L)},
       {"--warmup", &options.warmup, "TIME|auto",
        "Time to run the load before measuring; 0: no warm-up. auto: a tenth of --duration, 3s to "
        "10m"}});
  add_connection_options(command, options);
}

void add_progress_option(Command& command, bool& is_quiet) {
  command.add_options(
      output_group,
      {{"--ui", one_of(&is_quiet, {{"auto", false}, {"plain", false}, {"quiet", true}}), "",
        "Progress on the error stream. auto, plain: lines; quiet: none"}});
}

void add_clean_command(
    Command& group, std::string about, std::string example, std::string tables,
    std::function<coro::Task<std::vector<std::string>>(const DatabaseTarget&)> clean) {
  struct Arguments {
    DatabaseOption database;
    bool is_quiet = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  Command& command = group.add_command("clean", std::move(about), std::move(example));
  add_database_options(command, arguments->database);
  add_progress_option(command, arguments->is_quiet);
  command.action = [arguments, tables = std::move(tables), clean = std::move(clean)] {
    const DatabaseTarget target(arguments->database, DatabaseTarget::Use::administration);
    const auto clean_and_print = [&]() -> coro::Task<void> {
      const std::vector<std::string> dropped = co_await clean(target);
      print(dropped.empty() ? fmt::format("{} has no {}, so there is nothing to drop\n",
                                          target.description(), tables)
                            : fmt::format("dropped {}\n", fmt::join(dropped, ", ")),
            "what was dropped");
    };
    return run::run_command(clean_and_print());
  };
}

void require_screen(ui::DisplayMode choice) {
  const auto reason = choice == ui::DisplayMode::screen ? ui::why_no_screen() : std::nullopt;
  if (!reason) return;
  throw UsageError(
      fmt::format("--ui screen: {}. Use --ui plain, or run the command in a terminal", *reason));
}

Duration automatic_warmup(const load::Plan& plan, Duration least) {
  const Duration most = std::chrono::minutes(10);
  return std::clamp(plan.duration / 10, std::min(least, most), most);
}

RunPlan make_run_plan(const RunOptions& options, load::Plan& plan, bool simulated) {
  RunPlan run = options.run;
  require_screen(run.ui);
  plan.duration = options.duration.value_or(std::chrono::minutes(10));
  plan.threads = static_cast<std::size_t>(run.threads.value_or(1));
  plan.seed = chosen_seed(options);
  run.settings.max_inflight_chosen = run.max_inflight.has_value();
  const std::uint64_t attempts = run.settings.max_attempts.value_or(0);
  plan.retry.attempts_max =
      attempts > 0 ? static_cast<int>(attempts) : std::numeric_limits<int>::max();
  plan.connection_max_age = Duration(std::llround(run.settings.connection_max_age_s * 1e9));
  set_hosts_of_database(options, plan);
  run.start_at = options.start_at;
  if (options.share) {
    const auto [number, of] = *options.share;
    plan.share = {.before = number - 1, .own = 1, .total = of, .rank = number - 1, .ranks = of};
  }
  run.tool = tool();
  if (run.member != nullptr) {
    take_part(run, plan);
  } else if (options.hosts.several()) {
    if (options.share || options.start_at) {
      throw UsageError(
          "--share and --start-at cannot be combined with --hosts or --agents, which divide the "
          "load and start all hosts together");
    }
    run.conducting = make_conducting(options.hosts, options.database.db.empty() && !simulated);
  }
  return run;
}

RunPlan make_client_run(const ClientOptions& options, load::Plan& plan) {
  RunPlan run = make_run_plan(options, plan);
  if (!options.duration && options.operations) plan.duration = load::Plan::without_end;
  // YCSB's properties can set the number of clients and the rate beyond the ranges of the options.
  if (static_cast<long double>(options.clients) > clients_most || options.rate > rate_most) {
    throw UsageError(
        fmt::format("expected at most {:.0f} clients and {:.0f} transactions per "
                    "second",
                    clients_most, rate_most));
  }
  plan.set_clients(static_cast<std::size_t>(options.clients));
  require_share_of("--clients", plan.clients, plan);
  set_rate(options, plan);
  set_end(options, run, plan);
  return run;
}

namespace {

// Returns a sentence that tells where the parts of the result are, for a result that could not be
// written. Empty for a run on one host.
std::string advice_of_parts(const report::Result& result) {
  for (const report::RankResult& one : result.ranks) {
    if (one.part.empty()) continue;
    return fmt::format(
        ". Each host has stored its part of the result in a file, such as \"{}\" on {}. Copy these "
        "files to one place and join them with 'drover merge'",
        text::shown(one.part, 300), report::rank_text(result.ranks, one));
  }
  return {};
}

void write_document(const std::string& path, const report::Result& result) {
  if (path.empty()) return;
  try {
    report::write_result_file(path, result);
  } catch (const file::FileError& error) {
    throw std::runtime_error(error.what() + advice_of_parts(result));
  }
}

}  // namespace

int finish_run(const run::MeasuredRun& run, const RunOptions& options, const SummaryText& summary,
               const std::function<void()>& write_more) {
  const report::Result& result = run.result;
  if (options.run.member != nullptr) {
    options.run.member->deliver(result);
    return result.failure || result.interrupted ? exit_failure : exit_success;
  }
  // The document comes first, since a reader of the summary that closes the pipe ends the process.
  write_each({[&] { write_document(options.json, result); }, write_more,
              [&] { print(summary(result, summary_width()), "the summary"); }});
  if (result.failure) {
    fmt::print(stderr, "drover: error: the run was aborted: {}\n", *result.failure);
    return exit_failure;
  }
  if (result.incomplete) {
    fmt::print(stderr, "drover: error: the result is incomplete: {}\n", *result.incomplete);
    return exit_failure;
  }
  if (!run.log_failure.empty()) throw std::runtime_error(run.log_failure);
  if (run.stop_requested) return exit_interrupted;
  const report::AuditSummary audit = report::summarise(result.audit);
  if (options.strict && !(audit.valid && audit.compliant)) {
    fmt::print(stderr, "drover: error: --strict: {}\n", audit.sentence);
    return exit_failure;
  }
  return exit_success;
}

}  // namespace drover::cli
