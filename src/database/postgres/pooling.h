// Detection of poolers (PgBouncer, pgpool-II) in front of a PostgreSQL server. There is no option
// for it: Drover asks the server. A pooler reports a process number of its own at connect, which
// differs from pg_backend_pid(). With transaction pooling, two sessions get the same process one
// after the other, or one session gets several. pgpool-II answers a command of its own. Thread
// safety: as for Connection. Errors: database::Error.
#pragma once

#include <string>

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"
#include "database/server.h"

namespace drover::database::postgres {

// `first` was opened by `access`, and has nothing queued and no transaction open. Where something stands in between, a
// second session is opened for a moment; if that cannot be had, the answer is `transaction`, whose ways are good for any
// pooler. Throws where it is one that drover does not work through.
coro::Task<Pooling> find_pooling(Connection& first, Access access);

// Whether it is pgpool-II: that alone is asked.
coro::Task<bool> is_pgpool(Connection& connection);

// For people, before a run: what is done otherwise.
std::string pooling_note(Pooling pooling);

}  // namespace drover::database::postgres
