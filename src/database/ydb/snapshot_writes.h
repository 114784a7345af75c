// Whether a server lets transactions that read a snapshot write, which is a setting of it and off by default.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/ydb/ydb_database.h"

namespace drover::database::ydb {

// Tries such a transaction with this statement, which changes no row, and rolls it back. Throws Error, whose message
// says what to do, where the server refuses it.
coro::Task<void> require_snapshot_writes(YdbDatabase database, std::string probe);

}  // namespace drover::database::ydb
