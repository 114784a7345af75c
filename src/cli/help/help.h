// The help, the man page, and the scripts with which shells complete commands, options and values,
// written from the declared commands.
#pragma once

#include <cstddef>

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

// Returns the width of the terminal that is the standard output, limited to 60 to 100; without a
// terminal the variable COLUMNS, or 80.
std::size_t help_width();

// Returns the width of summaries: that of the terminal, as for the help, else 100, so that stored
// summaries are the same everywhere.
std::size_t summary_width();

// Returns the manual page drover(1) in roff. `version`: "drover 0.1.0"; `date` in ISO 8601.
std::string man_page(const Command& program, std::string_view version, std::string_view date);

std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);
std::string fish_completion(const Command& program);

// Returns the text in single quotes for bash and zsh.
std::string shell_quoted(std::string_view text);

// Returns the program with all commands as subcommands of `help`, so that its argument is
// completed.
Command with_help_topics(Command program);

}  // namespace drover::cli
