// The five transactions on PostgreSQL, one file each. Every transaction has two styles:
//
//   batched  as few round trips as possible, by pipelines, arrays and UPDATE … RETURNING. New-Order
//            takes two round trips, the other transactions one.
//   single   one statement a row, as the BenchBase family does, so that figures can be compared
//            with published ones: a round trip for each statement, save that the writes of a
//            New-Order's lines are sent together (executeBatch there), and BEGIN with the first
//            statement.
//
// Both styles write the same data. Rows are locked in one order everywhere, so that the batched
// style cannot deadlock with itself: new_order, then customer, district, warehouse, then stock by
// its key.
//
// A function that throws leaves its transaction open; the caller rolls it back. The mark of the
// Trace goes into the dates that the function writes, and the Trace says when the commit was sent.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/error.h"
#include "database/postgres/connection.h"
#include "database/server.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/sql_text.h"

namespace drover::tpcc::postgres {

using database::postgres::Commits;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::Results;
using database::postgres::Statement;

// The form of a transaction: one of the two styles, or a variant of the batched style for servers
// that lose rows (below) and for relatives of PostgreSQL. By row, no statement writes more than one
// row of a table that others write to, nor joins anything with it, nor has a subselect: New-Order
// takes two round trips as before, Payment two, or three by name, Delivery four. Order-Status and
// Stock-Level have no shape by row.
//
// In the shape by_warehouse, New-Order takes two round trips, and each statement names one table
// and one warehouse. Citus routes such a statement by a generic plan, and plans any other statement
// anew each time.
enum class Shape : std::uint8_t { batched, single, by_row, by_warehouse };

// By TransactionType.
using Shapes = std::array<Shape, transaction_type_count>;

Shapes shapes_of(StatementStyle style, database::Dialect dialect) noexcept;

// Returns the shapes of the batched style on servers that lose rows.
Shapes shapes_where_rows_are_lost(database::Dialect dialect) noexcept;

coro::Task<Outcome> perform(Connection& connection, const NewOrderInput& input, Trace& trace,
                            Shape shape);
coro::Task<Outcome> perform(Connection& connection, const PaymentInput& input, Trace& trace,
                            Shape shape);
coro::Task<Outcome> perform(Connection& connection, const OrderStatusInput& input, Trace& trace,
                            Shape shape);
coro::Task<Outcome> perform(Connection& connection, const DeliveryInput& input, Trace& trace,
                            Shape shape);
coro::Task<Outcome> perform(Connection& connection, const StockLevelInput& input, Trace& trace,
                            Shape shape);

// Returns a statement of transactions.sql, with the arguments for its names in braces.
Statement statement(const char* name, const std::vector<TextArgument>& arguments = {});

// The statements of a transaction.
struct StatementSets {
  std::vector<Statement> batched;
  std::vector<Statement> single;
  std::vector<Statement> by_row;
  std::vector<Statement> by_warehouse = {};

  const std::vector<Statement>& of(Shape shape) const noexcept {
    if (shape == Shape::by_row) return by_row;
    if (shape == Shape::by_warehouse) return by_warehouse;
    return shape == Shape::batched ? batched : single;
  }
};
extern const StatementSets new_order_statements;
extern const StatementSets payment_statements;
extern const StatementSets order_status_statements;
extern const StatementSets delivery_statements;
extern const StatementSets stock_level_statements;

// Returns the statements that a session prepares for these shapes.
std::vector<Statement> statements_of(const Shapes& shapes, database::Dialect dialect);
// Returns the statements that a session prepares in addition where rows are lost.
std::vector<Statement> by_row_statements(database::Dialect dialect);

// Returns the text as the dialect writes it.
std::string in_dialect(database::Dialect dialect, std::string sql);

// The statements that all transactions use.
extern const Statement begin_statement;
extern const Statement commit_statement;
extern const Statement rollback_statement;

// Queues one of two statements of a customer, with the parameters $1 = c_w_id, $2 = c_d_id, and $3
// = c_id or c_last.
template <class... Arguments>
void send_for(const CustomerChoice& customer, Connection& connection, const Statement& by_id,
              const Statement& by_name, const Arguments&... arguments) {
  const std::int32_t w_id = customer.c_w_id;
  if (customer.by_name) {
    connection.send(by_name, w_id, customer.c_d_id, customer.c_last_text(), arguments...);
  } else {
    connection.send(by_id, w_id, customer.c_d_id, customer.c_id, arguments...);
  }
}

// Sends the queued statements and COMMIT, and returns all answers.
coro::Task<Results> commit(Connection& connection, Trace& trace);

// Check the number of rows of a result (sql_text.h).
inline void require_one_row(const Result& result, std::string_view what) {
  tpcc::require_one_row(result.rows(), what);
}
inline void require_written(const Result& result, std::int64_t rows, std::string_view what) {
  tpcc::require_written(result.affected(), rows, what);
}

// Servers that lose rows. An UPDATE, DELETE or SELECT … FOR UPDATE of PostgreSQL 18.0 and 18.1 that
// has waited for another transaction reads the changed row again, and forgets that it joins the row
// with VALUES, unnest() or a CTE. The statement then skips the row, or fails with an internal
// error. 18.2 corrects this.
//
// On such servers the batched New-Order and Delivery use single rows (Shape::by_row). They also do
// so on any server after the first transaction that finds rows which the joins had skipped.

// `server_version`: the number of libpq, 180001 for 18.1.
bool loses_rows(int server_version) noexcept;

// Returns a note for the user before a run on such a server.
std::string lost_rows_note(std::string_view server_version);

// A batched statement returned or changed too few rows, or the server does not support such a
// statement. Either the rows do not exist, or the server has wrongly left them out of the batch.
// The transaction is repeated row by row, which tells the two cases apart.
class RowsMissing final : public database::Error {
 public:
  using Error::Error;
};

// Returns true for the internal error of such a server.
bool is_lost_row(const database::Error& error) noexcept;

// Returns true if the server does not support the statement (SQLSTATE 0A000).
bool is_not_supported(const database::Error& error) noexcept;

// Returns a note for the user, which is shown during a run: why batched transactions now update row
// by row.
std::string by_row_note(const RowsMissing& error);

}  // namespace drover::tpcc::postgres
