#include "workload/sql/builtin/pgbench_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "database/unfit_schema.h"

namespace drover::sql {

void refuse_tables_there(const std::vector<std::string>& there) {
  if (there.empty()) return;
  throw database::UnfitSchema(fmt::format(
      "there are tables of these names: {}; --force drops them first", fmt::join(there, ", ")));
}

void refuse_no_branches(bool is_there) {
  throw database::UnfitSchema(
      fmt::format("{}: make the tables of the built-in scripts first (drover sql init, or "
                  "pgbench -i)",
                  is_there ? "pgbench_branches is empty" : "there is no table pgbench_branches"));
}

}  // namespace drover::sql
