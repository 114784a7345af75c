// Sentences for a terminal: folded at blanks, so that no line is wider than 100 columns.
//
// Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover::report {

inline constexpr std::size_t folded_columns = 100;

// Appends the text and a line break. Lines after the first are indented by two blanks; a word that
// is wider than a line is broken.
void append_folded(std::string& out, std::string_view text);

}  // namespace drover::report
