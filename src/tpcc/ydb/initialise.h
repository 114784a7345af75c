// Making the tables of TPC-C in YDB, empty and without secondary indexes.
//
// YDB changes its scheme a table at a time: an init that was killed leaves some of the tables, and
// is repeated with `force`.
//
// Belongs to one worker. Errors: UnfitSchema, database::Error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "coro/task.h"
#include "tpcc/ydb/ydb_database.h"

namespace drover::tpcc::ydb {

struct InitialiseOptions {
  YdbDatabase database;  // its folder is made if it does not exist
  bool force = false;    // drop tables that are there
  // That are expected: from them come the tables' partitions. Others can be loaded all the same;
  // YDB then splits partitions as they grow beyond 2 GB.
  std::int32_t warehouses = 10;
};

// The nine tables and ours. Throws UnfitSchema if there are some and `force` was not given. Returns
// the names of the tables that it dropped.
coro::Task<std::vector<std::string>> initialise(InitialiseOptions options);

}  // namespace drover::tpcc::ydb
