#include "cli/run_result.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/version.h"
#include "measure/process.h"

namespace drover::cli {
namespace {

double seconds(coro::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

report::PlanSummary plan_summary(const load::Plan& plan, const RunFacts& facts) {
  report::PlanSummary summary;
  summary.warehouses = static_cast<std::uint64_t>(plan.warehouses);
  summary.duration_s = seconds(plan.duration);
  summary.warmup_s = seconds(plan.warmup);
  summary.threads = plan.threads;
  summary.connections = facts.connections;
  summary.max_inflight = plan.max_inflight;
  summary.no_delays = plan.no_delays;
  summary.pace = plan.pace;
  summary.seed = plan.seed;
  summary.statements = facts.statements;
  summary.schema = facts.schema;
  summary.isolation = facts.isolation;
  summary.simulate_ms = facts.simulate_ms;
  return summary;
}

void add_transactions(const load::TransactionMetrics& metrics, report::TransactionResult& result) {
  result.ok_count += metrics.committed.get();
  result.user_aborted_count += metrics.user_aborted.get();
  result.failed_count += metrics.failed.get();
  result.retry_count += metrics.retries.get();
  result.attempts += metrics.attempts.get();
  metrics.latency.add_to(result.latency);
  metrics.wait.add_to(result.wait);
  for (std::size_t i = 0; i < metrics.errors.size(); ++i) {
    const std::uint64_t count = metrics.errors[i].get();
    if (count == 0) continue;
    const auto name = database::error_class_name(static_cast<database::ErrorClass>(i));
    result.errors_by_class[std::string(name)] += count;
  }
  for (const auto& [sqlstate, count] : metrics.errors_by_sqlstate) {
    result.errors_by_sqlstate[sqlstate] += count;
  }
}

report::TimePoint time_point(const load::Sample& sample) {
  report::TimePoint point;
  point.t = seconds(sample.elapsed);
  point.phase = sample.phase == load::Phase::warmup ? "warm-up" : "measure";
  point.ok.assign(sample.committed.begin(), sample.committed.end());
  point.failed = sample.failed;
  point.p50_ms = sample.p50_ms;
  point.p90_ms = sample.p90_ms;
  point.p99_ms = sample.p99_ms;
  point.in_flight = sample.in_flight;
  point.waiting = sample.waiting;
  return point;
}

}  // namespace

report::Result make_result(const load::Plan& plan, const RunFacts& facts,
                           const load::Outcome& outcome) {
  report::Result result;
  result.tool = tool();
  result.plan = plan_summary(plan, facts);
  result.environment.client = measure::describe_host();
  result.environment.server = facts.server;
  result.transactions = report::tpcc_transactions();
  for (const auto& worker : outcome.workers) {
    for (std::size_t type = 0; type < tpcc::transaction_type_count; ++type) {
      add_transactions(worker->measured[type], result.transactions[type]);
    }
    result.delivery_skipped_districts += worker->districts_skipped.get();
  }
  result.summary.time_seconds = seconds(outcome.measured);
  result.summary.measure_start_ts = outcome.measure_start_ts;
  report::complete_summary(result);

  const measure::ProcessUsage usage = measure::read_process_usage();
  result.client.cpu_seconds = outcome.client_cpu_seconds;
  result.client.peak_rss_bytes = usage.peak_rss_bytes;
  result.client.threads = plan.threads + 1;  // the main thread samples
  result.client.terminals = plan.terminals();
  result.client.connections = facts.connections;
  result.client.worker_loads = outcome.worker_loads;
  for (const load::Sample& sample : outcome.samples) {
    result.time_series.push_back(time_point(sample));
  }
  result.interrupted = outcome.interrupted;
  if (outcome.failure) {
    result.verdicts.push_back({"database available", false, *outcome.failure});
  }
  return result;
}

}  // namespace drover::cli
