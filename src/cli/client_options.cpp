#include "cli/client_options.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "cli/option/quantity.h"

namespace drover::cli {
namespace {

constexpr std::int64_t clients_most = 1'000'000;
constexpr double rate_most = 1e7;

void require_share_of(const char* option, std::uint64_t of_all, const load::Plan& plan) {
  if (plan.share.of(of_all) > 0 && of_all >= plan.share.ranks) return;
  throw UsageError(
      fmt::format("{} {}: too few. The number is divided among {} hosts, and each needs at least 1",
                  option, of_all, plan.share.ranks));
}

void read_rate(const ClientRequest& written, load::Plan& plan) {
  if (!(written.rate >= 0 && written.rate <= rate_most)) {
    throw UsageError(fmt::format(
        "--rate {:g}: expected a number from 0 to {:.0f} per second. 0 means a closed loop",
        written.rate, rate_most));
  }
  if (written.rate > 0 && written.rate < 1e-3) {
    throw UsageError(fmt::format(
        "--rate {:g}: expected at least 0.001 per second, or 0 for a closed loop", written.rate));
  }
  plan.rate = written.rate;
  plan.poisson =
      parse_choice<bool>("--arrivals", written.arrivals, {{"constant", false}, {"poisson", true}});
  if (plan.poisson && plan.rate <= 0) {
    throw UsageError("--arrivals poisson needs --rate: without a rate there is no schedule");
  }
}

// What is counted from the first operation on has no warm-up.
void read_end(const ClientRequest& written, load::Plan& plan) {
  if (written.warmup != "auto") plan.warmup = parse_duration("--warmup", written.warmup);
  if (written.operations.empty()) {
    if (written.warmup == "auto") plan.warmup = automatic_warmup(plan, std::chrono::seconds(3));
    return;
  }
  plan.operations = static_cast<std::uint64_t>(
      parse_count("--operations", written.operations, 1, std::numeric_limits<std::int64_t>::max()));
  require_share_of("--operations", plan.operations, plan);
  if (written.max_attempts == "0" && written.duration == "auto") {
    throw UsageError(
        fmt::format("{} 0 with --operations needs --duration: a transaction that always fails "
                    "would be retried forever",
                    written.attempts_option));
  }
  if (plan.warmup > coro::Duration::zero()) {
    throw UsageError(
        "--operations cannot be combined with --warmup, because it counts from the first "
        "operation. Set --warmup to 0");
  }
}

}  // namespace

void add_client_options(Command& command, ClientRequest& request, const std::string& transactions) {
  command.add_options(
      "Load",
      {{"-c,--clients", &request.clients, "N", "Number of concurrent clients, 1 to 1000000",
        common_option},
       {"--rate", &request.rate, "N",
        fmt::format(
            "Open loop: start N {} per second on a fixed schedule, and measure latency from "
            "each scheduled start. 0: closed loop",
            transactions),
        common_option},
       {"--arrivals", &request.arrivals, "constant|poisson",
        "With --rate: time between starts. constant: equal; poisson: random, as with independent "
        "users"},
       {"--duration", &request.duration, "TIME",
        "Time to measure, e.g. 90s, 10m, 2h. auto: 10m, or until --operations are done",
        common_option},
       {"--operations", &request.operations, "N",
        fmt::format("End the run after N {} or after --duration, without a warm-up", transactions)},
       {"--warmup", &request.warmup, "TIME|auto",
        "Time to run the load before measuring; 0: none. auto: a tenth of --duration, 3s to 10m"}});
  add_connection_options(command, request);
}

void add_connection_options(Command& command, ClientRequest& request) {
  command.add_options(
      "Load",
      {{"--connections", &request.connections, "N|auto",
        "Connections to the database. auto: one per client, limited by the server's free "
        "connections",
        common_option},
       {"--max-inflight", &request.max_inflight, "N|auto",
        "Maximum number of transactions in flight; the rest wait. auto: one per connection"},
       {"--threads", &request.threads, "N|auto",
        "Worker threads, up to 1024. auto: one per 10,000 transactions per second of --rate, else "
        "one per 16 clients; at most one per processor"},
       {"--seed", &request.seed, "N|time|rand",
        "Seed of all random inputs: 0 to 2^64 - 1, the current time, or a random number"}});
  add_session_options(command, request);
}

run::RunPlan make_client_run(const ClientRequest& written, const DatabaseOption& database,
                             load::Plan& plan) {
  RunRequest timed = written;
  if (timed.duration == "auto") timed.duration = written.operations.empty() ? "10m" : "8760h";
  run::RunPlan run = make_run_plan(timed, database, plan);
  plan.set_clients(
      static_cast<std::size_t>(parse_count("--clients", written.clients, 1, clients_most)));
  require_share_of("--clients", plan.clients, plan);
  read_rate(written, plan);
  read_end(written, plan);
  return run;
}

}  // namespace drover::cli
