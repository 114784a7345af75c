// YCSB on YDB (workload/ycsb/database.h). The isolation of a run is `serializable` or `snapshot`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "database/ydb/value/value.h"
#include "workload/ycsb/database.h"
#include "workload/ycsb/table.h"

namespace drover::ycsb::ydb {

std::unique_ptr<Database> make_database(database::ydb::YdbDatabase database);

// For the other files of this library. See Database for load() and check().

// Returns the table: a key, and a column of Utf8 per field, named as in the properties. Throws
// PropertyError for a name with characters other than letters, digits, '_', '-' and '.'.
Table table_of(const Properties& properties);

// Returns up to ranges - 1 keys in ascending order that cut the rows [0, recordcount) into ranges
// of about the same size.
std::vector<std::string> split_keys(const Properties& properties, std::size_t ranges);

// Returns the number of partitions of a new table. The server splits only by size, and a partition
// changes rows on one core.
std::size_t partitions_wanted(const Properties& properties);

// Creates the folder and those of the three tables that do not exist, and records the layout
// (record_layout()). Returns true if the table is new.
coro::Task<bool> begin_load(database::ydb::DatabaseAccess& access, const Table& table,
                            const Properties& properties);

// Returns the given columns of the rows with these keys, in any order.
coro::Task<database::ydb::QueryResult> find_rows(database::ydb::DatabaseAccess& access,
                                                 const Table& table, std::string_view columns,
                                                 std::vector<std::string> keys);

// Returns the text of a field, empty for NULL, which no generated value is.
inline std::string_view text_of(const database::ydb::ValueView& value) {
  return value.is_null() ? std::string_view() : value.text();
}

coro::Task<LoadProgress> load(database::ydb::YdbDatabase database, LoadSettings settings);

coro::Task<CheckReport> check(database::ydb::YdbDatabase database, CheckSettings settings);

}  // namespace drover::ycsb::ydb
