// The check of a database of YDB: the conditions of conditions.h, and after an import the rules of
// the population, over ranges of warehouses in parallel sessions.
//
// It only reads, and needs no table of ours. Each statement is a transaction of mode
// snapshot_read_only: it sees the database as it was at one instant, whatever is written meanwhile,
// and disturbs no writer. YDB shares no snapshot between sessions, nor keeps one for as long as a
// check takes; so ranges and conditions speak of different instants, and the report says so. Each
// condition is sound beside a running load all the same, as what it compares comes from one
// statement.
//
// A statement whose session or node is lost is executed again. What the server refuses is an error
// of its condition; a server that stays away ends the check.
//
// Thread safety: none; a check belongs to the worker that runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "coro/task.h"
#include "tpcc/check_report.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

struct CheckOptions {
  // Its request_timeout is for transactions: statements of a check take as long as they take.
  YdbDatabase database = {};
  std::optional<std::int32_t> warehouses = {};  // else those that there are
  bool after_import = false;
  std::size_t connections = 2;
  std::int32_t offenders_kept = 3;  // of each condition
  // Called when a piece of work begins, and at the end; may be empty.
  std::function<void(const CheckProgress&)> on_progress = {};
};

// Throws database::Error: no session to be had or lost for good, a table missing, no warehouse.
// Requires: connections > 0.
coro::Task<CheckReport> check(CheckOptions options);

}  // namespace drover::tpcc::ydb
