// How the sessions of a command get to the server, and what they see there. A plain value.
#pragma once

#include <optional>
#include <string>

#include "database/dialect.h"

namespace drover::database::postgres {

struct Access {
  std::string conninfo = {};            // any connection string or URI of libpq
  std::string schema = {};              // empty: the search path of the server
  std::optional<Dialect> dialect = {};  // none: the server is asked
};

}  // namespace drover::database::postgres
