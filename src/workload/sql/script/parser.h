// Reads a script of pgbench's language, as the manual of PostgreSQL 17 has it. Pure function.
//
// What is otherwise than there:
//
//   \think MEAN [us|ms|s]   Drover's own: a pause of a negative-exponential length
//   \shell, \setshell       refused: where a thread has many clients, none may wait for a program
//   ':name'                 stays as it is within quotes and comments, in every protocol; pgbench replaces it there in
//                           its simple protocol
//   a variable that is null is a null where it is a parameter, and not the text NULL; \gset of a NULL makes it null
//   a retry begins with the transaction that failed, not with the script (clients/script_transaction.h)
//   what can never be executed is refused here: quotes and comments without an end, names that no variable can have, a
//                           byte 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "workload/sql/expression/variables.h"
#include "workload/sql/script/script.h"

namespace drover::sql {

inline constexpr std::size_t script_bytes_max = std::size_t{4} << 20;

// What the statements are written in. In YQL variables are parameters that the script declares (declaration.h); where a
// variable is mentioned otherwise, by $name without a declaration or by :name, the script is refused. A declaration and
// a PRAGMA are sent with each statement behind them.
enum class Language : std::uint8_t { sql, yql };

// `file` is the script's name in messages. The variables that it mentions get slots of `names`, which all scripts of a
// run share. Throws ScriptError, also of a script without a command.
Script parse_script(std::string file, std::string text, VariableNames& names,
                    Language language = Language::sql);

}  // namespace drover::sql
