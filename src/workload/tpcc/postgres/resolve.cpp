#include "workload/tpcc/postgres/resolve.h"

#include <optional>

#include "database/error.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

using coro::Task;
using database::Error;
using database::ErrorClass;
using database::postgres::Connection;
using database::postgres::Result;

using Numbers = std::vector<std::int32_t>;

// The answers of a server that says nothing are none: no row is not the same as none counted.
void require_answer(const Result& result) {
  if (result.rows() == 1) return;
  throw Error(ErrorClass::statement, "", "a count came back without a row");
}

Resolution found(bool there) noexcept {
  return there ? Resolution::committed : Resolution::not_committed;
}

Task<Resolution> resolve_new_order(Connection& connection, const NewOrderInput& input,
                                   std::int32_t o_id) {
  Numbers lines;
  Numbers items;
  Numbers warehouses;
  Numbers quantities;
  for (const NewOrderLine& line : input.lines()) {
    lines.push_back(static_cast<std::int32_t>(lines.size() + 1));
    items.push_back(line.i_id);
    warehouses.push_back(line.supply_w_id);
    quantities.push_back(line.quantity);
  }
  const Result result =
      co_await connection.query(statement("find_new_order").sql, input.w_id, input.d_id, o_id,
                                lines, items, warehouses, quantities);
  require_answer(result);
  co_return found(result.number<std::int64_t>(0, 0) == input.ol_cnt &&
                  result.number<std::int64_t>(0, 1) == input.ol_cnt);
}

// It takes one order of a district.
Task<Finding> resolve_delivery(Connection& connection, const DeliveryInput& input,
                               std::uint32_t mark, std::string_view since) {
  const Result result =
      co_await connection.query(statement("find_delivery").sql, input.w_id, input.carrier_id,
                                static_cast<std::int32_t>(mark), since);
  require_answer(result);
  const auto orders = result.number<std::int32_t>(0, 0);
  co_return Finding(found(orders > 0), orders);
}

// The payments among the doubts, a column each.
struct PaymentColumns {
  Numbers place, w_id, d_id, c_w_id, c_d_id, c_id, cents, mark;

  explicit PaymentColumns(std::span<const Doubt> doubts) {
    for (std::size_t i = 0; i < doubts.size(); ++i) {
      const auto* payment = std::get_if<PaymentInput>(&doubts[i].input);
      if (payment == nullptr) continue;
      place.push_back(static_cast<std::int32_t>(i));
      w_id.push_back(payment->w_id);
      d_id.push_back(payment->d_id);
      c_w_id.push_back(payment->customer.c_w_id);
      c_d_id.push_back(payment->customer.c_d_id);
      c_id.push_back(payment->customer.by_name ? 0 : payment->customer.c_id);
      cents.push_back(payment->amount_cents);
      mark.push_back(static_cast<std::int32_t>(doubts[i].trace.mark));
    }
  }
};

Task<void> resolve_payments(Connection& connection, std::span<const Doubt> doubts,
                            std::string_view since, std::vector<Finding>& answers) {
  const PaymentColumns p(doubts);
  if (p.place.empty()) co_return;
  const Result result =
      co_await connection.query(statement("find_payments").sql, p.place, p.w_id, p.d_id, p.c_w_id,
                                p.c_d_id, p.c_id, p.cents, p.mark, since);
  for (int row = 0; row < result.rows(); ++row) {
    answers.at(result.number<std::size_t>(row, 0)) = found(result.number<std::int64_t>(row, 1) > 0);
  }
}

}  // namespace

Task<std::vector<Finding>> resolve_doubts(Connection& connection, std::span<const Doubt> doubts,
                                          std::string since) {
  std::vector<Finding> answers(doubts.size());
  const Result marks = co_await connection.query(statement("keeps_marks").sql);
  const bool keeps_marks = marks.text(0, 0) == "t";
  for (std::size_t i = 0; i < doubts.size(); ++i) {
    const auto& [input, trace] = doubts[i];
    if (const auto* order = std::get_if<NewOrderInput>(&input)) {
      answers[i] = co_await resolve_new_order(connection, *order, trace.o_id);
    } else if (const auto* delivery = std::get_if<DeliveryInput>(&input);
               delivery != nullptr && keeps_marks) {
      answers[i] = co_await resolve_delivery(connection, *delivery, trace.mark, since);
    }
  }
  if (keeps_marks) co_await resolve_payments(connection, doubts, since, answers);
  co_return answers;
}

}  // namespace drover::tpcc::postgres
