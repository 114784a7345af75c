// Reads a script of pgbench's language, as the manual of PostgreSQL 17 has it. Pure function.
//
// What is otherwise than there:
//
//   \think MEAN [us|ms|s]   Drover's own: a pause of a negative-exponential length
//   \shell, \setshell       refused: where a thread has many clients, none may wait for a program
//   ':name'                 stays as it is within quotes and comments, in every protocol; pgbench replaces it there in
//                           its simple protocol
//   a variable that is null is a null where it is a parameter, and not the text NULL
//   what can never be executed is refused here: quotes and comments without an end, names that no variable can have
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
