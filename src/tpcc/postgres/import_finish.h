// What comes after the rows: primary keys, secondary indexes, statistics, references. Each only if
// it is not there yet, so that a killed import goes on here, too.
//
// The steps run on several connections side by side, the longest first, and never two on one
// table, whose locks exclude each other.
//
// Thread safety: runs on one worker.
#pragma once

#include <cstddef>
#include <string>

#include "coro/task.h"
#include "tpcc/import_progress.h"
#include "tpcc/postgres/catalog.h"

namespace drover::tpcc::postgres {

struct FinishOptions {
  std::string conninfo;
  std::string schema;
  ForeignKeys foreign_keys = ForeignKeys::none;
  size_t connections = 2;
};

coro::Task<void> finish_import(const FinishOptions& options, ImportObserver& observer);

}  // namespace drover::tpcc::postgres
