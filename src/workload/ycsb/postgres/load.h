// The load of a part of the rows: by COPY, in pieces, over several connections. Each piece is one transaction with its row
// in drover_ycsb_loaded, so that it is loaded whole and recorded, or not at all. The row comes first: a piece that
// somebody else is loading is waited for, and then left to him; if nothing comes from him any more, his session is ended.
// So are the rows of a piece that another part cuts
// elsewhere: those that are there already end the COPY, and what is not is loaded then.
//
// Runs on one worker.
#pragma once

#include <cstdint>
#include <string>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "workload/ycsb/database.h"

namespace drover::ycsb::postgres {

struct LoadOptions : LoadSettings, database::postgres::Access {
  std::uint64_t rows_of_piece = 0;                        // 0: as many as are some MiB
  coro::Duration silence_max = std::chrono::seconds(10);  // of a loader that is waited for
};

// Throws UnfitSchema, PropertyError, and database::Error, whose message then says how far the load came.
coro::Task<LoadProgress> load(LoadOptions options, LoadObserver& observer);

}  // namespace drover::ycsb::postgres
