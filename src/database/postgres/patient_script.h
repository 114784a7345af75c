// What is done outside of a run, on servers that may ask for another attempt.
// Thread safety: as the connection's. Errors: database::Error.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

// Does a transaction on the connection: again, with pauses, while its error is retryable, ten times at most. What a
// failed one has left open is rolled back.
coro::Task<void> repeated(Connection& connection, std::function<coro::Task<void>()> transaction);

// The same of one statement, as Connection::script(). Within a transaction it is done once.
coro::Task<Result> script_patiently(Connection& connection, std::string sql);

// Returns a line for the user after an ANALYZE that the server answered with a warning, because it
// skips tables that another role owns.
std::string no_statistics_note(std::string_view tables, std::string_view warning);

}  // namespace drover::database::postgres
