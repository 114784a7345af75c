// What a result says of its server, and what "auto" needs to know of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "coro/task.h"
#include "database/postgres/connection.h"

namespace drover::database::postgres {

struct ServerInfo {
  std::string version;                          // "15.20 (Debian 15.20-0+deb12u1)"
  std::map<std::string, std::string> settings;  // as SHOW prints them; those that it knows
  std::int32_t connections_max = 0;             // for us: without those reserved for superusers
  std::int32_t connections_used = 0;            // by everybody else
};

coro::Task<ServerInfo> server_info(Connection& connection);

}  // namespace drover::database::postgres
