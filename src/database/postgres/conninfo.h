// The options of a connection string, as libpq reads them.
// Thread safety: any thread, while no thread changes the PG* variables.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <string_view>

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

}  // namespace drover::database::postgres
