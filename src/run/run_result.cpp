#include "run/measured_run.h"

#include <algorithm>

#include "measure/process.h"
#include "report/audit/audit.h"

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
}

// Something is always on its way. Without what is not late the figures of a run in which nothing is
// wrong are not touched.
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
          sample.busiest_worker_load};
}

void add_inputs(const tpcc::InputMetrics& metrics, report::InputCounts& inputs) {
  inputs.new_orders += metrics.new_orders.get();
  inputs.new_orders_rolled_back += metrics.new_orders_rolled_back.get();
  inputs.order_lines += metrics.order_lines.get();
  inputs.order_lines_remote += metrics.order_lines_remote.get();
  inputs.payments += metrics.payments.get();
  inputs.payments_remote += metrics.payments_remote.get();
  inputs.payments_by_name += metrics.payments_by_name.get();
  inputs.order_statuses += metrics.order_statuses.get();
  inputs.order_statuses_by_name += metrics.order_statuses_by_name.get();
  inputs.deliveries += metrics.deliveries.get();
}

void add_ledger(const tpcc::LedgerMetrics& metrics, report::Ledger& ledger) {
  ledger.new_orders += metrics.new_orders.get();
  ledger.payments += metrics.payments.get();
  ledger.payment_cents += static_cast<std::int64_t>(metrics.payment_cents.get());
  ledger.deliveries += metrics.deliveries.get();
  ledger.orders_delivered += metrics.orders_delivered.get();
  ledger.exact = ledger.exact && metrics.unresolved.get() == 0;
}

void add_deferred(const tpcc::DeferredMetrics& metrics, report::DeferredDelivery& deferred) {
  deferred.queued += metrics.queued.get();
  deferred.completed += metrics.completed.get();
  deferred.failed += metrics.failed.get();
  deferred.unfinished = deferred.queued - deferred.completed - deferred.failed;
  metrics.latency.add_to(deferred.latency);
  metrics.unfinished.add_to(deferred.latency);
  metrics.unfinished.add_to(deferred.unanswered);
}

// What was over before the run began is no part of it.
bool was_over(const auto& observed, const load::Outcome& outcome) {
  return observed.end && *observed.end <= outcome.start;
}

// When an outage, a stall or a checkpoint began, 0 if before the run, and when it ended.
template <class Span>
Span span_of(const auto& observed, const load::Outcome& outcome) {
  Span span;
  span.start_s = std::max(seconds_of(observed.start - outcome.start), 0.0);
  if (observed.end) span.end_s = seconds_of(*observed.end - outcome.start);
  return span;
}

report::Availability availability(const tpcc::Plan& plan, const load::Outcome& outcome) {
  const load::AvailabilityRecord& record = outcome.availability;
  report::Availability result;
  result.interruptions = record.interruptions + record.outages_dropped;
  result.sessions_lost = record.sessions_lost;
  result.sessions_reopened = record.sessions_reopened;
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

std::vector<report::Checkpoint> checkpoints(const std::vector<tpcc::ObservedCheckpoint>& observed,
                                            const load::Outcome& outcome) {
  std::vector<report::Checkpoint> result;
  for (const tpcc::ObservedCheckpoint& one : observed) {
    if (was_over(one, outcome)) continue;
    result.push_back(span_of<report::Checkpoint>(one, outcome));
    result.back().requested = one.requested;
  }
  return result;
}

report::ClientCost client_cost(const tpcc::Plan& plan, const load::Outcome& outcome) {
  report::ClientCost client;
  client.cpu_seconds = outcome.client_cpu_seconds;
  client.peak_rss_bytes = measure::read_process_usage().peak_rss_bytes;
  client.threads = plan.threads + 1;  // the main thread samples
  client.terminals = plan.terminals();
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

}  // namespace

report::LedgerInData ledger_between(const tpcc::LedgerSums& before, const tpcc::LedgerSums& after) {
  return {.new_orders = after.next_o_ids - before.next_o_ids,
          .payment_cents = after.ytd_cents - before.ytd_cents,
          .orders_delivered = after.delivered() - before.delivered()};
}

report::Result make_result(const RunPlan& run, const RunFacts& facts, const load::Outcome& outcome,
                           const tpcc::RunRecords& records) {
  const tpcc::Plan& plan = run.plan;
  report::Result result;
  result.tool = run.tool;
  result.plan = run.settings;
  result.environment.client = measure::describe_host();
  result.environment.server = facts.server;
  result.transactions = report::tpcc_transactions();
  for (const auto& worker : outcome.workers) {
    for (std::size_t type = 0; type < tpcc::transaction_type_count; ++type) {
      add_transactions(worker->measured[type], result.transactions[type]);
    }
  }
  for (const tpcc::WorkerCounts& counts : records.workers) {
    result.delivery_skipped_districts += counts.districts_skipped.get();
    add_inputs(counts.inputs, result.inputs);
    add_ledger(counts.ledger, result.ledger);
    if (!plan.deferred_delivery) continue;
    if (!result.deferred_delivery) result.deferred_delivery.emplace();
    add_deferred(counts.deferred, *result.deferred_delivery);
  }
  std::vector<std::uint64_t> late_ns;
  for (const auto& one : result.transactions) late_ns.push_back(report::late_after_ns(one.latency));
  for (const auto& worker : outcome.workers) add_pending(*worker, result.transactions, late_ns);
  result.ledger_in_data = facts.ledger_in_data;
  result.availability = availability(plan, outcome);
  result.summary.time_seconds = seconds_of(outcome.measured);
  result.summary.measure_start_ts = outcome.measure_start_ts;
  report::complete_summary(result);

  result.client = client_cost(plan, outcome);
  for (const load::Sample& sample : outcome.samples) {
    result.time_series.push_back(time_point(sample));
  }
  if (facts.checkpoints) result.checkpoints = checkpoints(*facts.checkpoints, outcome);
  result.interrupted = outcome.interrupted;
  result.failure = outcome.failure;
  result.audit = report::audit(result);
  return result;
}

}  // namespace drover::run
