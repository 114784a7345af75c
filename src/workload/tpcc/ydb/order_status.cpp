// Order-Status (clause 2.6) on YDB: reads only, in one snapshot. One request batched, two by name;
// three single.
#include <fmt/format.h>

#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

constexpr std::string_view select_customer = R"(
SELECT c_id, c_first, c_middle, c_last, c_balance FROM customer)";
constexpr std::string_view by_id = R"(
WHERE c_w_id = $w_id AND c_d_id = $d_id AND c_id = $c_id;)";
constexpr std::string_view by_name = R"( VIEW idx_customer_name
WHERE c_w_id = $w_id AND c_d_id = $d_id AND c_last = $c_last ORDER BY c_first, c_id;)";

constexpr std::string_view from_newest_order = R"(
FROM oorder VIEW idx_order WHERE o_w_id = $w_id AND o_d_id = $d_id AND o_c_id = $c_id
ORDER BY o_w_id DESC, o_d_id DESC, o_c_id DESC, o_id DESC LIMIT 1)";
constexpr std::string_view select_newest_order = R"(
SELECT o_id, o_carrier_id, o_entry_d)";
constexpr std::string_view name_order_id = R"(
$o_id = (SELECT o_id)";
constexpr std::string_view select_lines = R"(
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
WHERE ol_w_id = $w_id AND ol_d_id = $d_id AND ol_o_id = $o_id;)";

std::string order_and_lines() {
  return fmt::format("{0}{1});{2}{1};{3}", name_order_id, from_newest_order, select_newest_order,
                     select_lines);
}

class OrderStatus final : public StyledTransaction<OrderStatusInput> {
 public:
  OrderStatus(const YdbDatabase& database, StatementStyle style)
      : StyledTransaction(style), text_(database) {}

 private:
  static Values values_of(const CustomerChoice& choice) {
    Values values = {{"$w_id", choice.c_w_id}, {"$d_id", choice.c_d_id}};
    set_choice(values, choice);
    return values;
  }

  Task<void> find_by_name(ServerSession& session, Values& values) const {
    const QueryResult found = co_await send(session, find_by_name_, values);
    values.set({{"$c_id", found.set(0).at(middle_row(found.set(0)), "c_id").int32()}});
  }

  Task<Outcome> batched(ServerSession& session, const OrderStatusInput& input, Trace&) override {
    Values values = values_of(input.customer);
    const bool is_named = input.customer.by_name;
    if (is_named) co_await find_by_name(session, values);
    const Statement& reading = is_named ? batched_orders_ : batched_by_id_;
    const QueryResult read =
        co_await session.execute_and_commit(reading.text, values.of(reading), at_once);
    if (!is_named) require_one_row(read.set(0), "customer");
    co_return Outcome{};
  }

  Task<Outcome> single(ServerSession& session, const OrderStatusInput& input, Trace&) override {
    Values values = values_of(input.customer);
    if (input.customer.by_name) {
      co_await find_by_name(session, values);
    } else {
      const QueryResult read = co_await send(session, get_customer_, values);
      require_one_row(read.set(0), "customer");
    }
    const QueryResult order = co_await send(session, get_newest_order_, values);
    if (order.set(0).rows() == 0) {
      co_await session.commit();
      co_return Outcome{};
    }
    values.set({{"$o_id", order.set(0).at(0, "o_id").int32()}});
    co_await send_and_commit(session, get_lines_, values);
    co_return Outcome{};
  }

  StatementTexts text_;
  Statement batched_by_id_ = text_(select_customer, by_id, order_and_lines());
  Statement batched_orders_ = text_(order_and_lines());
  Statement find_by_name_ = text_(select_customer, by_name);
  Statement get_customer_ = text_(select_customer, by_id);
  Statement get_newest_order_ = text_(select_newest_order, from_newest_order, ";");
  Statement get_lines_ = text_(select_lines);
};

}  // namespace

std::unique_ptr<Transaction> make_order_status(const YdbDatabase& database, StatementStyle style) {
  return std::make_unique<OrderStatus>(database, style);
}

}  // namespace drover::tpcc::ydb
