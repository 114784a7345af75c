// Finds the end of a statement in a script of SQL or YQL, and the variables that it mentions. The
// scanners know quotes, comments and brackets, and no other syntax. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/sql/script/script.h"

namespace drover::sql {

enum class StatementEnd : std::uint8_t { semicolon, backslash, end_of_file };

// `$name`, or `:name`, which YQL does not have.
struct YqlMention {
  std::string name;
  std::size_t offset;
  bool has_colon;
};

struct ScannedStatement {
  SqlText sql;        // with its ';'; empty if the text contains only blanks and comments
  std::size_t begin;  // offset of the first word
  std::size_t end;    // offset after the ';', at the backslash or at the end of the text
  StatementEnd ended_by;
  std::vector<YqlMention> mentions = {};  // YQL only
};

// Scans SQL like psql and pgbench. A statement ends at a ';' outside of quotes, comments,
// parentheses and BEGIN ATOMIC … END, at the backslash of a meta command, or at the end of the
// text. `:name` outside of quotes and comments is a variable and gets a slot. `::` is a cast.
// Throws ScriptError for unclosed quotes and comments, and above SqlText::parameters_max variables.
ScannedStatement scan_statement(const Source& source, std::size_t offset, VariableNames& names);

// Scans YQL with its quotes ('…' and "…" with backslashes, `…`, @@…@@), comments, parentheses and
// braces. A named expression ($rows = SELECT …;) is joined to the next statement, as with `\;`,
// because the server forgets the name after the request. Throws ScriptError for unclosed quotes and
// comments, and for a named expression without a next statement.
ScannedStatement scan_yql_statement(const Source& source, std::size_t offset);

}  // namespace drover::sql
