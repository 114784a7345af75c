// The import of a population: plan, load, keys and indexes, statistics, references.
//
// It may be killed at any point, on either side: the same call goes on from there, and the rows are
// the same as without the kill.
//
// Thread safety: runs on one worker; the threads that make rows end before it does.
#pragma once

#include <cstddef>
#include <string>

#include "coro/clock.h"
#include "coro/task.h"
#include "tpcc/import_outcome.h"
#include "tpcc/import_plan.h"
#include "tpcc/import_progress.h"

namespace drover::tpcc::postgres {

struct ImportOptions {
  std::string conninfo = {};
  std::string schema = {};
  ImportRequest request = {};
  size_t connections = 2;
  size_t threads = 1;  // that make rows
  coro::Duration progress_interval = std::chrono::seconds(2);
  // How long the sessions of a killed import may take to end.
  coro::Duration lock_wait_max = std::chrono::seconds(15);
};

// Throws UnfitSchema, and database::Error, whose message then says how far the import came.
coro::Task<ImportOutcome> import_warehouses(ImportOptions options, ImportObserver& observer);

}  // namespace drover::tpcc::postgres
