// Reads a script of pgbench's language, as the manual of PostgreSQL 17 has it. Pure function.
//
// The differences are Drover's own \think MEAN [us|ms|s], and \shell and \setshell, which are refused: a client of a
// load generator of many clients a thread waits for no program.
#pragma once

#include <cstddef>
#include <string>

#include "workload/sql/expression/variables.h"
#include "workload/sql/script/script.h"

namespace drover::sql {

inline constexpr std::size_t script_bytes_max = std::size_t{16} << 20;

// `file` is the script's name in messages. The variables that it mentions get slots of `names`, which all scripts of a
// run share. Throws ScriptError, also of a script without a command.
Script parse_script(std::string file, std::string text, VariableNames& names);

}  // namespace drover::sql
