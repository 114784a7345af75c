// Names the sessions that keep a statement from its lock.
#pragma once

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

// From here on, a statement of the session that lasts longer than two seconds is looked at by a
// short session beside it, again and again at growing intervals. While the statement waits for a
// lock, access.on_lock_wait hears which sessions hold it: process, application, user, state, and
// when their last statement began. Does nothing without on_lock_wait, behind transaction pooling,
// and where the server has no such catalogue. Throws database::Error.
coro::Task<void> name_lock_holders(Connection& connection, Access access);

}  // namespace drover::database::postgres
