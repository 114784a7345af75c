#include "cli/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include "cli/agent.h"
#include "cli/help/help.h"
#include "cli/option/quantity.h"
#include "cli/option/start_time.h"
#include "cli/standard_output.h"
#include "cli/version.h"
#include "file/atomic_file.h"
#include "ranks/member_run.h"
#include "report/document/result_json.h"
#include "report/page/report.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "ui/terminal/screen_place.h"

namespace drover::cli {

using coro::Duration;
using database::Isolation;
using run::RunPlan;
using std::chrono::seconds;

namespace {

// What to do when the database does not do what it should.
void read_failures(const RunRequest& written, RunPlan& run, load::Plan& plan) {
  if (written.on_db_loss != "wait" && written.on_db_loss != "fail") {
    throw UsageError(fmt::format("--on-db-loss {}: expected wait or fail", written.on_db_loss));
  }
  const Duration timeout = parse_duration("--statement-timeout", written.statement_timeout);
  if (timeout > std::chrono::hours(24)) {
    throw UsageError("--statement-timeout: expected at most 24h. 0 means no timeout");
  }
  run.settings.on_db_loss = written.on_db_loss;
  run.settings.statement_timeout_s = coro::seconds_of(timeout);
  const auto attempts =
      static_cast<int>(parse_count(written.attempts_option, written.max_attempts, 0, 1'000));
  run.settings.max_attempts = static_cast<std::uint64_t>(attempts);
  plan.retry.attempts_max = attempts > 0 ? attempts : std::numeric_limits<int>::max();
}

// All hosts of a run draw their inputs from one seed, so their command lines must contain a number.
std::uint64_t parse_seed(const RunRequest& written) {
  if (written.seed != "time" && written.seed != "rand") {
    if (const auto seed = text::number_of<std::uint64_t>(written.seed)) return *seed;
    throw UsageError(fmt::format("--seed {}: expected a whole number from 0 to {}, time or rand",
                                 text::shown(written.seed),
                                 std::numeric_limits<std::uint64_t>::max()));
  }
  if (written.member != nullptr || written.hosts.several() || !written.share.empty()) {
    throw UsageError(fmt::format(
        "--seed {}: the hosts of a run must use the same seed. Give a number", written.seed));
  }
  if (written.seed == "time") {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  }
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

Duration read_max_age(const std::string& written) {
  if (written.empty()) return {};
  const Duration age = parse_duration("--connection-max-age", written);
  if (age < seconds(1) || age > load::Plan::without_end) {
    throw UsageError(fmt::format(
        "--connection-max-age {}: expected a time from 1s to 8760h, such as 55m", written));
  }
  return age;
}

// What the conductor says, which shows the run and watches the server itself.
void take_part(const RunRequest& written, RunPlan& run, load::Plan& plan) {
  const ranks::MemberWork& work = written.member->work();
  plan.share = work.share;
  run.member = written.member;
  run.ui = ui::Choice::quiet;
  if (work.connections > 0) run.connections = work.connections;
}

// One of the hosts that make the load together, by hand.
void read_part(const RunRequest& written, RunPlan& run, load::Plan& plan) {
  if (!written.start_at.empty()) run.start_at = parse_start_time("--start-at", written.start_at);
  if (written.share.empty()) return;
  const auto [number, of] = parse_part("--share", written.share, run::shares_most);
  plan.share = {.before = number - 1, .own = 1, .total = of, .rank = number - 1, .ranks = of};
}

// How sessions are kept, and over which hosts they are spread.
void read_sessions(const RunRequest& written, const DatabaseOption& database, RunPlan& run,
                   load::Plan& plan) {
  if (kind_of(database) == DatabaseKind::ydb) {
    for (const auto& [name, is_given] :
         {std::pair("--connection-max-age", !written.connection_max_age.empty()),
          std::pair("--balance", written.balance), std::pair("--affinity", written.affinity)}) {
      if (is_given) throw UsageError(fmt::format("{} applies only to PostgreSQL", name));
    }
  }
  plan.connection_max_age = read_max_age(written.connection_max_age);
  run.settings.connection_max_age_s = coro::seconds_of(plan.connection_max_age);
  if (written.affinity && !written.balance) {
    throw UsageError(
        "--affinity needs --balance: without it, all terminals use the same server host");
  }
  if (!written.balance) return;
  plan.hosts = hosts_of(database);
  plan.affinity = written.affinity;
  if (plan.hosts.size() < 2) {
    throw UsageError(
        "--balance needs several hosts in --db, such as "
        "postgresql://user@host1:5432,host2:5432/name");
  }
  if (plan.hosts.size() > report::hosts_max) {
    throw UsageError(fmt::format("--balance: --db has {} hosts. Expected at most {}",
                                 plan.hosts.size(), report::hosts_max));
  }
  run.settings.balance = true;
  run.settings.affinity = written.affinity;
}

}  // namespace

void add_session_options(Command& command, RunRequest& request) {
  command.add_options(
      "Load",
      {{"--connection-max-age", &request.connection_max_age, "TIME",
        "PostgreSQL: replace each connection when it reaches 90% to 100% of this age, between "
        "two transactions; 1s to 8760h (default: never)"},
       {"--balance", &request.balance, "",
        "PostgreSQL: distribute connections evenly over the hosts in --db, and report the "
        "latency of each host"}});
}

void add_part_options(Command& command, RunRequest& request, std::function<int()> perform) {
  add_hosts_options(command, request.hosts);
  add_parts_option(command, request.hosts);
  command.member_action = [&request, perform](ranks::Member& member, const ranks::Message& work) {
    const ranks::MemberWork own = member_work(work);
    ranks::check_place_of_part(own);
    ranks::MemberRun run(member, own);
    request.member = &run;
    return perform();
  };
  command.add_options(
      hosts_group,
      {{"--share", &request.share, "I/N",
        "Run part I (1 to N) of a load that is started by hand on N hosts. Give all hosts "
        "the same other options; numbers such as --connections are totals over all hosts"},
       {"--start-at", &request.start_at, "TIME",
        "Start the load at this time of the local clock: Unix seconds or "
        "2026-11-25T20:00:00Z. Connections open earlier"}});
}

void add_affinity_option(Command& command, RunRequest& request) {
  command.add_options("Load",
                      {{"--affinity", &request.affinity, "",
                        "With --balance: keep the terminals of a warehouse on one host while that "
                        "host is available"}});
}

void add_failure_options(Command& command, RunRequest& request) {
  command.add_options(failures_group,
                      {{request.attempts_option, &request.max_attempts, "N",
                        "Attempts per transaction, 1 to 1000, if it ends in a deadlock or a "
                        "serialization failure. The pauses between attempts are random and grow. "
                        "0: no limit"},
                       {"--on-db-loss", &request.on_db_loss, "wait|fail",
                        "Reaction to an unavailable database. wait: reconnect and measure the "
                        "outage; fail: end with exit code 1"},
                       {"--statement-timeout", &request.statement_timeout, "TIME",
                        "Time limit of a statement, up to 24h; 0: none. Drover drops a connection "
                        "that stays silent for 5s more"}});
}

void add_ui_option(Command& command, std::string& written) {
  command.add_options("Output",
                      {{"--ui", &written, "auto|screen|plain|quiet",
                        "Progress display. screen: live screen; plain: lines; quiet: none; auto: "
                        "screen on a terminal of at least 80 x 24, else plain"}});
}

void add_metrics_option(Command& command, RunRequest& request) {
  command.add_options("Output", {{"--metrics", &request.metrics, "[ADDRESS:]PORT",
                                  "Serve /metrics for Prometheus during the run. ADDRESS: default "
                                  "127.0.0.1; 0.0.0.0: all addresses. PORT 0: any free port"}});
}

void add_server_stats_option(Command& command, RunRequest& request) {
  command.add_options("Output", {{"--server-stats", &request.server_stats, "",
                                  "PostgreSQL: record every second what the run's sessions wait "
                                  "for; with pg_stat_statements also the cost of statements"}});
}

void add_result_options(Command& command, RunRequest& request) {
  command.add_options(
      "Output",
      {{"--strict", &request.strict, "",
        "Exit with code 1 if the result is invalid or breaks a rule of the "
        "specification"},
       {"--json", &request.json, "FILE", "Write the result to FILE as JSON", common_option}});
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
      fmt::format("--ui screen: {}. Use --ui plain, or run the command in a terminal", *reason));
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

// The same thing has two names, with what each kind of database offers.
std::optional<Isolation> parse_isolation(const RunRequest& written, DatabaseKind kind) {
  if (kind == DatabaseKind::ydb) {
    if (written.isolation) {
      throw UsageError(
          "--isolation applies only to PostgreSQL. For YDB, use --tx-mode serializable-rw or "
          "snapshot-rw");
    }
    return parse_choice<Isolation>(
        "--tx-mode", written.tx_mode.value_or("serializable-rw"),
        {{"serializable-rw", Isolation::serializable}, {"snapshot-rw", Isolation::snapshot}});
  }
  if (written.tx_mode) {
    throw UsageError(
        "--tx-mode applies only to YDB. For PostgreSQL, use --isolation read-committed, "
        "repeatable-read or serializable");
  }
  if (!written.isolation) return std::nullopt;
  return parse_choice<Isolation>("--isolation", *written.isolation,
                                 {{"read-committed", Isolation::read_committed},
                                  {"repeatable-read", Isolation::repeatable_read},
                                  {"serializable", Isolation::serializable}});
}

Duration automatic_warmup(const load::Plan& plan, Duration least) {
  const Duration most = std::chrono::minutes(10);
  return std::clamp(plan.duration / 10, std::min(least, most), most);
}

RunPlan make_run_plan(const RunRequest& written, const DatabaseOption& database, load::Plan& plan,
                      bool simulated) {
  RunPlan run;
  plan.duration = parse_duration("--duration", written.duration);
  if (plan.duration < seconds(1)) throw UsageError("--duration: expected at least 1s");
  const auto threads = parse_count_or_auto("--threads", written.threads, 1, 1024);
  run.threads_auto = !threads;
  plan.threads = static_cast<std::size_t>(threads.value_or(1));
  run.connections =
      parse_count_or_auto("--connections", written.connections, 1, run::run_connections_most);
  run.max_inflight = parse_count_or_auto("--max-inflight", written.max_inflight, 1, 10'000'000);
  run.settings.max_inflight_chosen = run.max_inflight.has_value();
  plan.seed = parse_seed(written);
  run.ui = parse_ui_choice(written.ui);
  run.metrics = parse_metrics_address(written.metrics);
  run.settings.server_stats = written.server_stats;
  read_failures(written, run, plan);
  read_sessions(written, database, run, plan);
  read_part(written, run, plan);
  run.tool = tool();
  if (written.member != nullptr) {
    take_part(written, run, plan);
  } else if (written.hosts.several()) {
    if (!written.share.empty() || !written.start_at.empty()) {
      throw UsageError(
          "--share and --start-at cannot be combined with --hosts or --agents, which divide the "
          "load and start all hosts together");
    }
    run.conducting = make_conducting(written.hosts, database.db.empty() && !simulated);
  }
  return run;
}

namespace {

// Returns a sentence that tells where the parts of the result are, for a result that could not be
// written. Empty for a run on one host.
std::string advice_of_parts(const report::Result& result) {
  for (const report::RankResult& one : result.ranks) {
    if (one.part.empty()) continue;
    return fmt::format(
        ". Each host has kept its part of the result, such as \"{}\" on {}. Copy the parts to one "
        "place and join them with 'drover merge'",
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

int finish_run(const run::MeasuredRun& run, const RunRequest& written, const SummaryText& summary,
               const std::function<void()>& write_more) {
  const report::Result& result = run.result;
  if (written.member != nullptr) {
    written.member->deliver(result);
    return result.failure || result.interrupted ? exit_failure : exit_success;
  }
  // The document comes first: whoever reads the summary may leave, and that ends the process.
  write_each({[&] { write_document(written.json, result); }, write_more,
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
  if (written.strict && !(audit.valid && audit.compliant)) {
    fmt::print(stderr, "drover: error: --strict: {}\n", audit.sentence);
    return exit_failure;
  }
  return exit_success;
}

}  // namespace drover::cli
