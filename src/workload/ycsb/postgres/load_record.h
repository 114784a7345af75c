// The record of loads (workload/ycsb/load_record.h) in PostgreSQL.
//
// Thread safety: as the connection's. Errors: database::UnfitSchema, database::Error.
#pragma once

#include <string>
#include <vector>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "workload/ycsb/load_record.h"
#include "workload/ycsb/postgres/table.h"
#include "workload/ycsb/properties/properties.h"

namespace drover::ycsb::postgres {

coro::Task<LoadRecord> read_load_record(database::postgres::Connection& connection,
                                        const Table& table);

// Makes all three tables, as far as they are not there, and records the layout. Throws UnfitSchema where there are rows
// of which nothing is recorded, or that have another layout.
coro::Task<void> begin_load(database::postgres::Connection& connection, std::string schema,
                            const Table& table, const Properties& properties);

// Drops the table, and ours where they have nothing else to say; returns the names of those that it dropped.
coro::Task<std::vector<std::string>> drop_table(database::postgres::Connection& connection,
                                                const Table& table);

}  // namespace drover::ycsb::postgres
