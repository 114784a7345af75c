// Rows of the table of YCSB as results have them. Thread safety: as the access's. Throws database::Error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coro/task.h"
#include "database/ydb/database_access.h"
#include "database/ydb/value/value.h"
#include "workload/ycsb/ydb/table.h"

namespace drover::ycsb::ydb {

using database::ydb::QueryResult;
using database::ydb::ResultSetView;

// A field's text; empty for NULL, as no value of ours is.
inline std::string_view text_of(const database::ydb::ValueView& value) {
  return value.is_null() ? std::string_view() : value.text();
}

// The key and all fields of the rows with these keys that are there, in any order.
coro::Task<QueryResult> read_rows(database::ydb::DatabaseAccess& access, const Table& table,
                                  std::vector<std::string> keys);

}  // namespace drover::ycsb::ydb
