#include "report/merge/added_sections.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace drover::report {
namespace {

void add_statements(std::vector<StatementResult>& sum, const std::vector<StatementResult>& part) {
  if (sum.empty()) {
    sum = part;
    return;
  }
  for (std::size_t i = 0; i < std::min(sum.size(), part.size()); ++i) {
    sum[i].ok_count += part[i].ok_count;
    sum[i].failed_count += part[i].failed_count;
    sum[i].latency.merge(part[i].latency);
  }
}

// The order in which they are kept, whichever part came first.
auto order_of(const LostCommit& one) {
  return std::tie(one.answered_ts, one.w_id, one.transaction, one.d_id, one.o_id, one.c_id,
                  one.amount_cents, one.carrier_id, one.mark);
}

// Stops at the ends of the type: documents come from anywhere.
void add_amount(std::int64_t& sum, std::int64_t part) {
  if (!__builtin_add_overflow(sum, part, &sum)) return;
  sum = part > 0 ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}

void add_known(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& part) {
  if (!sum || !part) return sum.reset();
  add_amount(*sum, *part);
}

}  // namespace

void add_transactions(std::vector<TransactionResult>& sum,
                      const std::vector<TransactionResult>& part) {
  if (sum.empty()) {
    sum = part;
    return;
  }
  for (std::size_t i = 0; i < std::min(sum.size(), part.size()); ++i) {
    sum[i].add(part[i]);
    add_statements(sum[i].statements, part[i].statements);
  }
}

void add_inputs(InputCounts& sum, const InputCounts& part) {
  for (const auto member :
       {&InputCounts::new_orders, &InputCounts::new_orders_rolled_back, &InputCounts::order_lines,
        &InputCounts::order_lines_remote, &InputCounts::payments, &InputCounts::payments_remote,
        &InputCounts::payments_by_name, &InputCounts::order_statuses,
        &InputCounts::order_statuses_by_name, &InputCounts::deliveries}) {
    sum.*member += part.*member;
  }
}

void add_deferred(std::optional<DeferredDelivery>& sum,
                  const std::optional<DeferredDelivery>& part) {
  if (!part) return;
  if (!sum) {
    sum = part;
    return;
  }
  sum->queued += part->queued;
  sum->completed += part->completed;
  sum->failed += part->failed;
  sum->unfinished += part->unfinished;
  sum->latency.merge(part->latency);
  sum->unanswered.merge(part->unanswered);
}

void add_ledger(Ledger& sum, const Ledger& part) {
  sum.new_orders += part.new_orders;
  sum.payments += part.payments;
  add_amount(sum.payment_cents, part.payment_cents);
  sum.deliveries += part.deliveries;
  sum.orders_delivered += part.orders_delivered;
  sum.exact = sum.exact && part.exact;
}

void add_lost_commits(LostCommits& sum, const LostCommits& part) {
  sum.new_orders += part.new_orders;
  sum.payments += part.payments;
  add_amount(sum.payment_cents, part.payment_cents);
  sum.deliveries += part.deliveries;
  sum.orders_delivered += part.orders_delivered;
  sum.complete = sum.complete && part.complete;
  sum.commits.insert(sum.commits.end(), part.commits.begin(), part.commits.end());
  std::ranges::sort(sum.commits, [](const LostCommit& one, const LostCommit& other) {
    return order_of(one) < order_of(other);
  });
  if (sum.commits.size() > lost_commits_max) sum.commits.resize(lost_commits_max);
}

void add_accounts(std::vector<Account>& sum, const std::vector<Account>& part) {
  for (const Account& one : part) {
    const auto found = std::ranges::find(sum, one.name, &Account::name);
    if (found == sum.end()) {
      sum.push_back(one);
      continue;
    }
    found->counted += one.counted;
    found->unresolved += one.unresolved;
    add_known(found->in_data, one.in_data);
  }
}

void add_hosts(std::vector<HostResult>& sum, const std::vector<HostResult>& part) {
  for (const HostResult& one : part) {
    const auto found = std::ranges::find(sum, one.name, &HostResult::name);
    if (found == sum.end()) {
      sum.push_back(one);
      continue;
    }
    found->connections += one.connections;
    found->ok_count += one.ok_count;
    found->failed_count += one.failed_count;
    found->service.merge(one.service);
  }
}

void add_ledger_in_data(std::optional<LedgerInData>& sum, const std::optional<LedgerInData>& part,
                        bool is_first) {
  if (is_first) {
    sum = part;
  } else if (!sum || !part) {
    sum.reset();
  } else {
    add_amount(sum->new_orders, part->new_orders);
    add_amount(sum->payment_cents, part->payment_cents);
    add_known(sum->orders_delivered, part->orders_delivered);
  }
}

}  // namespace drover::report
