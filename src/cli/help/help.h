// What the program says of itself, made of the commands alone: the help, the man page, and the scripts by which
// shells complete commands, options and values. Pure functions, but for the widths.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option/command.h"

namespace drover::cli {

// Options under one heading, in the order of the help and the man page.
struct OptionGroup {
  std::string heading;
  std::vector<const Option*> options;
};

// Returns the options of a command: the common ones first, then each group without its common
// options, groups that few users need last, and the options of every command at the end.
std::vector<OptionGroup> option_groups(const Command& command);

// Returns what `drover help COMMAND` prints: all options, every line within the width.
std::string help_text(const Command& command, std::size_t width);

// Returns what `drover COMMAND --help` prints: help_text() if it fits two terminals of 24 lines,
// else the common options and the command that prints all of them.
std::string short_help_text(const Command& command, std::size_t width);

// The width of the terminal that is the standard output, between 60 and 100; else what COLUMNS says, else 80.
std::size_t help_width();

// For what a run or a report says at its end: of the terminal that is the standard output, as the
// help; else 100, so that what is kept in a file is the same everywhere.
std::size_t summary_width();

// The manual page drover(1), in the man macros of roff. `version` such as "drover 0.1.0"; `date` as ISO 8601
// has it.
std::string man_page(const Command& program, std::string_view version, std::string_view date);

std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);
std::string fish_completion(const Command& program);

// The text in single quotes, as bash and zsh read it.
std::string shell_quoted(std::string_view text);

// The same program, in which `help` has the names of all commands below it: what may follow it.
Command with_help_topics(Command program);

}  // namespace drover::cli
