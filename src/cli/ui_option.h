// The option --ui of the commands that show how far they are.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "ui/display.h"

namespace drover::cli {

void add_ui_option(CLI::App& command, std::string& written);

// Throws UsageError for what is no choice, and for a screen where none can be: it says why.
ui::Choice parse_ui_choice(const std::string& written);

}  // namespace drover::cli
