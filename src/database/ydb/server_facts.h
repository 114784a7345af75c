// What a result says of a database of YDB.
#pragma once

#include "coro/task.h"
#include "database/server.h"
#include "database/ydb/client.h"

namespace drover::database::ydb {

// YDB tells its clients no version. Throws YdbError.
coro::Task<ServerFacts> read_server_facts(ClientOptions options);

}  // namespace drover::database::ydb
