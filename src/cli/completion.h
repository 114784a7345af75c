// Scripts by which shells complete the commands, options and values of drover. Pure functions: the
// text follows from the commands alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_outline.h"

namespace drover::cli {

std::string bash_completion(const CommandOutline& program);
std::string zsh_completion(const CommandOutline& program);
std::string fish_completion(const CommandOutline& program);

// The text in single quotes, as bash and zsh read it.
std::string shell_quoted(std::string_view text);

// The program, and all commands below it.
std::vector<const CommandOutline*> all_commands(const CommandOutline& program);

// The same program, in which `help` has the names of all commands below it: what may follow it.
CommandOutline with_help_topics(CommandOutline program);

}  // namespace drover::cli
