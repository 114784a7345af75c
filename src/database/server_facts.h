// What a result says of its server, and what "auto" needs to know of it. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "database/dialect.h"
#include "database/pooling.h"

namespace drover::database {

struct ServerFacts {
  std::string version;       // empty where the server does not tell
  std::string product = {};  // whose the version is; empty: as the kind of database has it
  std::map<std::string, std::string> settings;
  std::int64_t connections_max = 0;   // for us; 0: not known
  std::int64_t connections_used = 0;  // by everybody else
  // Connections of the limit that only superusers and some roles may use.
  // connections_max does not include them.
  std::int64_t connections_reserved = 0;
  // The name of the limit that applies, for messages.
  std::string connections_limit = "max_connections";
  Pooling pooling = Pooling::none;
  Dialect dialect = Dialect::postgres;  // of what speaks PostgreSQL's protocol
  std::vector<std::string> notes = {};  // lines for people, before a run
};

}  // namespace drover::database
