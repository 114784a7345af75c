// Loading the parts of a population (a warehouse, or item) by binary COPY over several connections.
// The rows are made on the threads of a pool; while one piece of them is sent, the next is made.
//
// Each part is one transaction, with its row in drover_tpcc_loaded: it is loaded whole and
// recorded, or not at all. The connections take the parts in order, one at a time.
//
// Thread safety: runs on one worker; the pool's threads end before it does.
#pragma once

#include <cstddef>
#include <string>

#include "coro/task.h"
#include "tpcc/import_progress.h"
#include "tpcc/postgres/import_plan.h"

namespace drover::tpcc::postgres {

struct LoadOptions {
  std::string conninfo;
  std::string schema;
  size_t connections = 2;  // at least one; of no use are more than parts
  size_t threads = 1;      // that make rows, beside the calling one, which sends them
};

// Throws the first error of a connection, after all have stopped.
coro::Task<void> load_parts(const LoadOptions& options, const ImportPlan& plan,
                            ImportCounters& counters);

}  // namespace drover::tpcc::postgres
