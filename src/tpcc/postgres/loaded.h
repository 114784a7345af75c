// Whether a database is ready for a run, whoever loaded it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coro/task.h"
#include "database/postgres/connection.h"
#include "tpcc/random.h"

namespace drover::tpcc::postgres {

struct LoadedDatabase {
  std::int32_t warehouses = 0;  // 1..warehouses are there
  // C-Load (clause 2.1.6.1); none where another tool loaded the data.
  std::optional<NurandConstants> load_constants;
};

// Throws UnfitSchema if tables are missing or an import is not complete.
coro::Task<LoadedDatabase> inspect_loaded(database::postgres::Connection& connection,
                                          std::string schema);

// Throws UnfitSchema if fewer than `wanted` are loaded.
void require_warehouses(const LoadedDatabase& loaded, std::int32_t wanted,
                        const std::string& schema);

}  // namespace drover::tpcc::postgres
