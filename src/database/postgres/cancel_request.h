// Ends sessions that are in the middle of a statement. A server that notices nothing of a closed
// socket would go on with the statement: drop the tables when it gets its lock, scan to the end.
//
// Thread safety: may be called on any thread.
#pragma once

#include <libpq-fe.h>

namespace drover::database::postgres {

// Takes the session over, and closes it once its server has taken the request to cancel the
// statement. Does not block: threads of its own do the work. At the end of the process they get
// `cancel_patience` to finish. Where too many sessions wait already, behind a server that does not
// answer, the session is closed without a request.
void cancel_and_finish(PGconn* session) noexcept;

inline constexpr int cancel_patience_ms = 2'000;

}  // namespace drover::database::postgres
