#include "workload/tpcc/ydb/resolve.h"

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

// Looks for one doubt after the other, each in a transaction of its own.
class Resolver {
 public:
  Resolver(const YdbDatabase& database, std::int64_t since_us)
      : since_us_(since_us), text_(database, {&orders_}) {}

  Task<Resolution> resolve(ServerSession& session, const Doubt& doubt) const {
    if (const auto* order = std::get_if<NewOrderInput>(&doubt.input)) {
      return resolve_new_order(session, *order, doubt.trace);
    }
    if (const auto* payment = std::get_if<PaymentInput>(&doubt.input)) {
      return resolve_payment(session, *payment, doubt.trace);
    }
    return resolve_other(session, doubt);
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

  // What has written nothing is as if it had been committed.
  Task<Resolution> resolve_other(ServerSession& session, const Doubt& doubt) const {
    const auto* delivery = std::get_if<DeliveryInput>(&doubt.input);
    if (delivery == nullptr || doubt.trace.o_id == 0) co_return Resolution::committed;
    Parameters parameters;
    Rows orders = orders_.add_to(parameters);
    for (std::int32_t d_id = 1; d_id <= districts_per_warehouse; ++d_id) {
      orders.add({delivery->w_id, d_id, doubt.trace.o_id});
    }
    const QueryResult read =
        co_await session.execute_and_commit(delivery_text_.text, std::move(parameters));
    co_return judge_delivery(*delivery, doubt.trace, read);
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

Task<std::vector<Finding>> resolve_doubts(YdbDatabase database, std::vector<Doubt> doubts,
                                          std::int64_t since_us, coro::Duration patience) {
  std::vector<Finding> answers;
  // The clock of this machine may have been set meanwhile.
  constexpr std::chrono::microseconds hour = std::chrono::hours(1);
  since_us = std::max(std::int64_t{0}, since_us - hour.count());
  const Resolver resolver(database, since_us);
  // All of these may be repeated, be it after an ambiguous commit: they change nothing.
  auto resolve_rest = [&](ServerSession& session) -> Task<void> {
    while (answers.size() < doubts.size()) {
      const Doubt& doubt = doubts[answers.size()];
      const Resolution answer = co_await resolver.resolve(session, doubt);
      answers.emplace_back(answer, answer == Resolution::committed ? doubt.trace.orders : 0);
    }
  };
  co_await database::ydb::ask_patiently(database, patience, resolve_rest);
  answers.resize(doubts.size());
  co_return answers;
}

}  // namespace drover::tpcc::ydb
