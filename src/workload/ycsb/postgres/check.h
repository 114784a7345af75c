// The check of a table: each value must be one that a client of drover has written to its row and field.
//
// It only reads. One snapshot, one pass over the table by ranges of its blocks, in parallel sessions and with bounded
// memory; a server without such ranges is read by one session. Runs on one worker.
#pragma once

#include <cstdint>
#include <string>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "workload/ycsb/database.h"

namespace drover::ycsb::postgres {

struct CheckOptions : CheckSettings, database::postgres::Access {
  std::uint64_t blocks_of_piece = 4096;  // of the table, that a session reads at a time
};

// Throws UnfitSchema, PropertyError and database::Error. Requires: connections > 0, and blocks_of_piece > 0.
coro::Task<CheckReport> check(CheckOptions options);

// See Database::check_part().
coro::Task<CheckReport> check_part(CheckOptions options, CheckPart part);

}  // namespace drover::ycsb::postgres
