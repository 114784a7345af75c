// TPC-C's own sections of a result, and the search for lost commits.
#include <algorithm>
#include <utility>
#include <vector>

#include "benchmark/tpcc/tpcc_benchmark.h"
#include "coro/worker.h"
#include "load/surroundings.h"

namespace drover::benchmark {
namespace {

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

// Returns the seconds from `from` to `until` in which the database as a whole was up.
// `outages` are in the order of time.
double seconds_up(const std::vector<report::Outage>& outages, double from, double until) {
  const auto is_over = [from](const report::Outage& one) {
    return one.end_s && *one.end_s <= from;
  };
  double seconds = until - from;
  for (auto one = std::ranges::partition_point(outages, is_over);
       one != outages.end() && one->start_s < until; ++one) {
    seconds -= std::min(one->end_s.value_or(until), until) - std::max(one->start_s, from);
  }
  return seconds;
}

}  // namespace

void add_availability(const tpcc::RunRecords& records, coro::Instant start,
                      report::Result& result) {
  const double measured_from = result.plan.warmup_s;
  const double measured_until = measured_from + result.summary.time_seconds;
  report::WarehouseAvailability& sum = result.warehouse_availability.emplace();
  for (const tpcc::WorkerCounts& counts : records.workers) {
    for (const auto& stretch : counts.availability.stretches()) {
      const double from = std::max(coro::seconds_of(stretch.start - start), measured_from);
      const double until = stretch.end == coro::Instant::max()
                               ? measured_until
                               : std::min(coro::seconds_of(stretch.end - start), measured_until);
      const double away_s = seconds_up(result.availability.outages, from, until);
      if (away_s < report::shortest_outage_s) continue;
      sum.away.push_back(static_cast<std::uint64_t>(stretch.w_id));
      sum.away_s += away_s;
    }
  }
  report::complete_availability(result);
}

void add_records(const tpcc::Plan& plan, const tpcc::RunRecords& records, report::Result& result) {
  for (const tpcc::WorkerCounts& counts : records.workers) {
    result.delivery_skipped_districts += counts.districts_skipped.get();
    add_inputs(counts.inputs, result.inputs);
    add_ledger(counts.ledger, result.ledger);
    if (!plan.deferred_delivery) continue;
    if (!result.deferred_delivery) result.deferred_delivery.emplace();
    add_deferred(counts.deferred, *result.deferred_delivery);
  }
}

report::LedgerInData ledger_between(const tpcc::LedgerSums& before, const tpcc::LedgerSums& after) {
  return {.new_orders = after.next_o_ids - before.next_o_ids,
          .payment_cents = after.ytd_cents - before.ytd_cents,
          .orders_delivered = after.delivered() - before.delivered()};
}

void complete_settings(const tpcc::Plan& plan, settings::RunSettings& settings) {
  settings.warehouses = static_cast<std::uint64_t>(plan.warehouses);
  settings.terminals = plan.own_terminals();
  settings.no_delays = plan.no_delays;
  settings.pace = plan.pace;
  settings.deferred_delivery = plan.deferred_delivery;
}

namespace {

using coro::Task;
using report::LostCommit;
using report::LostCommits;
using tpcc::AcknowledgedWrite;

std::vector<AcknowledgedWrite> writes_of(const tpcc::RunRecords& records) {
  std::vector<AcknowledgedWrite> all;
  for (const tpcc::WorkerCounts& worker : records.workers) {
    const std::vector<AcknowledgedWrite> its = worker.writes.all();
    all.insert(all.end(), its.begin(), its.end());
  }
  const auto earlier = [](const AcknowledgedWrite& one, const AcknowledgedWrite& other) {
    return one.answered < other.answered;
  };
  std::sort(all.begin(), all.end(), earlier);
  return all;
}

// Converts a number of the schema, which is never negative.
std::uint64_t number(std::int32_t value) noexcept {
  return static_cast<std::uint64_t>(std::max(value, 0));
}

// Fills in a lost commit by its transaction, and adds it to the sums.
struct Entry {
  LostCommits& lost;
  LostCommit& commit;
  const tpcc::Trace& trace;

  void operator()(const tpcc::NewOrderInput& order) const {
    ++lost.new_orders;
    commit.w_id = number(order.w_id);
    commit.d_id = number(order.d_id);
    commit.o_id = number(trace.o_id);
    commit.c_id = number(order.c_id);
  }
  void operator()(const tpcc::PaymentInput& payment) const {
    ++lost.payments;
    lost.payment_cents += payment.amount_cents;
    commit.w_id = number(payment.w_id);
    commit.d_id = number(payment.d_id);
    commit.amount_cents = number(payment.amount_cents);
    commit.mark = trace.mark;
  }
  void operator()(const tpcc::DeliveryInput& delivery) const {
    ++lost.deliveries;
    lost.orders_delivered += number(trace.orders);
    commit.w_id = number(delivery.w_id);
    commit.carrier_id = number(delivery.carrier_id);
    commit.mark = trace.mark;
  }
  void operator()(const auto&) const {}
};

void enter(const AcknowledgedWrite& write, double answered_ts, LostCommits& lost) {
  const auto& [input, trace] = write.write;
  LostCommit commit;
  commit.transaction = tpcc::transaction_name(static_cast<tpcc::TransactionType>(input.index()));
  commit.answered_ts = answered_ts;
  std::visit(Entry{lost, commit, trace}, input);
  if (lost.commits.size() < report::lost_commits_max) lost.commits.push_back(std::move(commit));
}

}  // namespace

Task<std::optional<LostCommits>> find_lost_commits(const tpcc::Database& database,
                                                   const tpcc::RunRecords& records,
                                                   std::string since, coro::Duration timeout) {
  const std::vector<AcknowledgedWrite> writes = writes_of(records);
  std::vector<tpcc::UnknownCommit> asked;
  for (const AcknowledgedWrite& one : writes) asked.push_back(one.write);
  const std::vector<tpcc::ResolvedCommit> found =
      co_await database.find_writes(std::move(asked), std::move(since), timeout);
  if (found.size() != writes.size()) co_return std::nullopt;
  LostCommits lost;
  const coro::Instant now = coro::Worker::current().now();
  const double unix_now = load::unix_time_now();
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (found[i].resolution != database::Resolution::not_committed) continue;
    enter(writes[i], unix_now - coro::seconds_of(now - writes[i].answered), lost);
  }
  co_return lost;
}

bool explain(const LostCommits& lost, const report::Ledger& ledger,
             const report::LedgerInData& data) noexcept {
  report::LedgerInData all = data;
  all.new_orders += static_cast<std::int64_t>(lost.new_orders);
  all.payment_cents += lost.payment_cents;
  if (all.orders_delivered) {
    *all.orders_delivered += static_cast<std::int64_t>(lost.orders_delivered);
  }
  return report::agrees(ledger, all);
}

}  // namespace drover::benchmark
