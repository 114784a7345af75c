#include "workload/sql/builtin/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "database/error.h"
#include "text/utf8.h"
#include "workload/sql/builtin/select_only.sql.h"
#include "workload/sql/builtin/select_only.yql.h"
#include "workload/sql/builtin/simple_update.sql.h"
#include "workload/sql/builtin/simple_update.yql.h"
#include "workload/sql/builtin/tpcb_like.sql.h"
#include "workload/sql/builtin/tpcb_like.yql.h"

namespace drover::sql {
namespace {

// Removes the line break that the build puts before an embedded file.
constexpr std::string_view without_break(std::string_view embedded) {
  return embedded.substr(1);
}

}  // namespace

std::span<const BuiltinScript> builtin_scripts() noexcept {
  static constexpr std::array<BuiltinScript, 3> scripts = {{
      {"tpcb-like", "TPC-B (sort of)", without_break(tpcb_like_sql), without_break(tpcb_like_yql)},
      {"simple-update", "one account and one row of history", without_break(simple_update_sql),
       without_break(simple_update_yql)},
      {"select-only", "reads one account", without_break(select_only_sql),
       without_break(select_only_yql)},
  }};
  return scripts;
}

const BuiltinScript& find_builtin(std::string_view beginning) {
  std::vector<std::string_view> names;
  const BuiltinScript* found = nullptr;
  for (const BuiltinScript& script : builtin_scripts()) {
    if (script.name == beginning) return script;
    if (!script.name.starts_with(beginning)) continue;
    names.push_back(script.name);
    found = &script;
  }
  if (names.size() == 1) return *found;
  if (names.empty()) {
    for (const BuiltinScript& script : builtin_scripts()) names.push_back(script.name);
    throw UnknownBuiltin(fmt::format("no built-in script is named \"{}\". Expected {}",
                                     text::shown(beginning), fmt::join(names, ", ")));
  }
  throw UnknownBuiltin(fmt::format("several built-in scripts begin with \"{}\": {}",
                                   text::shown(beginning), fmt::join(names, ", ")));
}

void require_no_pgbench_tables(const std::vector<std::string>& existing) {
  if (existing.empty()) return;
  throw database::UnfitSchema(
      fmt::format("tables with these names exist: {}. To drop them first, add --force",
                  fmt::join(existing, ", ")));
}

void require_branches(std::optional<std::int64_t> branches) {
  if (branches.value_or(0) > 0) return;
  throw database::UnfitSchema(fmt::format(
      "{}. Create the tables of the built-in scripts first ('drover sql init', or pgbench -i)",
      branches ? "pgbench_branches is empty" : "the table pgbench_branches does not exist"));
}

}  // namespace drover::sql
