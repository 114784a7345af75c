// Ends sessions that are executing a statement. A server does not notice a closed socket and would
// complete the statement: drop the tables once it gets its lock, or scan a table to its end.
//
// Thread safety: may be called on any thread.
#pragma once

#include <libpq-fe.h>

namespace drover::database::postgres {

// Takes ownership of the session, sends its server a request to cancel the statement, and then
// closes it. Does not block: background threads do the work, and have cancel_patience_ms to finish
// when the process exits. If too many sessions wait already, because their server does not answer,
// closes the session without a request.
void cancel_and_finish(PGconn* session) noexcept;

inline constexpr int cancel_patience_ms = 2'000;

}  // namespace drover::database::postgres
