#include "workload/sql/builtin/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "text/utf8.h"
#include "workload/sql/builtin/select_only.sql.h"
#include "workload/sql/builtin/select_only.yql.h"
#include "workload/sql/builtin/simple_update.sql.h"
#include "workload/sql/builtin/simple_update.yql.h"
#include "workload/sql/builtin/tpcb_like.sql.h"
#include "workload/sql/builtin/tpcb_like.yql.h"

namespace drover::sql {

namespace {

// What the build embeds begins with a line break, which would be a line of the script.
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

}  // namespace drover::sql
