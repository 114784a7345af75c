// Connection strings of libpq: their options, their errors, and their description for people.
// Thread safety: any thread, while no thread changes the PG* variables.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "coro/clock.h"

namespace drover::database::postgres {

struct FreeConninfoOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using ConninfoOptions = std::unique_ptr<PQconninfoOption, FreeConninfoOptions>;

// Returns the value of an option, or an empty text if the option is not set.
std::string value_of(const ConninfoOptions& options, std::string_view keyword);

// Returns the options in force: those of the string, then of its service or PGSERVICE, then of the
// PG* variables, then libpq's defaults. Neither connects nor looks up names. Returns null, with
// libpq's reason in `problem`, if the string or the service cannot be read.
ConninfoOptions options_in_force(const std::string& conninfo, std::string* problem = nullptr);

// Returns what is wrong with the connection string, or nothing. Never quotes a password.
std::optional<std::string> conninfo_problem(const std::string& text);

// Returns the time limit of an attempt to connect: connect_timeout of the string or
// PGCONNECT_TIMEOUT, else 10 s.
coro::Duration connect_timeout_of(const std::string& conninfo);

// Returns true if the string contains a password.
bool has_password(const std::string& conninfo);

// Returns "host=… port=… dbname=… user=…", without the password.
std::string describe_conninfo(const std::string& text);

}  // namespace drover::database::postgres
