// The check of a database of YDB: the conditions of the catalogue, over ranges of warehouses in
// parallel sessions.
//
// A check only reads, and uses none of Drover's own tables. Each statement is a transaction of mode
// snapshot_read_only: it sees the database at one instant and disturbs no writer. YDB neither
// shares a snapshot between sessions nor keeps one for the time of a check, so ranges and
// conditions refer to different instants, and the report says so. Each condition is sound beside a
// running load, because one statement reads all that it compares.
//
// A statement whose session or node is lost is executed again. A refusal of the server is an error
// of the condition; a server that stays away ends the check.
//
// Thread safety: none; a check belongs to the worker that runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/ydb/session.h"
#include "database/ydb/value/value.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/check/check_work.h"
#include "workload/tpcc/database.h"
#include "workload/tpcc/ydb/transactions.h"

namespace drover::tpcc::ydb {

using database::ydb::YdbDatabase;

// The conditions of the catalogue in YQL: each is a text that selects the offending rows, with
// templates of the offender's description. Drover and not YQL formats the descriptions, so that an
// amount reads the same on every server.
//
// A condition's `sql` has named expressions. The last one is $judged: rows with the columns of the
// key, the columns of the templates, and for each judgement a Bool that says whether it holds. It
// may use these parameters, which are declared where they occur:
//
//   $first, $last      first and last warehouse of the range, both included
//   $due_warehouses    List<Struct<w_id>>: each warehouse of the range, whether it is there or not
//   $due_districts     List<Struct<d_id, w_id>>: the same, ten districts in each
//   $family_names      List<Struct<id, name>>: the last names of customers 1 to 1,000
//
// Tables are named without their folder, which a pragma before the text sets. The texts use only
// YQL that old servers know: no window functions, and of the UDFs only Unicode.
//
// The conditions are those of PostgreSQL (workload/tpcc/postgres/check/check.h) except those that
// need regular expressions. Where PostgreSQL names each missing row, the conditions *.rows name the
// district or warehouse that lacks rows.
//
// Values of several tables are compared by UNION ALL and GROUP BY instead of joins: rows that are
// missing on either side are found, and each table is read once. A NULL never compares as equal and
// never vanishes in a sum. Amounts are exact Decimals.

// A judgement on the rows of a condition. A template has columns in braces: {o_id} is a whole
// number, {d_ytd:money}, {due:text}, {o_entry_d:time} and {mean:real} have other types. A text for
// NULL may follow: {ytd:money|no district}.
struct Judgement {
  // The judged column, which follows the key in the description. Empty: the row.
  std::string column = {};
  // The Bool column of $judged, never NULL. Empty: every row offends.
  std::string holds = {};
  std::string expected;  // a template
  std::string found;     // template of the text that shows the value
};

struct YqlCondition {
  Condition rule;
  std::string sql;
  std::string order;  // columns by which offenders are reported
  std::string key;    // template of the text that names the row
  std::vector<Judgement> judgements;
};

// Returns the template "w_id={w_id} d_id={d_id}" for the columns "w_id, d_id".
std::string key_of(std::string_view columns);

// Returns the maker of the statements of a check on this database.
StatementTexts check_texts(const YdbDatabase& database);

// Returns a statement that selects the first $limit offending rows.
Statement offenders_text(const YqlCondition& condition, const StatementTexts& text);

// Returns a statement that selects the number of all offenders, as `offenders`.
Statement count_text(const YqlCondition& condition, const StatementTexts& text);

// Returns the parameters that the statement declares.
database::ydb::Parameters parameters_of(const Statement& statement, const CheckPiece& piece,
                                        std::int32_t limit);

// Returns the first `most` offenders of the rows. Throws database::Error if the rows lack a column
// of the condition.
std::vector<Offender> offenders_in(const YqlCondition& condition,
                                   const database::ydb::ResultSetView& rows, std::size_t most);

// Returns "-9.99": at least two digits after the point, and more if the value has them. `scale` is
// that of the type.
std::string decimal_text(database::ydb::Decimal value, int scale);

// Returns the catalogue in its order, without the conditions that YDB's keys guarantee.
std::vector<YqlCondition> conditions();
std::vector<NotAsked> ruled_out();

// A session of a check, which executes one condition over one range at a time. Belongs to the
// client's worker; the client must outlive it.
class CheckSession {
 public:
  CheckSession(database::ydb::Client& client, const YdbDatabase& database)
      : client_(client), texts_(check_texts(database)) {}

  // Opens the session if there is none or it was lost. Throws database::Error if no session can be
  // opened.
  coro::Task<PieceAnswer> judge(const YqlCondition& condition, CheckPiece piece);

  coro::Task<void> close();

 private:
  coro::Task<void> make_usable();
  coro::Task<PieceAnswer> ask(const YqlCondition& condition, CheckPiece piece);

  database::ydb::Client& client_;
  StatementTexts texts_;
  std::unique_ptr<database::ydb::ServerSession> session_;
};

// Throws database::Error if no session can be opened, a table is missing, or there is no warehouse.
// Requires: connections > 0. The database's request_timeout is for transactions; statements of a
// check have no time limit.
coro::Task<CheckReport> check(YdbDatabase database, CheckSettings settings);

// See Database::check_pieces(). Each transaction has its own snapshot on every host.
coro::Task<std::optional<std::string>> check_pieces(
    YdbDatabase database, CheckPart part, CheckSettings settings,
    std::function<void(const PieceVerdict&)> on_verdict);

}  // namespace drover::tpcc::ydb
