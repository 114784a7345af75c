// The option --ui of commands whose output is at most lines of progress, so that scripts can give
// all commands the same options.
#pragma once

#include <string>

#include "cli/option/command.h"

namespace drover::cli {

// `written` must outlive the command.
void add_progress_option(Command& command, std::string& written);

// Returns true for "quiet". Throws UsageError for a value that the option does not have.
bool is_quiet(const std::string& written);

}  // namespace drover::cli
