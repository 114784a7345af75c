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

#include <span>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/backend.h"
#include "tpcc/statement_style.h"

namespace drover::tpcc::postgres {

using database::postgres::Commits;
using database::postgres::Connection;
using database::postgres::Result;
using database::postgres::Results;
using database::postgres::Statement;

// What a session prepares for a style: every statement that the functions below use.
std::vector<Statement> statements_of(StatementStyle style);

// Shared by all transactions.
extern const Statement begin_statement;
extern const Statement commit_statement;
extern const Statement rollback_statement;

std::span<const Statement> new_order_statements(StatementStyle style);
std::span<const Statement> payment_statements(StatementStyle style);
std::span<const Statement> order_status_statements(StatementStyle style);
std::span<const Statement> delivery_statements(StatementStyle style);
std::span<const Statement> stock_level_statements(StatementStyle style);

coro::Task<Outcome> new_order_batched(Connection& connection, const NewOrderInput& input,
                                      Trace& trace);
coro::Task<Outcome> new_order_single(Connection& connection, const NewOrderInput& input,
                                     Trace& trace);
coro::Task<Outcome> payment_batched(Connection& connection, const PaymentInput& input,
                                    Trace& trace);
coro::Task<Outcome> payment_single(Connection& connection, const PaymentInput& input, Trace& trace);
coro::Task<Outcome> order_status_batched(Connection& connection, const OrderStatusInput& input);
coro::Task<Outcome> order_status_single(Connection& connection, const OrderStatusInput& input);
coro::Task<Outcome> delivery_batched(Connection& connection, const DeliveryInput& input,
                                     Trace& trace);
coro::Task<Outcome> delivery_single(Connection& connection, const DeliveryInput& input,
                                    Trace& trace);

// New-Order and Delivery of the batched style for servers that lose rows (lost_rows.h): no
// statement writes to more than one row of a table that others write to, nor joins anything with
// it. New-Order takes two round trips as before, Delivery four. Their statements are to be prepared
// besides those of the batched style.
std::vector<Statement> by_row_statements();
coro::Task<Outcome> new_order_by_row(Connection& connection, const NewOrderInput& input,
                                     Trace& trace);
coro::Task<Outcome> delivery_by_row(Connection& connection, const DeliveryInput& input,
                                    Trace& trace);

coro::Task<Outcome> stock_level_batched(Connection& connection, const StockLevelInput& input);
coro::Task<Outcome> stock_level_single(Connection& connection, const StockLevelInput& input);

// Throws database::Error (class statement) unless `result` has exactly one row: `what` names it.
void require_one_row(const Result& result, std::string_view what);

// The same unless a statement that writes has written `rows` rows.
void require_written(const Result& result, std::int64_t rows, std::string_view what);

// A date for h_date and ol_delivery_d: the second is the server's, its fraction the mark of a
// Trace, which is the parameter named, e.g. "$7".
std::string marked_date(std::string_view mark_parameter);

// The row of a customer chosen by last name is the one in the middle, by first name, rounded up
// (clause 2.5.2.2). An expression of $1 = c_w_id, $2 = c_d_id, $3 = c_last.
extern const std::string_view customer_id_by_name;

}  // namespace drover::tpcc::postgres
