#include "run/measured_run.h"

#include <algorithm>
#include <utility>

#include "measure/process.h"

namespace drover::run {
namespace {

using coro::seconds_of;

void add_transactions(const load::TransactionMetrics& metrics, report::TransactionResult& result) {
  result.ok_count += metrics.committed.get();
  result.user_aborted_count += metrics.user_aborted.get();
  result.failed_count += metrics.failed.get();
  result.retry_count += metrics.retries.get();
  result.attempts += metrics.attempts.get();
  result.ambiguous.committed += metrics.ambiguous_committed.get();
  result.ambiguous.not_committed += metrics.ambiguous_not_committed.get();
  result.ambiguous.unresolved += metrics.ambiguous_unresolved.get();
  metrics.latency.add_to(result.latency);
  metrics.wait.add_to(result.wait);
  metrics.service.add_to(result.service);
  metrics.keying.add_to(result.keying);
  metrics.think.add_to(result.think);
  for (std::size_t i = 0; i < metrics.errors.size(); ++i) {
    const std::uint64_t count = metrics.errors[i].get();
    if (count == 0) continue;
    const auto name = database::error_class_name(static_cast<database::ErrorClass>(i));
    result.errors_by_class[std::string(name)] += count;
  }
  for (const auto& [sqlstate, count] : metrics.errors_by_sqlstate) {
    result.errors_by_sqlstate[sqlstate] += count;
  }
  result.error_messages.insert(metrics.error_messages.begin(), metrics.error_messages.end());
}

// Adds the transactions in flight at the end of the run. Only late ones count among the latencies, so
// that they do not change the figures of a run without problems.
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
  return {seconds_of(sample.elapsed),
          sample.phase == load::Phase::warmup ? "warm-up" : "measure",
          {sample.committed.begin(), sample.committed.end()},
          sample.failed,
          sample.p50_ms,
          sample.p90_ms,
          sample.p99_ms,
          sample.in_flight,
          sample.waiting,
          sample.retries,
          sample.busiest_worker_load,
          sample.latency};
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
  report::Availability result;
  result.run_start_ts = outcome.unix_start;
  result.interruptions = record.interruptions + record.outages_dropped;
  result.sessions_lost = record.sessions_lost;
  result.sessions_ended_idle = record.sessions_ended_idle;
  result.sessions_reopened = record.sessions_reopened;
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
  for (std::size_t number = 0; number < plan.hosts.size(); ++number) {
    report::HostResult& one = results.emplace_back();
    one.name = plan.hosts[number];
    for (const auto& worker : outcome.workers) {
      const load::HostMetrics& measured = worker->hosts.measured[number];
      one.connections += worker->hosts.sessions[number].get();
      one.ok_count += measured.committed.get();
      one.failed_count += measured.failed.get();
      measured.service.add_to(one.service);
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
  for (const auto& worker : outcome.workers) {
    for (std::size_t type = 0; type < result.transactions.size(); ++type) {
      add_transactions(worker->measured[type], result.transactions[type]);
    }
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
