// What an import is asked for, and what of it there is to do. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tpcc/population.h"

namespace drover::tpcc {

inline constexpr int32_t warehouses_max = 1'000'000;
// The part of the population that belongs to no warehouse: item.
inline constexpr int32_t item_part = 0;

// Whether the references of clause 1.3 are enforced.
enum class ForeignKeys : uint8_t { none, after_load };

std::string_view foreign_keys_name(ForeignKeys foreign_keys) noexcept;
std::optional<ForeignKeys> foreign_keys_of(std::string_view name) noexcept;

struct ImportPlan {
  PopulationSeed population;
  ForeignKeys foreign_keys = ForeignKeys::none;
  int32_t warehouses = 0;        // when it is done
  int32_t skipped = 0;           // that are loaded already
  std::vector<int32_t> missing;  // w_ids to load; item_part, if it is among them, is the first
  bool has_keys = false;         // so that loading is slow

  int32_t warehouses_missing() const noexcept;
};

struct ImportRequest {
  int32_t warehouses = 1;                // in [1..warehouses_max]
  std::optional<uint64_t> seed = {};     // none: that of the import to go on with, or ...
  PopulationSeed fresh_population = {};  // ... this, whose load time is taken in any case
};

}  // namespace drover::tpcc
