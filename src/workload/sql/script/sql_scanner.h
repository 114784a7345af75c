// Finds where a statement of SQL ends, as psql and pgbench do: at a ';' that stands in no quotes, comments and
// parentheses and in no body of BEGIN ATOMIC … END, at a backslash that begins a command, or at the end of the file.
// It knows no more of SQL than that. Pure function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workload/sql/expression/variables.h"
#include "workload/sql/script/source.h"
#include "workload/sql/script/sql_text.h"

namespace drover::sql {

enum class StatementEnd : std::uint8_t { semicolon, backslash, end_of_file };

struct ScannedStatement {
  SqlText sql;        // with its ';'; empty if there is nothing but blanks and comments
  std::size_t begin;  // of its first word
  std::size_t end;    // behind the ';', at the backslash or the end
  StatementEnd ended_by;
};

// From `offset` on. `:name` outside of quotes and comments is a variable, which gets a slot; casts (::) are none.
// Throws ScriptError of quotes and comments without an end, and of more variables than SqlText::parameters_max.
ScannedStatement scan_statement(const Source& source, std::size_t offset, VariableNames& names);

}  // namespace drover::sql
