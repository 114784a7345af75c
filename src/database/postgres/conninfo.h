// The options of a connection string, as libpq reads them.
// Thread safety: any thread; the PG* variables must not be changed meanwhile.
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

// Empty where the option is not set.
std::string value_of(const ConninfoOptions& options, std::string_view keyword);

// Returns the options in force: those of the string, then of its service or PGSERVICE, then of the
// PG* variables, then libpq's defaults. Connects to nothing and looks up no name. Returns null,
// with libpq's reason in `problem`, where the string or the service cannot be read.
ConninfoOptions options_in_force(const std::string& conninfo, std::string* problem = nullptr);

}  // namespace drover::database::postgres
