// Names the sessions that hold a lock for which a statement waits.
#pragma once

#include "coro/task.h"
#include "database/postgres/access.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

// From this call on, watches each statement of the session that lasts longer than two seconds, by
// short sessions that are opened at growing intervals. While the statement waits for a lock, tells
// access.on_session_note which sessions hold it: process, application, user, state, and when their
// last statement began. Does nothing without on_session_note, behind transaction pooling, and on
// servers without this catalogue. Throws database::Error.
coro::Task<void> name_lock_holders(Connection& connection, Access access);

}  // namespace drover::database::postgres
