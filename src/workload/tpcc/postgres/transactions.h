// The five transactions on PostgreSQL, one file each. Every one has two styles:
//
//   batched  what can go together goes together: pipelines, arrays, UPDATE … RETURNING. New-Order
//            takes two round trips, the others one.
//   single   one statement a row, as the BenchBase family does, so that figures can be compared
//            with published ones: a round trip for each statement, save that the writes of a
//            New-Order's lines are sent together (executeBatch there), and BEGIN with the first
//            statement.
//
// Both do the same to the data. Rows are locked in one order everywhere, so that the batched style
// cannot deadlock with itself: new_order, then customer, district, warehouse, then stock by its
// key.
//
// The functions leave an open transaction behind when they throw; their caller rolls it back. Those
// that write take a Trace: its mark goes into the dates that they write, and they say in it when
// the commit is under way.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/dialect.h"
#include "database/error.h"
#include "database/postgres/connection.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/sql_text.h"
#include "workload/tpcc/transaction.h"

namespace drover::tpcc::postgres {

using database::postgres::Commits;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::Results;
using database::postgres::Statement;

// How a transaction goes: in one of the two styles, or as the batched style goes where a server
// does not take its statements: on those that lose rows (below), and on relatives of PostgreSQL. By
// row, no statement writes to more than one row of a table that others write to, nor joins anything
// with it, nor has a subselect: New-Order takes two round trips as before, Payment two, or three by
// name, Delivery four. Order-Status and Stock-Level have no shape by row.
//
// By warehouse, New-Order takes two round trips, and each statement names one table and one
// warehouse. Citus routes such a statement by a generic plan. It plans any other anew each time.
enum class Shape : std::uint8_t { batched, single, by_row, by_warehouse };

// By TransactionType.
using Shapes = std::array<Shape, transaction_type_count>;

Shapes shapes_of(StatementStyle style, database::Dialect dialect) noexcept;

// Those of the batched style on servers that lose rows.
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

// One of those in transactions.sql, with `made` for its own names in braces.
Statement statement(const char* name, const std::vector<MadeText>& made = {});

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

// What a session prepares: every statement that the functions above use in these shapes.
std::vector<Statement> statements_of(const Shapes& shapes, database::Dialect dialect);
// What it prepares besides those of the batched style where rows are lost.
std::vector<Statement> by_row_statements(database::Dialect dialect);

// The text as the dialect takes it: what is written otherwise there stands in one place.
std::string in_dialect(database::Dialect dialect, std::string sql);

// Shared by all transactions.
extern const Statement begin_statement;
extern const Statement commit_statement;
extern const Statement rollback_statement;

// Queues a statement of a customer, of which there are two: with $1 = c_w_id, $2 = c_d_id and $3 =
// c_id, and with $3 = c_last.
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

// Sends COMMIT behind what is queued, and hands back the answers to all of it.
coro::Task<Results> commit(Connection& connection, Trace& trace);

// Throws database::Error (class statement) unless `result` has exactly one row: `what` names it.
void require_one_row(const Result& result, std::string_view what);

// The same unless a statement that writes has written `rows` rows.
void require_written(const Result& result, std::int64_t rows, std::string_view what);

// Servers that lose rows. PostgreSQL 18.0 and 18.1 forget, when an UPDATE, DELETE or SELECT … FOR
// UPDATE has waited for another transaction and looks at the changed row again, that it is joined
// with something that is no table: VALUES, unnest(), a CTE. The row is then left out as if it did
// not match, or the statement ends with an internal error. 18.2 is mended.
//
// There the batched New-Order and Delivery go by single rows (Shape::by_row). So they do after the
// first time that they find on any server what the joins had left out.

// `server_version`: as libpq has it, 180001 for 18.1.
bool loses_rows(int server_version) noexcept;

// For people, before a run on such a server.
std::string lost_rows_note(std::string_view server_version);

// A batched statement returned or changed too few rows, or the server does not support it. Missing
// rows either do not exist or were lost by the server: the transaction is repeated row by row,
// which tells the two apart.
class RowsMissing final : public database::Error {
 public:
  using Error::Error;
};

// The internal error that such a server ends the statement with.
bool is_lost_row(const database::Error& error) noexcept;

// Whether the server does not support the statement (SQLSTATE 0A000).
bool is_not_supported(const database::Error& error) noexcept;

// Returns a line for the user, in the middle of a run, on why batched transactions go by row.
std::string by_row_note(const RowsMissing& error);

}  // namespace drover::tpcc::postgres
