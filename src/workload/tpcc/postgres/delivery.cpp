// Delivery (clause 2.7): the oldest undelivered order of each of the ten districts, in one database
// transaction; one statement batched, seven a district single, and the same seven in four round
// trips by row.
//
// The oldest order is locked where it is found. A Delivery that finds it locked waits. If the other
// Delivery then commits, PostgreSQL steps on to the next oldest order; if it rolls back, this
// Delivery takes the order. So no order is skipped, and none is delivered out of turn.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "database/error.h"
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

const Statement deliver = statement("dl_deliver");

// The error of `deliver` if an order has no row in oorder or its customer does not exist.
constexpr std::string_view division_by_zero = "22012";

const Statement get_oldest = statement("dl_oldest");
const Statement delete_new_order = statement("dl_delete");
const Statement get_customer_id = statement("dl_customer_id");
const Statement set_carrier = statement("dl_carrier");
const Statement set_delivery_date = statement("dl_date");
const Statement sum_amounts = statement("dl_sum");
const Statement pay_customer = statement("dl_customer");

void note_delivered(Outcome& outcome, std::int32_t d_id, std::int32_t o_id) {
  outcome.delivered.at(static_cast<std::size_t>(d_id - 1)) = o_id;
}

Outcome read_delivered(const Result& taken) {
  Outcome outcome;
  outcome.districts_skipped = districts_per_warehouse - taken.int4(0, 0);
  for (int row = 0; row < taken.rows(); ++row) {
    if (!taken.is_null(row, 1)) note_delivered(outcome, taken.int4(row, 1), taken.int4(row, 2));
  }
  return outcome;
}

coro::Task<Outcome> batched(Connection& connection, const DeliveryInput& input, Trace& trace) {
  connection.send(deliver, input.w_id, input.carrier_id, static_cast<std::int32_t>(trace.mark));
  trace.commit_sent = true;
  std::optional<database::Error> error;
  Outcome outcome;
  try {
    const Results results = co_await connection.run(Commits::yes);
    outcome = read_delivered(results[0]);
  } catch (const database::Error& thrown) {
    error = thrown;
  }
  if (!error) co_return outcome;
  if (error->sqlstate() != division_by_zero) throw database::Error(*error);
  throw RowsMissing(error->error_class(), error->sqlstate(),
                    fmt::format("an order to be delivered at warehouse {} has no row in oorder, or "
                                "its customer is missing. Check the data with 'drover tpcc check'",
                                input.w_id));
}

// Throws unless an order to deliver, or its customer, has exactly one row.
void require_one(std::int64_t rows, bool of_customer, const DeliveryInput& input, std::int32_t d_id,
                 std::int32_t o_id) {
  if (rows == 1) return;
  throw database::Error(
      database::ErrorClass::statement, "",
      fmt::format("{}order {} of district {} of warehouse {}, which is due for delivery, has {} "
                  "rows{}. Check the data with 'drover tpcc check'",
                  of_customer ? "the customer of " : "", o_id, d_id, input.w_id, rows,
                  of_customer ? "" : " in oorder"));
}

// Returns the order that was delivered, or 0.
coro::Task<std::int32_t> deliver_district(Connection& connection, const DeliveryInput& input,
                                          std::int32_t d_id, std::uint32_t mark) {
  const Result oldest = co_await connection.execute(get_oldest, input.w_id, d_id);
  if (oldest.rows() == 0) co_return 0;
  const std::int32_t o_id = oldest.int4(0, 0);
  const Result taken = co_await connection.execute(delete_new_order, input.w_id, d_id, o_id);
  require_written(taken, 1, "new_order");
  const Result order = co_await connection.execute(get_customer_id, input.w_id, d_id, o_id);
  require_one(order.rows(), false, input, d_id, o_id);
  const Result carried =
      co_await connection.execute(set_carrier, input.w_id, d_id, o_id, input.carrier_id);
  require_written(carried, 1, "oorder");
  co_await connection.execute(set_delivery_date, input.w_id, d_id, o_id,
                              static_cast<std::int32_t>(mark));
  const Result sum = co_await connection.execute(sum_amounts, input.w_id, d_id, o_id);
  const Result paid =
      co_await connection.execute(pay_customer, input.w_id, d_id, order.int4(0, 0), sum.int8(0, 0));
  require_one(paid.affected(), true, input, d_id, o_id);
  co_return o_id;
}

