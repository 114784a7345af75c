// YCSB on PostgreSQL and its relatives (workload/ycsb/database.h).
#pragma once

#include <memory>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/table.h"

namespace drover::ycsb::postgres {

std::unique_ptr<Database> make_database(database::postgres::Access access);

// For the other files of this library. See Database for load() and check().

// Returns the table as YCSB's JDBC binding has it: a key, and a column of text per field. Its names
// are folded to small letters, as the server folds unquoted names.
Table table_of(const Properties& properties);

// Creates the schema and those of the three tables that do not exist, and records the layout
// (record_layout()).
coro::Task<void> begin_load(database::postgres::Connection& connection, std::string schema,
                            const Table& table, const Properties& properties);

coro::Task<LoadProgress> load(database::postgres::Access access, LoadSettings settings);

coro::Task<CheckReport> check(database::postgres::Access access, CheckSettings settings);

}  // namespace drover::ycsb::postgres
