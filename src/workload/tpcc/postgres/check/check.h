// The check of a database: the conditions of the catalogue, over ranges of warehouses in parallel
// sessions.
//
// A check only reads, and uses none of Drover's own tables. All of it sees one snapshot, so that a
// check beside a running load is sound: it judges the database as it was when the check began.
//
// Thread safety: none; a check belongs to the worker that runs it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/server.h"
#include "workload/tpcc/check/catalogue.h"
#include "workload/tpcc/database.h"

namespace drover::tpcc::postgres {

// The conditions of the catalogue in SQL: each is one statement that returns its offenders.
//
// All statements have the same form, so that one function executes them:
//
//   parameters  $1::int4, $2::int4  first and last warehouse of the range, both included
//               $3::int4            the most offenders to return
//   columns     key, expected, found: text, never null; offenders: int8, how many there are in all
//
// No row means that the condition holds for the range. Table names are unqualified: the session
// sets search_path. The statements use only names of the BenchBase family, none of Drover's own
// tables, and any types, so that databases loaded by other tools can be checked.
//
// A statement is made of a text (conditions.sql) or by the pattern: a SELECT, perhaps with WITH, of
// the columns place (int8[], the order of the report), key, expected and found. In it, @column@
// stands for the money in `column` as an exact numeric, or null.
//
// The statements find rows that are missing on either side of a comparison (outer joins; warehouses
// and districts are generated and not read). A null never compares as equal and never vanishes in a
// sum. Condition 7 is judged line by line.

// Executed once in a session before the statements; a server that does not know a setting may
// refuse it. JIT compilation costs more than most of the statements themselves. A sort or hash
// table of a statement takes at most 64 MB of the server's memory, and more goes to its disk.
// Parallel workers would multiply this, and several sessions run side by side already.
inline constexpr std::string_view session_settings[] = {
    "SET jit = off",
    "SET work_mem = '64MB'",
    "SET hash_mem_multiplier = 1",
    "SET max_parallel_workers_per_gather = 0",
    "SET DateStyle = 'ISO'",
    "SET extra_float_digits = 0",
    // The server then refuses a statement from which policies would hide rows, which would look
    // like missing rows.
    "SET row_security = off",
};

struct SqlCondition {
  Condition rule;
  std::string sql;
  // True if the statement compares rows of several warehouses that one transaction may have
  // written: the data of all must be of one snapshot.
  bool several_warehouses = false;
};

// Returns the whole catalogue, in its order.
std::vector<SqlCondition> conditions(Money money,
                                     database::Dialect dialect = database::Dialect::postgres);

struct CheckOptions : CheckSettings, database::postgres::Access {};

// Throws database::Error if no session can be opened, a session is lost, a table is missing, or
// there is no warehouse. Requires: connections > 0.
coro::Task<CheckReport> check(CheckOptions options);

// See Database::check_pieces().
coro::Task<std::optional<std::string>> check_pieces(
    CheckOptions options, CheckPart part, std::function<void(const PieceVerdict&)> on_verdict);

}  // namespace drover::tpcc::postgres
