// What the conditions of a check are on PostgreSQL: each is one SQL statement that returns its
// offenders.
//
// Every statement has the same shape, so that one runner serves them all:
//
//   parameters  $1::int4, $2::int4  first and last warehouse of the range, both included
//               $3::int4            the most offenders to return
//   columns     key, expected, found: text, never null; offenders: int8, how many there are in all
//
// No row means that the condition holds for the range. Table names are unqualified: the session
// sets search_path. Only names of the BenchBase family are used and no table of ours, and types
// may differ from ours, so that databases loaded by other tools are checked, too.
//
// They are made of texts (conditions.sql) or by the pattern: a SELECT (perhaps with WITH) of the
// columns place (int8[], the order of the report), key, expected and found. In it, @column@ stands
// for the money in `column` as an exact numeric, null where the column is null.
//
// What the statements take care of: rows missing on either side of a comparison are found (outer
// joins, warehouses and districts counted off rather than read); a null never compares as equal
// and never vanishes in a sum; condition 7 is judged line by line.
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "database/dialect.h"
#include "workload/tpcc/check/catalogue.h"

namespace drover::tpcc::postgres {

// To be executed once in a session before the statements; a server that knows none of these may
// refuse each without harm. JIT compilation costs more than most of the statements themselves. A
// sort or hash table of a statement takes 64 MB of the server at most, and what is beyond that goes
// to its disk; with workers of its own a statement would take several times as much, and there are
// sessions side by side already.
inline constexpr std::string_view session_settings[] = {
    "SET jit = off",
    "SET work_mem = '64MB'",
    "SET hash_mem_multiplier = 1",
    "SET max_parallel_workers_per_gather = 0",
    "SET DateStyle = 'ISO'",
    "SET extra_float_digits = 0",
    // With this setting the server refuses a statement from which policies would hide rows, so that
    // they are not taken for missing.
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

}  // namespace drover::tpcc::postgres
