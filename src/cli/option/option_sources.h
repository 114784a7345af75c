// Sources of options besides the command line: environment variables, and the file of --config.
//
// DROVER_TPCC_RUN_DURATION sets --duration of `drover tpcc run`. A variable with fewer command
// names, such as DROVER_TPCC_SCHEMA or DROVER_SEED, sets the option in every command below that has
// it. An empty variable counts as not set.
//
// A section of the file has the name of a command ([tpcc.run]), and its keys are the command's long
// options. Keys in the section of a group ([tpcc]) or before all sections set the option in every
// command of the group or of the program that has it. The whole file is checked, also the sections
// of other commands: names, and whether a value is text or a number, a truth, or a list.
//
// The command line overrides variables, a variable with more command names overrides one with
// fewer, variables override the file, and the nearest section overrides the others. No message
// contains a value that may be a password.
#pragma once

#include <array>

#include "cli/option/command.h"
#include "cli/option/config_file.h"

namespace drover::cli {

// Names and values.
using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

// Returns the variables of this process whose names begin with one of the prefixes.
EnvironmentVariables variables_with_prefix(const std::vector<std::string_view>& prefixes);

// Returns the variables that begin with DROVER_ and are not empty.
EnvironmentVariables drover_variables();

// The variable with the file of --config, for every command that has this option.
inline constexpr const char* config_variable = "DROVER_CONFIG";

// Variables that belong to no option, with their meanings.
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

// Returns the full name of an option's variable, or the variable that sets the option in every
// command; empty if no variable sets it.
std::string variable_of(const Command& command, const Option& option);

// Sets the options of the chosen command that the command line does not set. Returns warnings.
// Throws UsageError, also for a variable with the full name of the chosen command and no option of
// it.
std::vector<std::string> apply_environment(const Command& program, Command& chosen,
                                           const EnvironmentVariables& variables);

// Sets the options of the chosen command that neither the command line nor a variable sets, from
// the entries of a file, which messages call `file`. Throws UsageError.
void apply_config(const Command& program, Command& chosen, const std::vector<ConfigEntry>& entries,
                  const std::string& file);
void apply_config_file(const Command& program, Command& chosen, const std::string& path);

}  // namespace drover::cli
