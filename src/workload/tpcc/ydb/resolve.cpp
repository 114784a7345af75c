// Finds out whether transactions of unknown outcome were committed, by what they would have
// written:
//
//   New-Order  its order number with exactly its lines. The number was given to this order, and to
//              another one only if this one was not committed
//   Payment    its row in history: customer, district, amount, and the mark in h_date
//   Delivery   lines of the order that its Trace names with its mark in ol_delivery_d, under its
//              carrier
//
// A server may still commit the transaction when Drover looks. Reading alone is not enough, even at
// SERIALIZABLE: a transaction that only reads sees a past instant and does not keep others from
// committing after it. So each answer comes from a probe, a transaction that also writes back a row
// that the unknown transaction has read and writes: the district of a New-Order, the warehouse of a
// Payment, the orders of a Delivery. There are three cases:
//
//   The unknown transaction commits before the probe begins: the probe sees its rows.
//   It commits between the probe's read and commit: the probe's lock on the row is broken, so that
//     the probe is ABORTED and repeated.
//   The probe commits first: the lock of the unknown transaction is broken (serializable), or the
//     row is newer than its snapshot (snapshot), so that it is ABORTED.
//
// The serializable mode relies on the read of the row, the snapshot mode on its write.
#include "workload/tpcc/ydb/database_on_ydb.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "database/ydb/database_access.h"
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

Resolution found(bool there) noexcept {
  return there ? Resolution::committed : Resolution::not_committed;
}

bool is_line_of(const NewOrderInput& input, const ResultSetView& lines, std::size_t row) {
  const std::int64_t number = lines.at(row, "ol_number").integer();
  if (number < 1 || number > input.ol_cnt) return false;
  const NewOrderLine& line = input.lines()[static_cast<std::size_t>(number - 1)];
  return lines.at(row, "ol_i_id").integer() == line.i_id &&
         lines.at(row, "ol_supply_w_id").integer() == line.supply_w_id &&
         lines.at(row, "ol_quantity").integer() == line.quantity;
}

Resolution judge_new_order(const NewOrderInput& input, const ResultSetView& lines) {
  std::size_t same = 0;
  for (std::size_t row = 0; row < lines.rows(); ++row) {
    if (is_line_of(input, lines, row)) ++same;
  }
  return found(same == lines.rows() && same == input.lines().size());
}

bool has_mark(const database::ydb::ValueView& date, std::uint32_t mark, std::int64_t since_us) {
  return !date.is_null() && date.integer() % Trace::marks == mark &&
         date.integer() >= since_us / Trace::marks * Trace::marks;
}

// Looks for one commit after the other, each in its own transaction.
class Resolver {
 public:
  Resolver(const YdbDatabase& database, std::int64_t since_us)
      : since_us_(since_us), text_(database, {&orders_}) {}

  Task<Resolution> resolve(ServerSession& session, const UnknownCommit& one) const {
    if (const auto* order = std::get_if<NewOrderInput>(&one.input)) {
      return resolve_new_order(session, *order, one.trace);
    }
    if (const auto* payment = std::get_if<PaymentInput>(&one.input)) {
      return resolve_payment(session, *payment, one.trace);
    }
    return resolve_other(session, one);
  }

 private:
  Task<Resolution> resolve_new_order(ServerSession& session, const NewOrderInput& input,
                                     const Trace& trace) const {
    const Values values = {{"$w_id", input.w_id}, {"$d_id", input.d_id}, {"$o_id", trace.o_id}};
    const QueryResult read = co_await send_and_commit(session, new_order_text_, values);
    co_return judge_new_order(input, read.set(0));
  }

  Task<Resolution> resolve_payment(ServerSession& session, const PaymentInput& input,
                                   const Trace& trace) const {
    const CustomerChoice& customer = input.customer;
    const Values values = {{"$w_id", input.w_id},
                           {"$d_id", input.d_id},
                           {"$c_w_id", customer.c_w_id},
                           {"$c_d_id", customer.c_d_id},
                           {"$since", since_us_ * HistoryKeys::per_microsecond},
                           {"$amount", money_of_cents(input.amount_cents)}};
    const QueryResult read = co_await send_and_commit(session, payment_text_, values);
    const ResultSetView rows = read.set(0);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const bool same_customer =
          customer.by_name || rows.at(row, "h_c_id").integer() == customer.c_id;
      if (same_customer && has_mark(rows.at(row, "h_date"), trace.mark, since_us_)) {
        co_return Resolution::committed;
      }
    }
    co_return Resolution::not_committed;
  }

  // Transactions that write nothing count as committed.
  Task<Resolution> resolve_other(ServerSession& session, const UnknownCommit& one) const {
    const auto* delivery = std::get_if<DeliveryInput>(&one.input);
    if (delivery == nullptr || one.trace.o_id == 0) co_return Resolution::committed;
    Parameters parameters;
    Rows orders = orders_.add_to(parameters);
    for (std::int32_t d_id = 1; d_id <= districts_per_warehouse; ++d_id) {
      orders.add({delivery->w_id, d_id, one.trace.o_id});
    }
    const QueryResult read =
        co_await session.execute_and_commit(delivery_text_.text, std::move(parameters));
    co_return judge_delivery(*delivery, one.trace, read);
  }

  Resolution judge_delivery(const DeliveryInput& input, const Trace& trace,
                            const QueryResult& read) const {
    const ResultSetView orders = read.set(0);
    const ResultSetView lines = read.set(1);
    for (std::size_t row = 0; row < orders.rows(); ++row) {
      const auto carrier = orders.at(row, "o_carrier_id");
      if (carrier.is_null() || carrier.integer() != input.carrier_id) continue;
      for (std::size_t line = 0; line < lines.rows(); ++line) {
        if (lines.at(line, "ol_d_id").integer() == orders.at(row, "o_d_id").integer() &&
            has_mark(lines.at(line, "ol_delivery_d"), trace.mark, since_us_)) {
          return Resolution::committed;
        }
      }
    }
    return Resolution::not_committed;
  }

  RowsParameter orders_ = keys_of("$orders", 3);
  std::int64_t since_us_;
  StatementTexts text_;
  Statement new_order_text_ = text_.of({"find_new_order"});
  Statement payment_text_ = text_.of({"find_payment"});
  Statement delivery_text_ = text_.of({"find_delivery"});
};

}  // namespace

Task<std::vector<ResolvedCommit>> resolve_commits(YdbDatabase database,
                                                  std::vector<UnknownCommit> commits,
                                                  std::int64_t since_us, coro::Duration timeout) {
  std::vector<ResolvedCommit> answers;
  // The clock of this machine may have been set during the run.
  constexpr std::chrono::microseconds hour = std::chrono::hours(1);
  since_us = std::max(std::int64_t{0}, since_us - hour.count());
  const Resolver resolver(database, since_us);
  // The probes may be repeated, even after an unknown commit, because they change nothing.
  auto resolve_rest = [&](ServerSession& session) -> Task<void> {
    while (answers.size() < commits.size()) {
      const UnknownCommit& one = commits[answers.size()];
      const Resolution answer = co_await resolver.resolve(session, one);
      answers.emplace_back(answer, answer == Resolution::committed ? one.trace.orders : 0);
    }
  };
  co_await database::ydb::ask_with_retries(database, timeout, resolve_rest);
  answers.resize(commits.size());
  co_return answers;
}

}  // namespace drover::tpcc::ydb
