// Scripts by which shells complete the commands, options and values of drover. Pure functions: the
// text follows from the commands alone.
#pragma once

#include <string>
#include <string_view>

#include "cli/option/command.h"

namespace drover::cli {

std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);
std::string fish_completion(const Command& program);

// The text in single quotes, as bash and zsh read it.
std::string shell_quoted(std::string_view text);

// The same program, in which `help` has the names of all commands below it: what may follow it.
Command with_help_topics(Command program);

}  // namespace drover::cli
