// Finds variables of scripts that can have no value, such as misspelt names. Pure function.
#pragma once

#include <string>
#include <vector>

#include "workload/sql/expression/variables.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

// Returns a note for each variable that a statement is sent with as NULL in every execution, because
// no \set, no \gset or \aset, no definition and no built-in variable sets it: with the script, the
// line and the nearest name that is set. Empty with the simple protocol, which sends an unset
// variable as it is written. A \gset or \aset can set every name that begins with its prefix.
std::vector<std::string> undefined_variable_notes(
    const ScriptSet& scripts, const std::vector<VariableDefinition>& definitions);

}  // namespace drover::sql
