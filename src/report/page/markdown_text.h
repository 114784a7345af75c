// Text of others within a Markdown document of GitHub's flavour, where it stays text.
//
// Words of letters, digits and a little punctuation are written as they are. Everything else goes
// into a code span, in which nothing has a meaning: no HTML, no link, no @mention, no #123, no
// emoji. Within it, backticks become apostrophes and pipes become broken bars, so that it ends
// neither the span nor the cell of a table.
//
// Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace drover::report {

// One line, never empty, at most markdown_characters_max characters of the text.
std::string markdown_text(std::string_view text);

inline constexpr std::size_t markdown_characters_max = 300;

}  // namespace drover::report
