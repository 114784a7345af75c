// Order-Status (clause 2.6): read only. Batched it is one statement, and so one snapshot; single,
// it is three in a transaction of one snapshot.
#include <fmt/format.h>

#include <string>

#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

constexpr std::string_view customer_columns =
    "c_id::int4 AS c_id, c_first::text, c_middle::text, c_last::text, "
    "(c_balance * 100)::int8 AS balance";
constexpr std::string_view line_columns =
    "ol_i_id::int4, ol_supply_w_id::int4, ol_quantity::int4, (ol_amount * 100)::int4, "
    "ol_delivery_d::text";

// $1 c_w_id, $2 c_d_id, $3 c_id or c_last.
std::string order_status_sql(std::string_view c_id) {
  return fmt::format(
      "WITH c AS (SELECT {} FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 "
      "AND c_id = {}), "
      "o AS (SELECT o_id, o_entry_d, o_carrier_id FROM oorder WHERE o_w_id = $1::int4 "
      "AND o_d_id = $2::int4 AND o_c_id = (SELECT c_id FROM c) ORDER BY o_id DESC LIMIT 1) "
      "SELECT c.*, o_id::int4, o_entry_d::text, o_carrier_id::int4, {} "
      "FROM c LEFT JOIN o ON true LEFT JOIN order_line ON ol_w_id = $1::int4 "
      "AND ol_d_id = $2::int4 AND ol_o_id = o.o_id",
      customer_columns, c_id, line_columns);
}

const Statement by_id{"os_by_id", order_status_sql("$3::int4")};
const Statement by_name{"os_by_name", order_status_sql(customer_id_by_name)};

const Statement begin_snapshot{"os_begin", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
const Statement get_customer_by_id{
    "os_customer_by_id",
    fmt::format("SELECT {} FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 "
                "AND c_id = $3::int4",
                customer_columns)};
const Statement get_customers_by_name{
    "os_customers_by_name",
    fmt::format("SELECT {} FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 "
                "AND c_last = $3::text ORDER BY c_first, c_id",
                customer_columns)};
const Statement get_last_order{
    "os_last_order",
    "SELECT o_id::int4, o_entry_d::text, o_carrier_id::int4 FROM oorder "
    "WHERE o_w_id = $1::int4 AND o_d_id = $2::int4 AND o_c_id = $3::int4 "
    "ORDER BY o_id DESC LIMIT 1"};
const Statement get_lines{"os_lines",
                          fmt::format("SELECT {} FROM order_line WHERE ol_w_id = $1::int4 "
                                      "AND ol_d_id = $2::int4 AND ol_o_id = $3::int4",
                                      line_columns)};

coro::Task<Outcome> batched(Connection& connection, const OrderStatusInput& input) {
  send_for(input.customer, connection, by_id, by_name);
  const Results results = co_await connection.run();
  if (results[0].rows() == 0) require_one_row(results[0], "customer");
  co_return Outcome{};
}

coro::Task<Outcome> single(Connection& connection, const OrderStatusInput& input) {
  const CustomerChoice& customer = input.customer;
  connection.send(begin_snapshot);
  send_for(customer, connection, get_customer_by_id, get_customers_by_name);
  const Results first = co_await connection.run();
  const Result& customers = first[1];
  if (customers.rows() == 0) require_one_row(customers, "customer");
  const std::int32_t c_id = customers.int4((customers.rows() + 1) / 2 - 1, 0);
  const Result order =
      co_await connection.execute(get_last_order, customer.c_w_id, customer.c_d_id, c_id);
  if (order.rows() > 0) {
    co_await connection.execute(get_lines, customer.c_w_id, customer.c_d_id, order.int4(0, 0));
  }
  co_await connection.execute(commit_statement);
  co_return Outcome{};
}

}  // namespace

const StatementSets order_status_statements{
    .batched = {by_id, by_name},
    .single = {begin_snapshot, get_customer_by_id, get_customers_by_name, get_last_order,
               get_lines}};

coro::Task<Outcome> perform(Connection& connection, const OrderStatusInput& input, Trace&,
                            Shape shape) {
  return shape == Shape::single ? single(connection, input) : batched(connection, input);
}

}  // namespace drover::tpcc::postgres
