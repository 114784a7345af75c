// The five transactions on YDB, a class each; here is what they share, and all of them together.
// Every one has two styles:
//
//   batched  statements that need nothing of each other go in one request: New-Order, Payment and
//            Order-Status (by name) take two requests, Delivery four, Stock-Level one
//   single   a statement a request, as YDB's own tool does, so that figures can be compared with
//            published ones; rows of one table still go together
//
// Both do the same to the data. The first request begins the transaction and the last one commits
// it. The text of a request is always the same, so that the server compiles it once. All reads come
// before the writes of the same table.
//
// The functions leave an open transaction behind when they throw; their caller rolls it back. Those
// that write take a Trace: its mark goes into the dates that they write, and they say in it when
// the commit is under way. Times are those of this machine.
//
// Belongs to one worker; a transaction's object may be in use by many tasks at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "coro/task.h"
#include "database/ydb/query_result.h"
#include "database/ydb/session.h"
#include "tpcc/backend.h"
#include "tpcc/statement_style.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

using database::ydb::Parameters;
using database::ydb::Primitive;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::RowType;
using ServerSession = database::ydb::Session;

// For requests that only read and have several results.
inline constexpr auto at_once = database::ydb::ResultSets::concurrent;

// Microseconds since 1970, as a Timestamp has them.
std::int64_t now_us() noexcept;

// A date for h_date and ol_delivery_d: the second is now, its fraction the mark of a Trace.
std::int64_t marked_now_us(std::uint32_t mark) noexcept;

// Throws database::Error (class statement) unless there is exactly one row: `what` names it.
void require_one_row(const ResultSetView& rows, std::string_view what);

// The row of a customer chosen by last name, of rows in the order of c_first: the one in the
// middle, rounded up (clause 2.5.2.2). Throws database::Error if there is none.
std::size_t middle_row(const ResultSetView& customers);

// All customers of a name, in that order.
inline constexpr std::string_view order_of_customers = " ORDER BY c_first, c_id";

std::int32_t int32_at(const ResultSetView& rows, std::size_t row, std::string_view column);

}  // namespace drover::tpcc::ydb
