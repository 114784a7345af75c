// The record of loads (workload/ycsb/load_record.h) in YDB.
//
// Thread safety: as the access's. Errors: database::UnfitSchema, database::Error.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "workload/ycsb/load_record.h"
#include "workload/ycsb/ydb/table.h"

namespace drover::ycsb::ydb {

coro::Task<LoadRecord> read_load_record(database::ydb::DatabaseAccess& access, const Table& table);

// Makes the folder and all three tables, as far as they are not there, and records the layout. Throws UnfitSchema where
// there are rows of which nothing is recorded, or that have another layout. Says whether the table is new: nobody has
// rows in it.
coro::Task<bool> begin_load(database::ydb::DatabaseAccess& access, const Table& table,
                            const Properties& properties);

// Records rows that are all there.
coro::Task<void> write_loaded(database::ydb::DatabaseAccess& access, const Table& table,
                              RowRange rows);

// Drops the table, and ours where they have nothing else to say; returns the names of those that it dropped.
coro::Task<std::vector<std::string>> drop_table(database::ydb::DatabaseAccess& access,
                                                const Table& table);

}  // namespace drover::ycsb::ydb
