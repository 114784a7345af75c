#include "benchmark/tpcc/lost_commits.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "coro/worker.h"
#include "load/surroundings.h"

namespace drover::benchmark {
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

// Numbers of the schema are never below zero.
std::uint64_t number(std::int32_t value) noexcept {
  return static_cast<std::uint64_t>(std::max(value, 0));
}

// The rest of a commit, and what it adds to the sums.
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
                                                   std::string since, coro::Duration patience) {
  const std::vector<AcknowledgedWrite> writes = writes_of(records);
  std::vector<tpcc::Doubt> asked;
  for (const AcknowledgedWrite& one : writes) asked.push_back(one.write);
  const std::vector<tpcc::Finding> found =
      co_await database.find_writes(std::move(asked), std::move(since), patience);
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
