// Payment (clause 2.5): one round trip batched, a statement a row single.
#include <fmt/format.h>

#include <string>

#include "database/error.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

const Statement update_warehouse = statement("pay_warehouse");
const Statement update_district = statement("pay_district");
const Statement update_customer_by_id = statement("pay_customer_by_id");
const Statement update_customer_by_name = statement("pay_customer_by_name");
const Statement insert_history_by_id = statement("pay_history_by_id");
const Statement insert_history_by_name = statement("pay_history_by_name");

const Statement find_customer_by_name = statement("pay_find_by_name");
const Statement get_paying_customer = statement("pay_get_customer");

const Statement update_customer_with_data = statement("pay_customer_with_data");
const Statement insert_history_values = statement("pay_history_values");

constexpr std::string_view not_null_violation = "23502";

// Locks district and warehouse, the rows that most transactions need, last and so for the shortest
// time.
coro::Task<Outcome> batched(Connection& connection, const PaymentInput& input, Trace& trace) {
  const CustomerChoice& customer = input.customer;
  const auto mark = static_cast<std::int32_t>(trace.mark);
  connection.send(begin_statement);
  send_for(customer, connection, update_customer_by_id, update_customer_by_name, input.amount_cents,
           input.w_id, input.d_id);
  connection.send(update_district, input.w_id, input.d_id, input.amount_cents);
  connection.send(update_warehouse, input.w_id, input.amount_cents);
  send_for(customer, connection, insert_history_by_id, insert_history_by_name, input.w_id,
           input.d_id, input.amount_cents, mark);
  Results results;
  try {
    results = co_await commit(connection, trace);
  } catch (const database::Error& error) {
    if (error.sqlstate() != not_null_violation) throw;
    throw database::Error(
        error.error_class(), error.sqlstate(),
        fmt::format("a Payment found no row of its customer, its district or warehouse {}. The "
                    "database may be loaded incompletely. Check it with 'drover tpcc check'",
                    input.w_id));
  }
  require_one_row(results[1], "customer");
  require_one_row(results[2], "district");
  require_one_row(results[3], "warehouse");
  require_written(results[4], 1, "history");
  co_return Outcome{};
}

// Returns the middle customer of those with the name, in their order (clause 2.5.2.2).
std::int32_t middle_one(const Result& found) {
  if (found.rows() == 0) require_one_row(found, "customer of that name");
  return found.int4((found.rows() + 1) / 2 - 1, 0);
}

coro::Task<std::int32_t> customer_id(Connection& connection, const CustomerChoice& customer) {
  if (!customer.by_name) co_return customer.c_id;
  const Result found = co_await connection.execute(find_customer_by_name, customer.c_w_id,
                                                   customer.c_d_id, customer.c_last_text());
  co_return middle_one(found);
}

// Locks rows in the order of the batched style.
coro::Task<Outcome> by_row(Connection& connection, const PaymentInput& input, Trace& trace) {
  const CustomerChoice& customer = input.customer;
  std::int32_t c_id = customer.c_id;
  std::size_t first = 1;  // of the answers
  connection.send(begin_statement);
  if (customer.by_name) {
    connection.send(find_customer_by_name, customer.c_w_id, customer.c_d_id,
                    customer.c_last_text());
    const Results found = co_await connection.run();
    c_id = middle_one(found[1]);
    first = 0;
  }
  const std::string paid =
      fmt::format("{} {} {} {} {} {}.{:02}|", c_id, customer.c_d_id, customer.c_w_id, input.d_id,
                  input.w_id, input.amount_cents / 100, input.amount_cents % 100);
  connection.send(update_customer_with_data, customer.c_w_id, customer.c_d_id, c_id,
                  input.amount_cents, std::string_view(paid));
  connection.send(update_district, input.w_id, input.d_id, input.amount_cents);
  connection.send(update_warehouse, input.w_id, input.amount_cents);
  const Results updated = co_await connection.run();
  require_one_row(updated[first], "customer");
  require_one_row(updated[first + 1], "district");
  require_one_row(updated[first + 2], "warehouse");
  const std::string data =
      fmt::format("{}    {}", updated[first + 2].text(0, 0), updated[first + 1].text(0, 0));
  connection.send(insert_history_values, customer.c_w_id, customer.c_d_id, c_id, input.w_id,
                  input.d_id, input.amount_cents, static_cast<std::int32_t>(trace.mark),
                  std::string_view(data));
  const Results written = co_await commit(connection, trace);
  require_written(written[0], 1, "history");
  co_return Outcome{};
}

coro::Task<Outcome> single(Connection& connection, const PaymentInput& input, Trace& trace) {
  connection.send(begin_statement);
  connection.send(update_warehouse, input.w_id, input.amount_cents);
  const Results first = co_await connection.run();
  require_one_row(first[1], "warehouse");
  const Result district =
      co_await connection.execute(update_district, input.w_id, input.d_id, input.amount_cents);
  require_one_row(district, "district");
  const CustomerChoice& customer = input.customer;
  const std::int32_t c_id = co_await customer_id(connection, customer);
  const Result before =
      co_await connection.execute(get_paying_customer, customer.c_w_id, customer.c_d_id, c_id);
  require_one_row(before, "customer");
  const Result paid =
      co_await connection.execute(update_customer_by_id, customer.c_w_id, customer.c_d_id, c_id,
                                  input.amount_cents, input.w_id, input.d_id);
  require_one_row(paid, "customer");
  const Result noted = co_await connection.execute(
      insert_history_by_id, customer.c_w_id, customer.c_d_id, c_id, input.w_id, input.d_id,
      input.amount_cents, static_cast<std::int32_t>(trace.mark));
  require_written(noted, 1, "history");
  co_await commit(connection, trace);
  co_return Outcome{};
}

}  // namespace

const StatementSets payment_statements{
    .batched = {update_warehouse, update_district, update_customer_by_id, update_customer_by_name,
                insert_history_by_id, insert_history_by_name},
    .single = {update_warehouse, update_district, find_customer_by_name, get_paying_customer,
               update_customer_by_id, insert_history_by_id},
    .by_row = {update_warehouse, update_district, find_customer_by_name, update_customer_with_data,
               insert_history_values}};

coro::Task<Outcome> perform(Connection& connection, const PaymentInput& input, Trace& trace,
                            Shape shape) {
  if (shape == Shape::by_row) return by_row(connection, input, trace);
  return shape == Shape::single ? single(connection, input, trace)
                                : batched(connection, input, trace);
}

}  // namespace drover::tpcc::postgres
