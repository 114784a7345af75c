#include "tpcc/loaded.h"

#include <fmt/format.h>

#include "tpcc/unfit_schema.h"

namespace drover::tpcc {

void require_warehouses(const LoadedDatabase& loaded, std::int32_t wanted,
                        const std::string& schema) {
  if (wanted <= loaded.warehouses) return;
  throw UnfitSchema(fmt::format(
      "-w {}: {} loaded; run with -w {} or fewer, or load more: drover tpcc import{} -w {}{}",
      wanted,
      loaded.warehouses == 1 ? "1 warehouse is"
                             : fmt::format("{} warehouses are", loaded.warehouses),
      loaded.warehouses, schema_argument(schema), wanted,
      loaded.load_constants ? "" : " (after drover tpcc init --force: another tool loaded these)"));
}

}  // namespace drover::tpcc
