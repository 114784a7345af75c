#include "run/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <thread>

#include "run/conducting.h"
#include "run/usage_error.h"

namespace drover::run {
namespace {

// Returns the smallest number of which each host's share has at least one.
std::size_t one_for_each(const Conducting& conducting) {
  std::size_t least = 0;
  for (const load::Share& share : conducting.shares) {
    least = std::max(least, static_cast<std::size_t>((share.total + share.own - 1) / share.own));
  }
  return least;
}

// Far below the capacity of a thread: a transaction takes 20 to 50 µs of its time.
constexpr double transactions_a_thread = 10'000;

std::string_view is_or_are(std::int64_t count) {
  return count == 1 ? "is" : "are";
}

// Throws UsageError if the server has too few free connections. One free connection suffices for a
// run with one connection, which then does not watch the server.
void require_room(std::int64_t wanted, std::int64_t watching, const database::ServerFacts& server) {
  const std::int64_t unused = server.connections_max - server.connections_used;
  const std::int64_t free = std::max<std::int64_t>(unused - watching, unused > 0 ? 1 : 0);
  if (wanted <= free || server.connections_max == 0) return;
  const std::int64_t reserved = server.connections_reserved;
  throw UsageError(fmt::format(
      "--connections {}: the server has only {} free connections, because {} is {}{}, {} in use, "
      "and Drover "
      "needs {} to watch the server. Use at most {}",
      wanted, free, server.connections_limit, server.connections_max + reserved,
      reserved > 0 ? fmt::format(", {} {} reserved", reserved, is_or_are(reserved)) : "",
      fmt::format("{} {}", server.connections_used, is_or_are(server.connections_used)), watching,
      free));
}

// Returns this host's part of an option's value. Throws UsageError if a host would have none.
std::int64_t own_part(const char* option, std::int64_t of_all, const load::Plan& plan) {
  const auto part = static_cast<std::int64_t>(plan.share.of(static_cast<std::uint64_t>(of_all)));
  if (part > 0 && static_cast<std::uint64_t>(of_all) >= plan.share.ranks) return part;
  throw UsageError(fmt::format(
      "{} {}: too few. The number is divided among all hosts, and each needs at least 1", option,
      of_all));
}

std::size_t permits_for(const RunPlan& run, const load::Plan& plan, std::int64_t otherwise) {
  if (!run.max_inflight) return static_cast<std::size_t>(otherwise);
  return static_cast<std::size_t>(own_part("--max-inflight", *run.max_inflight, plan));
}

void set_connections(const RunPlan& run, Benchmark& benchmark,
                     const database::ServerFacts& server) {
  // One connection watches the checkpoints, and one the activity.
  const std::int64_t watching = run.settings.server_stats ? 2 : 1;
  const std::int64_t free =
      std::max<std::int64_t>(server.connections_max - server.connections_used - watching, 0);
  load::Plan& plan = benchmark.plan();
  if (run.connections) {
    const std::int64_t own = own_part("--connections", *run.connections, plan);
    // The coordinator has checked the room for all hosts, whose connections may be open by now.
    if (run.member == nullptr) require_room(own, watching, server);
    return plan.set_connections(static_cast<std::size_t>(*run.connections));
  }
  double wanted = benchmark.connections_wanted();
  if (server.connections_max > 0) {
    wanted = std::min(wanted, plan.share.of_rate(static_cast<double>(free) * 0.8));
  }
  wanted = std::min(wanted, static_cast<double>(plan.terminal_count));
  const std::size_t least = run.conducting != nullptr ? one_for_each(*run.conducting) : 0;
  plan.set_own_connections(std::max({static_cast<std::size_t>(wanted), plan.threads, least}));
}

}  // namespace

void resolve_threads(const RunPlan& run, Benchmark& benchmark) {
  load::Plan& plan = benchmark.plan();
  const auto processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  if (!run.threads) {
    const std::optional<double> rate = benchmark.transactions_a_second();
    const std::size_t wanted =
        rate ? static_cast<std::size_t>(std::ceil(*rate / transactions_a_thread))
             : benchmark.threads_without_rate();
    plan.threads = std::clamp<std::size_t>(wanted, 1, processors);
  }
  plan.threads = std::min(plan.threads, benchmark.threads_most());
}

void resolve_connections(const RunPlan& run, Benchmark& benchmark,
                         const database::ServerFacts& server) {
  load::Plan& plan = benchmark.plan();
  set_connections(run, benchmark, server);
  plan.max_inflight = std::min(permits_for(run, plan, run_connections_most), plan.connections);
  plan.threads = std::min({plan.threads, plan.connections, plan.max_inflight});
}

void resolve_permits(const RunPlan& run, Benchmark& benchmark) {
  load::Plan& plan = benchmark.plan();
  plan.max_inflight = permits_for(run, plan, 0);
  if (plan.max_inflight > 0) plan.threads = std::min(plan.threads, plan.max_inflight);
}

void complete_settings(settings::RunSettings& settings, const load::Plan& plan) {
  const bool has_end = plan.duration != load::Plan::without_end;
  settings.duration_s = has_end ? coro::seconds_of(plan.duration) : 0;
  settings.warmup_s = coro::seconds_of(plan.warmup);
  settings.seed = plan.seed;
  settings.threads = plan.threads;
  settings.connections = plan.connections;
  settings.max_inflight = plan.max_inflight;
}

void complete_plan(RunPlan& run, Benchmark& benchmark) {
  benchmark.plan().waits_for_phases = run.waits_for_others();
  benchmark.complete(run.settings);
  const load::Plan& plan = benchmark.plan();
  complete_settings(run.settings, plan);
  if (plan.share.is_whole()) return;
  const auto whole = [](const std::optional<std::int64_t>& figure) {
    return figure ? std::optional(static_cast<std::uint64_t>(*figure)) : std::nullopt;
  };
  run.settings.of_all_hosts = {.connections = whole(run.connections),
                               .max_inflight = whole(run.max_inflight),
                               .terminals = benchmark.terminals_of({}),
                               .rate = plan.rate,
                               .operations = plan.operations};
}

}  // namespace drover::run
