// Finds where a statement of YQL ends, and which names it mentions: as sql_scanner.h does for SQL, by YQL's quotes
// ('…' and "…" with backslashes, `…`, @@…@@), comments, parentheses and braces. Pure function.
//
// A named expression ($rows = SELECT …;) is joined to the statement behind it, as if `\;` parted them: the name is
// forgotten with the request.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workload/sql/script/source.h"
#include "workload/sql/script/sql_scanner.h"

namespace drover::sql {

// `$name`, or `:name`, which is pgbench's way and no YQL.
struct YqlMention {
  std::string name;
  std::size_t offset;
  bool has_colon;
};

struct ScannedYql {
  ScannedStatement statement;  // its text as it is written, without variables
  std::vector<YqlMention> mentions;
};

// From `offset` on. Throws ScriptError of quotes and comments without an end, and of a named expression without a
// statement behind it.
ScannedYql scan_yql_statement(const Source& source, std::size_t offset);

}  // namespace drover::sql
