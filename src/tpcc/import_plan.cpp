#include "tpcc/import_plan.h"

namespace drover::tpcc {

std::string_view foreign_keys_name(ForeignKeys foreign_keys) noexcept {
  return foreign_keys == ForeignKeys::none ? "none" : "after-load";
}

std::optional<ForeignKeys> foreign_keys_of(std::string_view name) noexcept {
  for (const ForeignKeys foreign_keys : {ForeignKeys::none, ForeignKeys::after_load}) {
    if (name == foreign_keys_name(foreign_keys)) return foreign_keys;
  }
  return std::nullopt;
}

int32_t ImportPlan::warehouses_missing() const noexcept {
  const bool item = !missing.empty() && missing.front() == item_part;
  return static_cast<int32_t>(missing.size()) - (item ? 1 : 0);
}

}  // namespace drover::tpcc
