// Stock-Level (clause 2.8): only reads, at read committed; one statement batched, two single.
#include "workload/tpcc/postgres/transactions.h"

namespace drover::tpcc::postgres {
namespace {

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

const StatementSets stock_level_statements{
    .batched = {count_low_stock}, .single = {get_next_order, count_low_stock_since}, .by_row = {}};

coro::Task<Outcome> perform(Connection& connection, const StockLevelInput& input, Trace&,
                            Shape shape) {
  return shape == Shape::batched ? batched(connection, input) : single(connection, input);
}

}  // namespace drover::tpcc::postgres
