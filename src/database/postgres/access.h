// How the sessions of a command get to the server, and what they see there. A plain value.
#pragma once

#include <string>

namespace drover::database::postgres {

struct Access {
  std::string conninfo = {};  // any connection string or URI of libpq
  std::string schema = {};    // empty: the search path of the server
};

}  // namespace drover::database::postgres
