// Text for people, wrapped to a width in characters of UTF-8. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drover::text {

std::size_t text_width(std::string_view text);

// Returns the parts between the separators.
std::vector<std::string> parts(std::string_view text, char separator);

// Returns all words of the text on one line, with single blanks.
std::string one_paragraph(std::string_view text);

// Returns the words in lines of at most `width` characters. A longer word has its own line.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);

// Returns the first sentence, or its part before a semicolon, without the dot, for a list. Cuts it
// between words to at most `characters`.
std::string first_sentence(std::string_view text, std::size_t characters);

// Wraps paragraphs. Lines that begin with a space are examples and do not change, except that an
// example that begins with "  drover " and is too long continues after a backslash, as in a shell.
std::string wrapped_paragraphs(std::string_view text, std::size_t width);

}  // namespace drover::text
