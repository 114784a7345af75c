// What a run finds in a database that is ready for it, whoever loaded it. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tpcc/random.h"

namespace drover::tpcc {

struct LoadedDatabase {
  std::int32_t warehouses = 0;  // 1..warehouses are there
  // C-Load (clause 2.1.6.1); none where another tool loaded the data.
  std::optional<NurandConstants> load_constants;
};

// Throws UnfitSchema if fewer than `wanted` are loaded.
void require_warehouses(const LoadedDatabase& loaded, std::int32_t wanted,
                        const std::string& schema);

}  // namespace drover::tpcc
