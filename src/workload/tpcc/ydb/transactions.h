// The five transactions on YDB, one file each, and their common parts. Every transaction has two
// styles:
//
//   batched  independent statements go in one request: New-Order, Payment and
//            Order-Status (by name) take two requests, Delivery four, Stock-Level one
//   single   a statement a request, as YDB's own tool does, so that figures can be compared with
//            published ones; rows of one table still go together
//
// Both styles write the same data. The first request begins the transaction and the last one
// commits it. The text of a request never changes, so that the server compiles it once. All reads
// come before the writes of the same table.
//
// A transaction that throws leaves its database transaction open; the caller rolls it back. The
// mark of the Trace goes into the dates that it writes, and the Trace says when the commit was
// sent. Times are those of this machine.
//
// Belongs to one worker; several tasks may use one YdbTransaction at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "database/ydb/session.h"
#include "database/ydb/value/value.h"
#include "workload/tpcc/backend.h"
#include "workload/tpcc/input.h"
#include "workload/tpcc/sql_text.h"
#include "workload/tpcc/ydb/import/schema.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

using database::ydb::each_row;
using database::ydb::Parameters;
using database::ydb::QueryResult;
using database::ydb::ResultSetView;
using database::ydb::Rows;
using database::ydb::ServerSession;
using database::ydb::ValueView;

// Statement texts and their parameters. A parameter has one type in all texts, and each text gets
// the declarations of the parameters that it names.
//
//   const StatementTexts text(database);
//   // UPDATE district SET d_ytd = d_ytd + $amount WHERE …
//   pay_district_ = text.of({"pay_district"});
//   const Values values = {{"$d_id", d_id}, {"$amount", money_of_cents(cents)}};
//   co_await send(session, pay_district_, values);
//
// Texts and values are pure; any thread.

// A parameter that is one value.
class ScalarParameter {
 public:
  // Does not compile for an unknown name.
  consteval ScalarParameter(const char* name) {  // NOLINT: a name is a parameter
    while (all.at(place_).name != name) ++place_;
  }

  constexpr std::size_t place() const noexcept { return place_; }

  static constexpr std::array all = std::to_array<Column>({
      {"$all_local", database::ydb::Primitive::int32},
      {"$amount", money_type},
      {"$balance", money_type},
      {"$c_d_id", database::ydb::Primitive::int32},
      {"$c_id", database::ydb::Primitive::int32},
      {"$c_last", database::ydb::Primitive::utf8},
      {"$c_w_id", database::ydb::Primitive::int32},
      {"$d_id", database::ydb::Primitive::int32},
      {"$data", database::ydb::Primitive::utf8},
      {"$date", database::ydb::Primitive::timestamp},
      {"$entry_d", database::ydb::Primitive::timestamp},
      {"$first", database::ydb::Primitive::int32},
      {"$h_data", database::ydb::Primitive::utf8},
      {"$last", database::ydb::Primitive::int32},
      {"$limit", database::ydb::Primitive::uint64},
      {"$nano_ts", database::ydb::Primitive::int64},
      {"$next", database::ydb::Primitive::int32},
      {"$o_id", database::ydb::Primitive::int32},
      {"$ol_cnt", database::ydb::Primitive::int32},
      {"$payment_cnt", database::ydb::Primitive::int32},
      {"$since", database::ydb::Primitive::int64},
      {"$threshold", database::ydb::Primitive::int32},
      {"$w_id", database::ydb::Primitive::int32},
      {"$w_first", database::ydb::Primitive::int32},
      {"$w_last", database::ydb::Primitive::int32},
      {"$ytd_payment", money_type},
  });

 private:
  std::size_t place_ = 0;  // in `all`
};

struct Argument {
  ScalarParameter parameter;
  database::ydb::Cell value;
};

struct Statement {
  std::string text;
  std::vector<std::size_t> scalars = {};  // declared: indexes in ScalarParameter::all
};

// The values of a transaction's scalar parameters, which may be set at different times.
class Values {
 public:
  Values(std::initializer_list<Argument> values) { set(values); }
  void set(std::initializer_list<Argument> values);

