#include "run/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "run/usage_error.h"
#include "workload/tpcc/mix.h"

namespace drover::run {
namespace {

// What a thread can do by far: a transaction costs it 20 to 50 µs.
constexpr double transactions_a_thread = 10'000;

double transactions_a_second(const tpcc::Plan& plan) {
  const double cycle = coro::seconds_of(tpcc::mean_cycle(plan.pace));
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
  const tpcc::Plan& plan = run.plan;
  const auto processors = static_cast<double>(std::thread::hardware_concurrency());
  double wanted = plan.no_delays ? 4 * processors : transactions_a_second(plan) * 0.1;
  wanted = std::clamp(wanted, 16.0, 500.0);
  if (server.connections_max > 0) wanted = std::min(wanted, static_cast<double>(free) * 0.8);
  wanted = std::min(wanted, static_cast<double>(plan.terminals()));
  return std::max<std::size_t>(static_cast<std::size_t>(wanted), plan.threads);
}

}  // namespace

void resolve_threads(RunPlan& run) {
  tpcc::Plan& plan = run.plan;
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
  tpcc::Plan& plan = run.plan;
  plan.connections = connections_for(run, server);
  const auto permits = static_cast<std::size_t>(run.max_inflight.value_or(run_connections_most));
  plan.max_inflight = std::min(permits, plan.connections);
  plan.threads = std::min({plan.threads, plan.connections, plan.max_inflight});
}

void complete_plan(RunPlan& run) {
  run.plan.complete();
  const tpcc::Plan& plan = run.plan;
  settings::RunSettings& settings = run.settings;
  settings.warehouses = static_cast<std::uint64_t>(plan.warehouses);
  settings.duration_s = coro::seconds_of(plan.duration);
  settings.warmup_s = coro::seconds_of(plan.warmup);
  settings.no_delays = plan.no_delays;
  settings.pace = plan.pace;
  settings.seed = plan.seed;
  settings.deferred_delivery = plan.deferred_delivery;
  settings.threads = plan.threads;
  settings.connections = plan.connections;
  settings.max_inflight = plan.max_inflight;
}

}  // namespace drover::run
