// Where options come from besides the command line: variables of the environment, and the file of --config.
//
// DROVER_TPCC_RUN_DURATION stands for --duration of `drover tpcc run`. What has fewer names of
// commands in front is for every command below that has such an option: DROVER_TPCC_SCHEMA, or
// DROVER_DB. An empty variable is as if it were not set. DROVER_CONFIG names the file of --config.
//
// In the file, a section has the name of a command ([tpcc.run]) and its keys are the long options of it. What
// stands in the section of a group ([tpcc]) or before all sections is for every command of the group, or of
// all, that has such an option. The whole file is checked, also what is for other commands: names, and whether
// a value is a text or number, a truth, or a list.
//
// The command line comes first, then the variable with the most names, then the nearest section. No message
// shows a value that could hold a password.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option/command.h"
#include "cli/option/config_file.h"

namespace drover::cli {

// A name, and a value that is not empty.
using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

// Those of this process whose names begin with DROVER_.
EnvironmentVariables drover_variables();

// The file of --config, for every command that takes one.
inline constexpr const char* config_variable = "DROVER_CONFIG";

// Variables that are no option's, and what they mean.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known_variables = {{
    {config_variable, "Value of --config for every command."},
    {"DROVER_DATA_HOME",
     "Folder of the private server, unless --data-dir names one. Default: $XDG_DATA_HOME/drover, "
     "else ~/.local/share/drover; for root /var/lib/drover."},
    {"DROVER_PG_BINDIR",
     "Folder with PostgreSQL's programs (postgres, initdb) for the private server. Default: the "
     "newest installed version."},
    {"DROVER_SECRET",
     "Secret that the coordinator and the agents of a run share, at least 16 characters."},
}};

// "DROVER_TPCC_RUN_DURATION", of the first `depth` names of commands and an option's key.
std::string variable_name(const std::vector<std::string>& command, std::size_t depth,
                          std::string_view key);
// The whole name of an option's variable, or the one that stands for it in every command; empty: it has none.
std::string variable_of(const Command& command, const Option& option);

// Gives the options of the chosen command, where the command line has not, what the variables say,
// and returns warnings. Throws UsageError, also for a variable that has the whole name of the
// chosen command and no option of it.
std::vector<std::string> apply_environment(const Command& program, Command& chosen,
                                           const EnvironmentVariables& variables);

// The same with the entries of a file, which messages call `file`. A command that is not chosen already is
// never chosen by the file. Throws UsageError.
void apply_config(const Command& program, Command& chosen, const std::vector<ConfigEntry>& entries,
                  const std::string& file);

// The same with what the file holds. CLI11 has a reader of its own for such files. It is not used: it cuts
// values at a # within quotes, takes unclosed lists, skips what it does not understand, names no line, and
// waits for ever on a pipe.
void apply_config_file(const Command& program, Command& chosen, const std::string& path);

}  // namespace drover::cli
