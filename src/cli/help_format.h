// What --help prints: options in their groups, every line within the width of the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "cli/command_outline.h"

namespace drover::cli {

// Of the terminal that is the standard output, between 60 and 100; else what COLUMNS says, else 80.
std::size_t help_width();

// For what a run or a report says at its end: of the terminal that is the standard output, as the
// help; else 100, so that what is kept in a file is the same everywhere.
std::size_t summary_width();

std::string help_text(const CommandOutline& command, std::size_t width);

// Give it to the program before its commands are added: they take over what it has.
class HelpFormat : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace drover::cli
