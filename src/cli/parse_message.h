// What to tell somebody whose command line CLI11 does not take.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace drover::cli {

// One or two lines: what is wrong, what was probably meant, and which help to ask for. Never the
// value of an option that is unknown, since it may hold a password.
std::string parse_message(const CLI::ParseError& error, CLI::App& app);

}  // namespace drover::cli
