// Payment (clause 2.5): one round trip batched, a statement a row single.
#include <fmt/format.h>

#include <string>

#include "database/error.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

const Statement update_warehouse{
    "pay_warehouse",
    "UPDATE warehouse SET w_ytd = w_ytd + $2::int4 * 0.01 WHERE w_id = $1::int4 "
    "RETURNING w_name::text, w_street_1::text, w_street_2::text, w_city::text, w_state::text, "
    "w_zip::text"};
const Statement update_district{
    "pay_district",
    "UPDATE district SET d_ytd = d_ytd + $3::int4 * 0.01 "
    "WHERE d_w_id = $1::int4 AND d_id = $2::int4 "
    "RETURNING d_name::text, d_street_1::text, d_street_2::text, d_city::text, d_state::text, "
    "d_zip::text"};

// $1 c_w_id, $2 c_d_id, $3 c_id or c_last, $4 amount, $5 w_id, $6 d_id. Clause 2.5.2.2: bad credit
// gets the payment written before what c_data holds, cut at 500 characters.
std::string update_customer_sql(std::string_view c_id) {
  return fmt::format(
      "UPDATE customer SET c_balance = c_balance - $4::int4 * 0.01, "
      "c_ytd_payment = c_ytd_payment + $4::int4 * 0.01, c_payment_cnt = c_payment_cnt + 1, "
      "c_data = CASE WHEN c_credit = 'BC' THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, $6::int4, "
      "$5::int4, $4::int4 * 0.01) || '|' || c_data, 500) ELSE c_data END "
      "WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = {} "
      "RETURNING c_id::int4, c_first::text, c_middle::text, c_last::text, c_street_1::text, "
      "c_street_2::text, c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, "
      "c_credit::text, (c_credit_lim * 100)::int8, (c_discount * 10000)::int4, "
      "(c_balance * 100)::int8, left(c_data, 200)",
      c_id);
}

const Statement update_customer_by_id{"pay_customer_by_id", update_customer_sql("$3::int4")};
const Statement update_customer_by_name{"pay_customer_by_name",
                                        update_customer_sql(customer_id_by_name)};

// $1 c_w_id, $2 c_d_id, $3 c_id or c_last, $4 w_id, $5 d_id, $6 amount, $7 mark. h_data: w_name,
// four spaces, d_name. A row that is missing in customer, warehouse or district becomes a NULL,
// which history does not take: so a pipeline that has updated nothing there is not committed
// either.
std::string insert_history_sql(std::string_view c_id) {
  return fmt::format(
      "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) "
      "VALUES ({}, $2::int4, $1::int4, $5::int4, $4::int4, {}, $6::int4 * 0.01, "
      "(SELECT w_name FROM warehouse WHERE w_id = $4::int4) || '    ' || "
      "(SELECT d_name FROM district WHERE d_w_id = $4::int4 AND d_id = $5::int4))",
      c_id, marked_date("$7"));
}

constexpr std::string_view existing_customer_id =
    "(SELECT c_id FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 "
    "AND c_id = $3::int4)";

const Statement insert_history_by_id{"pay_history_by_id", insert_history_sql(existing_customer_id)};
const Statement insert_history_by_name{"pay_history_by_name",
                                       insert_history_sql(customer_id_by_name)};

const Statement find_customer_by_name{
    "pay_find_by_name",
    "SELECT c_id::int4 FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 "
    "AND c_last = $3::text ORDER BY c_first, c_id"};
const Statement get_customer{
    "pay_get_customer",
    "SELECT c_first::text, c_middle::text, c_last::text, c_street_1::text, c_street_2::text, "
    "c_city::text, c_state::text, c_zip::text, c_phone::text, c_since::text, c_credit::text, "
    "(c_credit_lim * 100)::int8, (c_discount * 10000)::int4, (c_balance * 100)::int8 "
    "FROM customer WHERE c_w_id = $1::int4 AND c_d_id = $2::int4 AND c_id = $3::int4 FOR UPDATE"};

constexpr std::string_view not_null_violation = "23502";

// The rows that most transactions want, district and warehouse, are locked last and so the
// shortest.
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
        fmt::format("the customer, the district or warehouse {} of a Payment has no row: is the "
                    "database loaded as far as the run reaches? See: drover tpcc check",
                    input.w_id));
  }
  require_one_row(results[1], "customer");
  require_one_row(results[2], "district");
  require_one_row(results[3], "warehouse");
  require_written(results[4], 1, "history");
  co_return Outcome{};
}

coro::Task<std::int32_t> customer_id(Connection& connection, const CustomerChoice& customer) {
  if (!customer.by_name) co_return customer.c_id;
  const Result found = co_await connection.execute(find_customer_by_name, customer.c_w_id,
                                                   customer.c_d_id, customer.c_last_text());
  if (found.rows() == 0) require_one_row(found, "customer of that name");
  co_return found.int4((found.rows() + 1) / 2 - 1, 0);
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
      co_await connection.execute(get_customer, customer.c_w_id, customer.c_d_id, c_id);
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
    .single = {update_warehouse, update_district, find_customer_by_name, get_customer,
               update_customer_by_id, insert_history_by_id}};

coro::Task<Outcome> perform(Connection& connection, const PaymentInput& input, Trace& trace,
                            Shape shape) {
  return shape == Shape::single ? single(connection, input, trace)
                                : batched(connection, input, trace);
}

}  // namespace drover::tpcc::postgres
