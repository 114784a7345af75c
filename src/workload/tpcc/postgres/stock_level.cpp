// Stock-Level (clause 2.8): read only, at read committed; one statement batched, two single.

#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

// The bounds are subselects and not a join: their range is then expected to be narrow, and the plan
// goes from the few lines to their stock instead of reading all of it. Where there is no district
// there is no row.
const Statement count_low_stock{
    "sl_count",
    "WITH following AS (SELECT d_next_o_id FROM district WHERE d_w_id = $1::int4 "
    "AND d_id = $2::int4) "
    "SELECT (SELECT count(DISTINCT s_i_id)::int4 FROM order_line JOIN stock ON s_w_id = ol_w_id "
    "AND s_i_id = ol_i_id WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 "
    "AND ol_o_id >= (SELECT d_next_o_id - 20 FROM following) "
    "AND ol_o_id < (SELECT d_next_o_id FROM following) "
    "AND s_w_id = $1::int4 AND s_quantity < $3::int4) FROM following"};

const Statement get_next_order{"sl_next_order",
                               "SELECT d_next_o_id::int4 FROM district "
                               "WHERE d_w_id = $1::int4 AND d_id = $2::int4"};
const Statement count_low_stock_since{
    "sl_count_since",
    "SELECT count(DISTINCT s_i_id)::int4 FROM order_line JOIN stock ON s_w_id = ol_w_id "
    "AND s_i_id = ol_i_id WHERE ol_w_id = $1::int4 AND ol_d_id = $2::int4 "
    "AND ol_o_id >= $3::int4 - 20 AND ol_o_id < $3::int4 AND s_w_id = $1::int4 "
    "AND s_quantity < $4::int4"};

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

const StatementSets stock_level_statements{.batched = {count_low_stock},
                                           .single = {get_next_order, count_low_stock_since}};

coro::Task<Outcome> perform(Connection& connection, const StockLevelInput& input, Trace&,
                            Shape shape) {
  return shape == Shape::single ? single(connection, input) : batched(connection, input);
}

}  // namespace drover::tpcc::postgres
