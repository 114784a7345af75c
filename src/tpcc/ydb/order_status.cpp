#include "tpcc/ydb/order_status.h"

namespace drover::tpcc::ydb {

using coro::Task;

namespace {

constexpr std::string_view declare_district = R"(
DECLARE $w_id AS Int32;
DECLARE $d_id AS Int32;)";
constexpr std::string_view declare_customer_id = R"(
DECLARE $c_id AS Int32;)";
constexpr std::string_view declare_customer_name = R"(
DECLARE $c_last AS Utf8;)";
constexpr std::string_view declare_order_id = R"(
DECLARE $o_id AS Int32;)";

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

void add_district(Parameters& parameters, const CustomerChoice& choice) {
  parameters.add("$w_id", Primitive::int32, choice.c_w_id);
  parameters.add("$d_id", Primitive::int32, choice.c_d_id);
}

}  // namespace

OrderStatus::OrderStatus(const YdbDatabase& database) {
  const auto text = [pragma = folder_pragma(database)](const auto&... parts) {
    return (pragma + ... + std::string(parts));
  };
  const std::string order_and_lines = std::string(name_order_id)
                                          .append(from_newest_order)
                                          .append(");")
                                          .append(select_newest_order)
                                          .append(from_newest_order)
                                          .append(";")
                                          .append(select_lines);
  batched_by_id_ =
      text(declare_district, declare_customer_id, select_customer, by_id, order_and_lines);
  batched_orders_ = text(declare_district, declare_customer_id, order_and_lines);
  find_by_name_ = text(declare_district, declare_customer_name, select_customer, by_name);
  get_customer_ = text(declare_district, declare_customer_id, select_customer, by_id);
  get_newest_order_ = text(declare_district, declare_customer_id, select_newest_order,
                           from_newest_order, std::string_view(";"));
  get_lines_ = text(declare_district, declare_order_id, select_lines);
}

Task<std::int32_t> OrderStatus::find_by_name(ServerSession& session,
                                             const CustomerChoice& choice) const {
  Parameters of_name;
  add_district(of_name, choice);
  of_name.add("$c_last", Primitive::utf8, choice.c_last_text());
  const QueryResult found = co_await session.execute(find_by_name_, std::move(of_name));
  co_return int32_at(found.set(0), middle_row(found.set(0)), "c_id");
}

Task<Outcome> OrderStatus::batched(ServerSession& session, const OrderStatusInput& input) const {
  const CustomerChoice& choice = input.customer;
  std::int32_t c_id = choice.c_id;
  if (choice.by_name) c_id = co_await find_by_name(session, choice);
  Parameters reading;
  add_district(reading, choice);
  reading.add("$c_id", Primitive::int32, c_id);
  if (choice.by_name) {
    co_await session.execute_and_commit(batched_orders_, std::move(reading), at_once);
    co_return Outcome{};
  }
  const QueryResult read =
      co_await session.execute_and_commit(batched_by_id_, std::move(reading), at_once);
  require_one_row(read.set(0), "customer");
  co_return Outcome{};
}

Task<Outcome> OrderStatus::single(ServerSession& session, const OrderStatusInput& input) const {
  const CustomerChoice& choice = input.customer;
  std::int32_t c_id = choice.c_id;
  if (choice.by_name) c_id = co_await find_by_name(session, choice);
  if (!choice.by_name) {
    Parameters of_customer;
    add_district(of_customer, choice);
    of_customer.add("$c_id", Primitive::int32, c_id);
    const QueryResult read = co_await session.execute(get_customer_, std::move(of_customer));
    require_one_row(read.set(0), "customer");
  }
  Parameters of_order;
  add_district(of_order, choice);
  of_order.add("$c_id", Primitive::int32, c_id);
  const QueryResult order = co_await session.execute(get_newest_order_, std::move(of_order));
  if (order.set(0).rows() == 0) {
    co_await session.commit();
    co_return Outcome{};
  }
  Parameters of_lines;
  add_district(of_lines, choice);
  of_lines.add("$o_id", Primitive::int32, int32_at(order.set(0), 0, "o_id"));
  co_await session.execute_and_commit(get_lines_, std::move(of_lines));
  co_return Outcome{};
}

}  // namespace drover::tpcc::ydb
