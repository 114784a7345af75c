// The databases that speak PostgreSQL's protocol and are not PostgreSQL. Plain values.
#pragma once

#include <cstdint>

namespace drover::database {

enum class Dialect : std::uint8_t { postgres, cockroach, yugabyte, citus };

}  // namespace drover::database