// The oldest order of each district that has an undelivered order, locked.
coro::Task<Outcome> lock_oldest(Connection& connection, const DeliveryInput& input) {
  connection.send(begin_statement);
  for (std::int32_t d_id = 1; d_id <= districts_per_warehouse; ++d_id) {
    connection.send(get_oldest, input.w_id, d_id);
  }
  const Results oldest = co_await connection.run();
  Outcome outcome;
  for (std::int32_t d_id = 1; d_id <= districts_per_warehouse; ++d_id) {
    const Result& found = oldest[static_cast<std::size_t>(d_id)];
    if (found.rows() == 0) ++outcome.districts_skipped;
    if (found.rows() > 0) note_delivered(outcome, d_id, found.int4(0, 0));
  }
  co_return outcome;
}

coro::Task<Outcome> by_row(Connection& connection, const DeliveryInput& input, Trace& trace) {
  constexpr std::size_t statements_each = 5;
  const Outcome outcome = co_await lock_oldest(connection, input);
  const auto order_of = [&outcome](std::int32_t d_id) {
    return outcome.delivered.at(static_cast<std::size_t>(d_id - 1));
  };
  std::vector<std::int32_t> districts;
  for (std::int32_t d_id = 1; d_id <= districts_per_warehouse; ++d_id) {
    if (order_of(d_id) != 0) districts.push_back(d_id);
  }
  for (const std::int32_t d_id : districts) {
    const std::int32_t o_id = order_of(d_id);
    connection.send(delete_new_order, input.w_id, d_id, o_id);
    connection.send(get_customer_id, input.w_id, d_id, o_id);
    connection.send(set_carrier, input.w_id, d_id, o_id, input.carrier_id);
    connection.send(set_delivery_date, input.w_id, d_id, o_id,
                    static_cast<std::int32_t>(trace.mark));
    connection.send(sum_amounts, input.w_id, d_id, o_id);
  }
  const Results done = co_await connection.run();
  std::vector<std::pair<std::int32_t, std::int64_t>> payments;  // customer, cents
  for (std::size_t i = 0; i < districts.size(); ++i) {
    const std::span<const Result> of = std::span(done).subspan(i * statements_each);
    require_written(of[0], 1, "new_order");
    require_one(of[1].rows(), false, input, districts[i], order_of(districts[i]));
    require_written(of[2], 1, "oorder");
    payments.emplace_back(of[1].int4(0, 0), of[4].int8(0, 0));
  }
  for (std::size_t i = 0; i < districts.size(); ++i) {
    connection.send(pay_customer, input.w_id, districts[i], payments[i].first, payments[i].second);
  }
  const Results paid = co_await connection.run();
  for (std::size_t i = 0; i < districts.size(); ++i) {
    require_one(paid[i].affected(), true, input, districts[i], order_of(districts[i]));
  }
  co_await commit(connection, trace);
  co_return outcome;
}

coro::Task<Outcome> single(Connection& connection, const DeliveryInput& input, Trace& trace) {
  co_await connection.execute(begin_statement);
  Outcome outcome;
  for (std::int32_t d_id = 1; d_id <= districts_per_warehouse; ++d_id) {
    const std::int32_t o_id = co_await deliver_district(connection, input, d_id, trace.mark);
    note_delivered(outcome, d_id, o_id);
    if (o_id == 0) ++outcome.districts_skipped;
  }
  co_await commit(connection, trace);
  co_return outcome;
}

const std::vector<Statement> row_by_row = {get_oldest,  delete_new_order,  get_customer_id,
                                           set_carrier, set_delivery_date, sum_amounts,
                                           pay_customer};

}  // namespace

const StatementSets delivery_statements{
    .batched = {deliver}, .single = row_by_row, .by_row = row_by_row};

coro::Task<Outcome> perform(Connection& connection, const DeliveryInput& input, Trace& trace,
                            Shape shape) {
  if (shape == Shape::by_row) return by_row(connection, input, trace);
  return shape == Shape::single ? single(connection, input, trace)
                                : batched(connection, input, trace);
}

}  // namespace drover::tpcc::postgres
