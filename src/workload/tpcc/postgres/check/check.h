// The check of a database: the conditions of the catalogue, over ranges of warehouses in parallel
// sessions.
//
// It only reads, and needs no table of ours. All of it sees one snapshot, so
// that a check beside a running load is sound: it judges the database as it was when the check
// began.
//
// Thread safety: none; a check belongs to the worker that runs it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "workload/tpcc/database.h"

namespace drover::tpcc::postgres {

struct CheckOptions : CheckSettings, database::postgres::Access {};

// Throws database::Error: no session to be had or lost, a table missing, no warehouse.
// Requires: connections > 0.
coro::Task<CheckReport> check(CheckOptions options);

// See Database::check_pieces().
coro::Task<std::optional<std::string>> check_pieces(
    CheckOptions options, CheckPart part, std::function<void(const PieceVerdict&)> on_verdict);

}  // namespace drover::tpcc::postgres
