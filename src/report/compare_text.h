// A comparison for people: a table for the terminal, at most 100 columns wide, and Markdown for a
// pull request.
//
// Pure functions. Texts that came from results are printable already (compare.h); for Markdown they
// are escaped besides, so that nothing in them is a link, an image or HTML.
#pragma once

#include <string>
#include <string_view>

#include "report/compare.h"

namespace drover::report {

// Ends with a newline. Whatever prints it passes it through terminal_text().
std::string compare_text(const Comparison& comparison);

std::string compare_markdown(const Comparison& comparison);

// What a reader needs first: "Fails: 1 of 2 limits." One line.
std::string compare_sentence(const Comparison& comparison);

// "2026-11-20 21:29:51 UTC".
std::string start_text(std::int64_t unix_seconds);

// Text of others for Markdown: shown as it is written.
std::string markdown_escaped(std::string_view text);

}  // namespace drover::report
