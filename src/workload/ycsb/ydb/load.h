// The load of a part of the rows: by BulkUpsert, in pieces, so many at a time as there are connections. A piece is
// recorded in drover_ycsb_loaded once all of its rows are there: what a killed load has left of one is written again, with
// the same values.
//
// BulkUpsert writes over rows that are there. So in a table that somebody has had before, the rows of a piece are looked
// at first, and what no load has written is not written over. Two that load the same rows at the same time both do the
// work: a run has to wait for both.
//
// Runs on one worker.
#pragma once

#include <cstdint>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/ycsb/database.h"

namespace drover::ycsb::ydb {

struct LoadOptions : LoadSettings {
  database::ydb::YdbDatabase database = {};
  std::uint64_t rows_of_piece = 0;  // 0: as many as are some MiB
};

// Throws UnfitSchema, PropertyError, and database::Error, whose message then says how far the load came.
coro::Task<LoadProgress> load(LoadOptions options, LoadObserver& observer);

}  // namespace drover::ycsb::ydb
