// Order-Status and Stock-Level, which only read.
//
// Order-Status (clause 2.6): batched, it is one statement, which has one snapshot; single, it is
// three statements in a transaction with one snapshot.
//
// Stock-Level (clause 2.8), at read committed: one statement batched, two single.
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

const Statement by_id = statement("os_by_id");
const Statement by_name = statement("os_by_name");

const Statement begin_snapshot = statement("os_begin");
const Statement get_customer_by_id = statement("os_customer_by_id");
const Statement get_customers_by_name = statement("os_customers_by_name");
const Statement get_last_order = statement("os_last_order");
const Statement get_lines = statement("os_lines");

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

const Statement count_low_stock = statement("sl_count");

const Statement get_next_order = statement("sl_next_order");
const Statement count_low_stock_since = statement("sl_count_since");

coro::Task<Outcome> batched(Connection& connection, const StockLevelInput& input) {
  connection.send(count_low_stock, input.w_id, input.d_id, input.threshold);
  const Results results = co_await connection.run();
  require_one_row(results[0], "district");
  co_return Outcome{};
}

coro::Task<Outcome> single(Connection& connection, const StockLevelInput& input) {
  connection.send(begin_statement);
  connection.send(get_next_order, input.w_id, input.d_id);
  const Results first = co_await connection.run();
  require_one_row(first[1], "district");
  co_await connection.execute(count_low_stock_since, input.w_id, input.d_id, first[1].int4(0, 0),
                              input.threshold);
  co_await connection.execute(commit_statement);
  co_return Outcome{};
}

}  // namespace

const StatementSets order_status_statements{
    .batched = {by_id, by_name},
    .single = {begin_snapshot, get_customer_by_id, get_customers_by_name, get_last_order,
               get_lines},
    .by_row = {}};

coro::Task<Outcome> perform(Connection& connection, const OrderStatusInput& input, Trace&,
                            Shape shape) {
  return shape == Shape::batched ? batched(connection, input) : single(connection, input);
}

const StatementSets stock_level_statements{
    .batched = {count_low_stock}, .single = {get_next_order, count_low_stock_since}, .by_row = {}};

coro::Task<Outcome> perform(Connection& connection, const StockLevelInput& input, Trace&,
                            Shape shape) {
  return shape == Shape::batched ? batched(connection, input) : single(connection, input);
}

}  // namespace drover::tpcc::postgres
