// Finds variables of scripts that can have no value, such as misspelt names. Pure function.
#pragma once

#include <string>
#include <vector>

#include "workload/sql/expression/variables.h"
#include "workload/sql/script/script_set.h"

namespace drover::sql {

// Returns a note for each variable of a statement that nothing can set: no \set, \gset, \aset,
// definition or built-in variable. Such a statement is always sent with NULL in its place. The note
// contains the script, the line and the nearest name that can be set. Returns nothing for the
// simple protocol, which sends an unset variable as it is written. A \gset or \aset can set every name that begins with its prefix.
std::vector<std::string> undefined_variable_notes(
    const ScriptSet& scripts, const std::vector<VariableDefinition>& definitions);

}  // namespace drover::sql
