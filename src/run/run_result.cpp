#include "run/measured_run.h"

#include <algorithm>
#include <utility>

#include "measure/process.h"
#include "model/adder.h"
#include "model/totals_fields.h"

namespace drover::run {
namespace {

using coro::seconds_of;

// Adds the transactions in flight at the end of the run. Only late ones count among the latencies,
// so that they do not change the figures of a run without problems.
void add_pending(const load::WorkerMetrics& worker, std::vector<report::TransactionResult>& results,
                 const std::vector<std::uint64_t>& late_ns) {
  using End = load::PendingTransaction::End;
  for (const load::PendingTransaction& one : worker.pending) {
    report::TransactionResult& result = results[one.type];
    ++result.pending.count;
    if (static_cast<std::uint64_t>(one.age.count()) <= late_ns[one.type]) continue;
    if (one.end == End::rolled_back) continue;
    const auto latency = static_cast<std::uint64_t>(one.latency.count());
    result.latency.record(latency);
    if (one.end == End::committed) {
      ++result.pending.answered;
    } else {
      result.pending.unanswered.record(latency);
    }
  }
}

}  // namespace

report::TimePoint time_point(const load::Sample& sample) {
  return {sample, seconds_of(sample.elapsed),
          sample.phase == load::Phase::warmup ? "warm-up" : "measure"};
}

namespace {

// Returns true for an event that had ended before the run began.
bool was_over(const auto& observed, const load::Outcome& outcome) {
  return observed.end && *observed.end <= outcome.start;
}

// Returns begin and end of an outage, a stall or a checkpoint. The begin is at least 0.
template <class Span>
Span span_of(const auto& observed, const load::Outcome& outcome) {
  Span span;
  span.start_s = std::max(seconds_of(observed.start - outcome.start), 0.0);
  if (observed.end) span.end_s = seconds_of(*observed.end - outcome.start);
  return span;
}

}  // namespace

report::Availability availability(const load::Plan& plan, const load::Outcome& outcome) {
  const load::AvailabilityRecord& record = outcome.availability;
  report::Availability result{record.counts()};
  result.run_start_ts = outcome.unix_start;
  result.interruptions += record.outages_dropped;
  if (plan.connection_max_age > coro::Duration::zero()) {
    result.sessions_renewed = record.sessions_renewed;
  }
  const double measured_from = seconds_of(plan.warmup);
  const double measured_until = measured_from + seconds_of(outcome.measured);
  const auto seconds_measured = [&](const auto& span) {
    const double from = std::max(span.start_s, measured_from);
    return std::max(std::min(span.end_s.value_or(measured_until), measured_until) - from, 0.0);
  };
  for (const load::Outage& outage : record.outages) {
    if (was_over(outage, outcome)) continue;
    auto& entry = result.outages.emplace_back(span_of<report::Outage>(outage, outcome));
    entry.transactions_lost = outage.transactions_lost;
    entry.first_error = outage.first_error;
    result.unavailable_s += seconds_measured(entry);
  }
  for (const load::Stall& stall : record.stalls) {
    if (was_over(stall, outcome)) continue;
    result.stalls.push_back(span_of<report::Stall>(stall, outcome));
    result.stalled_s += seconds_measured(result.stalls.back());
  }
  return result;
}

namespace {

std::vector<report::Checkpoint> checkpoints(
    const std::vector<database::ObservedCheckpoint>& observed, const load::Outcome& outcome) {
  std::vector<report::Checkpoint> result;
  for (const database::ObservedCheckpoint& one : observed) {
    if (was_over(one, outcome)) continue;
    result.push_back(span_of<report::Checkpoint>(one, outcome));
    result.back().requested = one.requested;
  }
  return result;
}

// Converts all samples. Means are those of the measured interval.
report::ServerStats server_stats(const database::ObservedActivity& observed, const load::Plan& plan,
                                 const load::Outcome& outcome) {
  report::ServerStats stats;
  const double measured_from = seconds_of(plan.warmup);
  const double measured_until = measured_from + seconds_of(outcome.measured);
  std::vector<std::uint64_t> sums(observed.events.size());
  for (const database::ActivitySample& sample : observed.samples) {
    const double t = seconds_of(sample.time - outcome.start);
    if (t < 0) continue;
    report::ServerSample& point = stats.samples.emplace_back();
    point.t = t;
    const bool is_measured = t > measured_from && t <= measured_until;
    if (is_measured) ++stats.samples_measured;
    for (const auto& [event, sessions] : sample.sessions) {
      point.sessions[observed.events[event]] = sessions;
      if (is_measured) sums[event] += sessions;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    stats.wait_events.push_back(
        {observed.events[i],
         static_cast<double>(sums[i]) / static_cast<double>(stats.samples_measured)});
  }
  std::ranges::sort(stats.wait_events, [](const auto& one, const auto& other) {
    return std::pair(-one.sessions, one.name) < std::pair(-other.sessions, other.name);
  });
  if (!observed.statements) return stats;
  stats.statements.emplace();
  for (const database::StatementCost& one : *observed.statements) {
    stats.statements->push_back({one.text, one.calls, one.total_ms, one.rows});
  }
  return stats;
}

std::vector<report::HostResult> hosts(const load::Plan& plan, const load::Outcome& outcome) {
  std::vector<report::HostResult> results;
  model::Adder adder;
  for (std::size_t number = 0; number < plan.hosts.size(); ++number) {
    report::HostResult& one = results.emplace_back();
    one.name = plan.hosts[number];
    for (const auto& worker : outcome.workers) {
      one.connections += worker->hosts.sessions[number].get();
      model::describe_host_totals(adder, one, worker->hosts.measured[number]);
    }
  }
  return results;
}

report::ClientCost client_cost(const load::Plan& plan, const load::Outcome& outcome) {
  report::ClientCost client;
  client.cpu_seconds = outcome.client_cpu_seconds;
  client.peak_rss_bytes = measure::read_process_usage().peak_rss_bytes;
  client.threads = plan.threads + 1;  // with the main thread
  client.terminals = plan.terminal_count;
  client.connections = plan.connections;
  client.terminals_up_s = seconds_of(outcome.ramp_up);
  client.run_queue_known = outcome.run_queue_known;
  for (const load::WorkerHealth& health : outcome.health) {
    client.workers.push_back(
        {health.load, health.run_queue_share, seconds_of(health.wake_up_delay) * 1e3});
  }
  for (const auto& worker : outcome.workers) worker->timer_lag.add_to(client.timer_lag);
  return client;
}

// Returns the description of this host in a run on several hosts.
report::RankResult rank(const RunPlan& run, const load::Plan& plan, const report::Result& result,
                        const load::Outcome& outcome) {
  report::RankResult rank;
  rank.rank = plan.share.rank;
  rank.ranks = plan.share.ranks;
  rank.name = result.environment.client.hostname;
  rank.host = result.environment.client;
  if (outcome.start_late || !run.waits_for_others()) rank.start_ts = outcome.unix_start;
  rank.start_late_s = seconds_of(outcome.start_late.value_or(coro::Duration::zero()));
  return rank;
}

}  // namespace

report::Result empty_result(const RunPlan& run, const load::Plan& plan) {
  report::Result result;
  result.tool = run.tool;
  result.plan = run.settings;
  for (const load::TransactionType& type : plan.workload.types) {
    auto& one = result.transactions.emplace_back();
    one.name = type.name;
    one.latency_limit_s = type.latency_limit_s;
    one.share = type.share;
  }
  return result;
}

void add_facts(const RunFacts& facts, const load::Plan& plan, const load::Outcome& outcome,
               report::Result& result) {
  result.environment.server = facts.server;
  if (facts.checkpoints) result.checkpoints = checkpoints(*facts.checkpoints, outcome);
  if (facts.activity) result.server_stats = server_stats(*facts.activity, plan, outcome);
}

report::Result make_result(const RunPlan& run, const load::Plan& plan, const RunFacts& facts,
                           const load::Outcome& outcome) {
  report::Result result = empty_result(run, plan);
  result.environment.client = measure::describe_host();
  model::Adder adder;
  for (const auto& worker : outcome.workers) {
    for (std::size_t type = 0; type < result.transactions.size(); ++type)
      model::describe_totals(adder, result.transactions[type], worker->measured[type]);
  }
  std::vector<std::uint64_t> late_ns;
  for (const auto& one : result.transactions) late_ns.push_back(report::late_after_ns(one.latency));
  for (const auto& worker : outcome.workers) add_pending(*worker, result.transactions, late_ns);
  if (plan.rate > 0) {
    result.backlog = 0;
    for (const auto& worker : outcome.workers) *result.backlog += worker->backlog.get();
  }
  result.availability = availability(plan, outcome);
  result.hosts = hosts(plan, outcome);
  result.summary.time_seconds = seconds_of(outcome.measured);
  result.summary.measure_start_ts = outcome.measure_start_ts;
  report::complete_summary(result);

  result.client = client_cost(plan, outcome);
  for (const load::Sample& sample : outcome.samples) {
    result.time_series.push_back(time_point(sample));
  }
  result.time_series_step_s = outcome.seconds_per_point;
  add_facts(facts, plan, outcome, result);
  if (!plan.share.is_whole() || run.waits_for_others()) {
    result.ranks.push_back(rank(run, plan, result, outcome));
  }
  result.interrupted = outcome.interrupted;
  result.failure = outcome.failure;
  return result;
}

}  // namespace drover::run
