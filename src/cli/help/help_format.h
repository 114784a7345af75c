// What --help prints: options in their groups, every line within the width of the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "cli/option/command.h"

namespace drover::cli {

// The width of the terminal that is the standard output, between 60 and 100; else what COLUMNS says, else 80.
std::size_t help_width();

// For what a run or a report says at its end: of the terminal that is the standard output, as the
// help; else 100, so that what is kept in a file is the same everywhere.
std::size_t summary_width();

std::string help_text(const Command& command, std::size_t width);

}  // namespace drover::cli
