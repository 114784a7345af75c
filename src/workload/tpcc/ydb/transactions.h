// The five transactions on YDB, a file each; here is what they share. Every one has two styles:
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
// They leave an open transaction behind when they throw; their caller rolls it back. The mark of a
// Trace goes into the dates that they write, and they say in it when the commit is under way. Times
// are those of this machine.
//
// Belongs to one worker; a transaction's object may be in use by many tasks at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "coro/task.h"
#include "database/ydb/session.h"
#include "database/ydb/value/query_result.h"
#include "database/ydb/ydb_database.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/transaction.h"
#include "workload/tpcc/ydb/statement.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

using database::ydb::each_row;
using database::ydb::Parameters;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::Rows;
using database::ydb::ValueView;
using ServerSession = database::ydb::Session;

class Transaction {
 public:
  virtual ~Transaction() = default;

  // `input` is that of the transaction.
  virtual coro::Task<Outcome> execute(ServerSession& session, const Input& input, Trace& trace) = 0;
};

template <class Its>
class StyledTransaction : public Transaction {
 public:
  explicit StyledTransaction(StatementStyle style) noexcept : style_(style) {}

  coro::Task<Outcome> execute(ServerSession& session, const Input& input, Trace& trace) final {
    const Its& its = std::get<Its>(input);
    return style_ == StatementStyle::batched ? batched(session, its, trace)
                                             : single(session, its, trace);
  }

 private:
  virtual coro::Task<Outcome> batched(ServerSession& session, const Its& input, Trace& trace) = 0;
  virtual coro::Task<Outcome> single(ServerSession& session, const Its& input, Trace& trace) = 0;

  StatementStyle style_;
};

std::unique_ptr<Transaction> make_new_order(const YdbDatabase& database, StatementStyle style);
std::unique_ptr<Transaction> make_payment(const YdbDatabase& database, StatementStyle style);
std::unique_ptr<Transaction> make_order_status(const YdbDatabase& database, StatementStyle style);
std::unique_ptr<Transaction> make_delivery(const YdbDatabase& database, StatementStyle style);
std::unique_ptr<Transaction> make_stock_level(const YdbDatabase& database, StatementStyle style);

// For requests that only read and have several results.
inline constexpr auto at_once = database::ydb::ResultSets::concurrent;

// The statement in the transaction, with the values that it declares; the same, then a commit.
inline coro::Task<QueryResult> send(ServerSession& session, const Statement& statement,
                                    const Values& values) {
  return session.execute(statement.text, values.of(statement));
}
inline coro::Task<QueryResult> send_and_commit(ServerSession& session, const Statement& statement,
                                               const Values& values) {
  return session.execute_and_commit(statement.text, values.of(statement));
}

// $c_last or $c_id, by which the input names the customer.
void set_choice(Values& values, const CustomerChoice& choice);

// Microseconds since 1970, as a Timestamp has them.
std::int64_t now_us() noexcept;

// A date for h_date and ol_delivery_d: the second is now, its fraction the mark of a Trace.
std::int64_t marked_now_us(std::uint32_t mark) noexcept;

// Throws database::Error (class statement) unless there is exactly one row: `what` names it.
void require_one_row(const ResultSetView& rows, std::string_view what);

// The row of a customer chosen by last name, of rows in the order of c_first: the one in the
// middle, rounded up (clause 2.5.2.2). Throws database::Error if there is none.
std::size_t middle_row(const ResultSetView& customers);

// The second half of the key of history, h_c_nano_ts, which TPC-C does not have: the time in
// microseconds, times 1000, and a number of its own below 1000.
//
// Two keys are never the same within one process (up to 1000 of these objects at a time), as each
// object has another number and never gives a microsecond twice. Two processes pay at once for
// customers of the same warehouse only where one pays for remote customers; they have begun to
// count at a random number.
class HistoryKeys {
 public:
  static constexpr std::int64_t per_microsecond = 1000;

  HistoryKeys();

  std::int64_t next() noexcept;

 private:
  std::int64_t number_;
  std::int64_t last_us_ = 0;
};

}  // namespace drover::tpcc::ydb
