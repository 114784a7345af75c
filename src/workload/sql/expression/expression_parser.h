// Reads the expression of a \set, \if or \elif: pgbench's grammar, with its levels of precedence, into a program
// (expression.h). Pure function.
#pragma once

#include <cstddef>

#include "workload/sql/expression/expression.h"
#include "workload/sql/expression/variables.h"
#include "workload/sql/script/source.h"

namespace drover::sql {

struct ParsedExpression {
  Expression expression;
  std::size_t end;  // of its line, where the end of the line stands, or the end of the text
};

// Parses the expression from `offset` to the end of the line, and assigns slots to its variables.
// Throws ScriptError, including for expressions above stack_values_max or expression_levels_max.
ParsedExpression parse_expression(const Source& source, std::size_t offset, VariableNames& names);

}  // namespace drover::sql
