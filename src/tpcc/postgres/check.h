// The check of a database: the conditions of conditions.h, and after an import the rules of
// population_rules.h, over ranges of warehouses in parallel sessions.
//
// It only reads, and needs no table of ours. All of it sees one snapshot (check_snapshot.h), so
// that a check beside a running load is sound: it judges the database as it was when the check
// began.
//
// Thread safety: none; a check belongs to the worker that runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "coro/task.h"
#include "tpcc/check_report.h"

namespace drover::tpcc::postgres {

struct CheckOptions {
  std::string conninfo = {};
  std::string schema = {};                      // empty: the search path of the server
  std::optional<std::int32_t> warehouses = {};  // else those that there are
  bool after_import = false;
  std::size_t connections = 2;
  std::int32_t offenders_kept = 3;  // of each condition
  // Called when a piece of work begins, and at the end; may be empty.
  std::function<void(const CheckProgress&)> on_progress = {};
};

// Throws database::Error: no session to be had or lost, a table missing, no warehouse.
// Requires: connections > 0.
coro::Task<CheckReport> check(CheckOptions options);

}  // namespace drover::tpcc::postgres
