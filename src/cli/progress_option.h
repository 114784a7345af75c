// --ui of the commands that show at most lines of progress, so that a script can give all commands
// the same options.
#pragma once

#include <string>

#include "cli/option/command.h"

namespace drover::cli {

// `written` must outlive the command.
void add_progress_option(Command& command, std::string& written);

// Throws UsageError where the value is none of the option's.
bool is_quiet(const std::string& written);

}  // namespace drover::cli
