// What to tell somebody whose command line, file or variable CLI11 does not take: in the words of
// this program, whatever those of CLI11 are.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace drover::cli {

// One or two lines: what is wrong, what was probably meant, and which help to ask for. Never the
// value of an option that is unknown, since it may hold a password.
std::string parse_message(const CLI::ParseError& error, CLI::App& app);

// What is wrong with an option's value: "--pace fast: expected a number".
std::string option_message(const CLI::ParseError& error);

// Whether a command is missing, and nothing that was written was meant to be one: then its help is
// worth more than a sentence.
bool is_command_missing(const CLI::ParseError& error, CLI::App& app);

}  // namespace drover::cli
