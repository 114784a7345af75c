// The check of a database: the conditions of conditions.h, and after an import the rules of
// population_rules.h, over ranges of warehouses in parallel sessions.
//
// It only reads, and needs no table of ours. Each statement sees one snapshot, so that a check
// beside a running load is sound, condition by condition.
//
// Thread safety: none; a check belongs to the worker that runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coro/clock.h"
#include "coro/task.h"
#include "tpcc/postgres/condition.h"

namespace drover::tpcc::postgres {

struct CheckOptions {
  std::string conninfo = {};
  std::string schema = {};                      // empty: the search path of the server
  std::optional<std::int32_t> warehouses = {};  // else those that there are
  bool after_import = false;
  std::size_t connections = 2;
  std::int32_t offenders_kept = 3;  // of each condition
  // Called after each piece of work; may be empty.
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

struct Offender {
  std::string key;
  std::string expected;
  std::string found;
};

struct Verdict {
  int number = 0;  // n of clause 3.3.2.n, else 0
  std::string name;
  std::string_view clause;
  std::string title;
  std::int64_t offenders = 0;
  std::vector<Offender> first_offenders;
  // Set where the server refused the statement (a column is missing, say): nothing is known then,
  // and an unknown condition is not one that holds.
  std::optional<std::string> error;
  coro::Duration server_time{};  // of all its statements

  bool holds() const noexcept { return offenders == 0 && !error; }
};

struct CheckReport {
  std::int32_t warehouses = 0;
  Money money = Money::exact;
  std::vector<Verdict> verdicts;  // in the order of the catalogues

  bool holds() const noexcept;
};

// Throws database::Error: no session to be had or lost, a table missing, no warehouse.
// Requires: connections > 0.
coro::Task<CheckReport> check(CheckOptions options);

// A piece of work: condition number `condition` of the catalogue over these warehouses.
struct CheckPiece {
  std::size_t condition;
  std::int32_t first_warehouse;
  std::int32_t last_warehouse;
};

// How a check is cut into pieces. Those that take long come first; then range by range, so that
// the conditions find the pages of a range in memory. Every condition gets each warehouse once.
std::vector<CheckPiece> plan_check(const std::vector<Condition>& conditions,
                                   std::int32_t warehouses, std::size_t connections);

}  // namespace drover::tpcc::postgres