  // Returns the parameters that the statement declares. The caller adds rows.
  database::ydb::Parameters of(const Statement& statement) const;

 private:
  std::array<database::ydb::Cell, ScalarParameter::all.size()> values_;
};

// A parameter that is a list of rows.
struct RowsParameter {
  database::ydb::Rows add_to(database::ydb::Parameters& parameters) const {
    return parameters.add_rows(name, type);
  }

  std::string name;
  database::ydb::RowType type;
};

// Returns a parameter of rows with these columns of a table.
RowsParameter rows_of(std::string name, Table table,
                      std::initializer_list<std::string_view> columns);

// Returns a parameter of keys with so many integer columns, for IN.
RowsParameter keys_of(std::string name, std::size_t columns);

class StatementTexts {
 public:
  // The rows must outlive it.
  explicit StatementTexts(const YdbDatabase& database,
                          std::initializer_list<const RowsParameter*> rows = {})
      : pragma_(folder_pragma(database)), rows_(rows) {}

  // Returns the declarations, then the parts one after the other.
  template <class... Parts>
  Statement operator()(const Parts&... parts) const {
    return whole((std::string() + ... + std::string(parts)));
  }

  // Returns a statement of the named parts of transactions.yql.
  Statement of(std::initializer_list<std::string_view> names) const;

 private:
  Statement whole(std::string_view body) const;

  std::string pragma_;
  std::vector<const RowsParameter*> rows_;
};

class YdbTransaction {
 public:
  virtual ~YdbTransaction() = default;

  // `input` must be of the transaction's type.
  virtual coro::Task<Outcome> execute(ServerSession& session, const Input& input, Trace& trace) = 0;
};

template <class Its>
class StyledTransaction : public YdbTransaction {
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

std::unique_ptr<YdbTransaction> make_new_order(const YdbDatabase& database, StatementStyle style);
std::unique_ptr<YdbTransaction> make_payment(const YdbDatabase& database, StatementStyle style);
std::unique_ptr<YdbTransaction> make_order_status(const YdbDatabase& database,
                                                  StatementStyle style);
std::unique_ptr<YdbTransaction> make_delivery(const YdbDatabase& database, StatementStyle style);
std::unique_ptr<YdbTransaction> make_stock_level(const YdbDatabase& database, StatementStyle style);

// The results of a read-only request may be computed at the same time.
inline constexpr auto at_once = database::ydb::ResultSets::concurrent;

// Executes the statement in the transaction with the values that it declares. The second function
// then commits.
inline coro::Task<QueryResult> send(ServerSession& session, const Statement& statement,
                                    const Values& values) {
  return session.execute(statement.text, values.of(statement));
}
inline coro::Task<QueryResult> send_and_commit(ServerSession& session, const Statement& statement,
                                               const Values& values) {
  return session.execute_and_commit(statement.text, values.of(statement));
}

// Sets $c_last or $c_id, whichever names the customer.
void set_choice(Values& values, const CustomerChoice& choice);

// Returns microseconds since 1970, as a Timestamp.
std::int64_t now_us() noexcept;

// Returns a date for h_date and ol_delivery_d: the current second with the mark of a Trace as its
// fraction.
std::int64_t marked_now_us(std::uint32_t mark) noexcept;

// Checks the number of rows (sql_text.h).
inline void require_one_row(const ResultSetView& rows, std::string_view what) {
  tpcc::require_one_row(static_cast<std::int64_t>(rows.rows()), what);
}

// Returns the row of a customer chosen by last name, of rows ordered by c_first: the middle one,
// rounded up (clause 2.5.2.2). Throws database::Error if there is none.
std::size_t middle_row(const ResultSetView& customers);

// The second part of history's key, h_c_nano_ts, which TPC-C does not have: the time in
// microseconds times 1000, plus a number below 1000.
//
// Keys are unique within one process with up to 1000 of these objects, because each object has
// another number and never uses a microsecond twice. Two processes pay for customers of the same
// warehouse at the same time only if one pays for remote customers; the processes begin to count at
// random numbers.
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
