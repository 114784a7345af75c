// Finds out whether transactions of unknown outcome were committed, by what they would have
// written:
//
//   New-Order  its order number with exactly its lines. The number was given to this order, and to
//              another one only if this one was rolled back
//   Payment    its row in history: customer, district, amount, and the mark in h_date
//   Delivery   lines of its warehouse with its mark in ol_delivery_d, under its carrier
#include "workload/tpcc/postgres/database_on_postgres.h"

#include <map>
#include <utility>

#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::postgres::Connection;
using database::postgres::Result;

using Numbers = std::vector<std::int32_t>;

// A commit without a row in an answer stays unknown.

Resolution found(bool there) noexcept {
  return there ? Resolution::committed : Resolution::not_committed;
}

// The unknown New-Orders of one warehouse and their lines, by column.
struct OrderColumns {
  // The most orders of one query, which limits its arrays.
  static constexpr std::size_t orders_most = 1'000;

  Numbers place, d_id, o_id;
  Numbers whose, line, i_id, supply_w_id, quantity;

  void add(std::size_t at, const NewOrderInput& input, std::int32_t number) {
    place.push_back(static_cast<std::int32_t>(at));
    d_id.push_back(input.d_id);
    o_id.push_back(number);
    for (std::int32_t i = 0; i < input.ol_cnt; ++i) {
      const NewOrderLine& one = input.lines()[static_cast<std::size_t>(i)];
      whose.push_back(place.back());
      line.push_back(i + 1);
      i_id.push_back(one.i_id);
      supply_w_id.push_back(one.supply_w_id);
      quantity.push_back(one.quantity);
    }
  }
};

Task<void> resolve_new_orders(Connection& connection, std::span<const UnknownCommit> commits,
                              std::int32_t w_id, OrderColumns o,
                              std::vector<ResolvedCommit>& answers) {
  if (o.place.empty()) co_return;
  const Result result =
      co_await connection.query(statement("find_new_orders").sql, w_id, o.place, o.d_id, o.o_id,
                                o.whose, o.line, o.i_id, o.supply_w_id, o.quantity);
  for (int row = 0; row < result.rows(); ++row) {
    const auto place = result.number<std::size_t>(row, 0);
    const std::int32_t lines = std::get<NewOrderInput>(commits[place].input).ol_cnt;
    answers.at(place) = found(result.number<std::int64_t>(row, 1) == lines &&
                              result.number<std::int64_t>(row, 2) == lines);
  }
}

// Sends one query for each warehouse, so that one node of a distributed database can answer it.
Task<void> resolve_new_orders(Connection& connection, std::span<const UnknownCommit> commits,
                              std::vector<ResolvedCommit>& answers) {
  std::map<std::int32_t, OrderColumns> by_warehouse;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    const auto* order = std::get_if<NewOrderInput>(&commits[i].input);
    if (order == nullptr) continue;
    OrderColumns& its = by_warehouse[order->w_id];
    its.add(i, *order, commits[i].trace.o_id);
    if (its.place.size() < OrderColumns::orders_most) continue;
    OrderColumns full = std::exchange(its, OrderColumns());
    co_await resolve_new_orders(connection, commits, order->w_id, std::move(full), answers);
  }
  for (auto& [w_id, its] : by_warehouse) {
    co_await resolve_new_orders(connection, commits, w_id, std::move(its), answers);
  }
}

// The unknown Deliveries of one warehouse, by column.
struct DeliveryColumns {
  Numbers place, carrier_id, mark;
};

// Each Delivery takes one order of a district.
Task<void> resolve_deliveries(Connection& connection, std::span<const UnknownCommit> commits,
                              std::string_view since, std::vector<ResolvedCommit>& answers) {
  std::map<std::int32_t, DeliveryColumns> by_warehouse;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    const auto* delivery = std::get_if<DeliveryInput>(&commits[i].input);
    if (delivery == nullptr) continue;
    DeliveryColumns& its = by_warehouse[delivery->w_id];
    its.place.push_back(static_cast<std::int32_t>(i));
    its.carrier_id.push_back(delivery->carrier_id);
    its.mark.push_back(static_cast<std::int32_t>(commits[i].trace.mark));
  }
  for (const auto& [w_id, d] : by_warehouse) {
    const Result result = co_await connection.query(statement("find_deliveries").sql, w_id, d.place,
                                                    d.carrier_id, d.mark, since);
    for (int row = 0; row < result.rows(); ++row) {
      const auto orders = result.number<std::int32_t>(row, 1);
      answers.at(result.number<std::size_t>(row, 0)) = ResolvedCommit(found(orders > 0), orders);
    }
  }
}

// The unknown Payments as one array per column of the statement.
struct PaymentColumns {
  Numbers place, w_id, d_id, c_w_id, c_d_id, c_id, cents, mark;

  explicit PaymentColumns(std::span<const UnknownCommit> commits) {
    for (std::size_t i = 0; i < commits.size(); ++i) {
      const auto* payment = std::get_if<PaymentInput>(&commits[i].input);
      if (payment == nullptr) continue;
      place.push_back(static_cast<std::int32_t>(i));
      w_id.push_back(payment->w_id);
      d_id.push_back(payment->d_id);
      c_w_id.push_back(payment->customer.c_w_id);
      c_d_id.push_back(payment->customer.c_d_id);
      c_id.push_back(payment->customer.by_name ? 0 : payment->customer.c_id);
      cents.push_back(payment->amount_cents);
      mark.push_back(static_cast<std::int32_t>(commits[i].trace.mark));
    }
  }
};

Task<void> resolve_payments(Connection& connection, std::span<const UnknownCommit> commits,
                            std::string_view since, std::vector<ResolvedCommit>& answers) {
  const PaymentColumns p(commits);
  if (p.place.empty()) co_return;
  const Result result =
      co_await connection.query(statement("find_payments").sql, p.place, p.w_id, p.d_id, p.c_w_id,
                                p.c_d_id, p.c_id, p.cents, p.mark, since);
  for (int row = 0; row < result.rows(); ++row) {
    answers.at(result.number<std::size_t>(row, 0)) = found(result.number<std::int64_t>(row, 1) > 0);
  }
}

}  // namespace

Task<std::vector<ResolvedCommit>> resolve_commits(Connection& connection,
                                                  std::span<const UnknownCommit> commits,
                                                  std::string since) {
  std::vector<ResolvedCommit> answers(commits.size());
  const Result marks = co_await connection.query(statement("keeps_marks").sql);
  const bool keeps_marks = marks.text(0, 0) == "t";
  co_await resolve_new_orders(connection, commits, answers);
  if (keeps_marks) co_await resolve_deliveries(connection, commits, since, answers);
  if (keeps_marks) co_await resolve_payments(connection, commits, since, answers);
  co_return answers;
}

}  // namespace drover::tpcc::postgres
