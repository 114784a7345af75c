#include "workload/sql/builtin/pgbench_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "database/unfit_schema.h"

namespace drover::sql {

void refuse_tables_there(const std::vector<std::string>& there) {
  if (there.empty()) return;
  throw database::UnfitSchema(
      fmt::format("tables with these names exist: {}. To drop them first, add --force",
                  fmt::join(there, ", ")));
}

void refuse_no_branches(bool is_there) {
  throw database::UnfitSchema(fmt::format(
      "{}. Create the tables of the built-in scripts first (drover sql init, or pgbench -i)",
      is_there ? "pgbench_branches is empty" : "the table pgbench_branches does not exist"));
}

}  // namespace drover::sql
