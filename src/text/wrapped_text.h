// Text for people, laid out for a width. Pure functions.
//
// Widths are counted in characters of UTF-8, which is right for all that our own texts hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drover::text {

std::size_t text_width(std::string_view text);

// What stands between the separators, one part more than there are of them.
std::vector<std::string> parts(std::string_view text, char separator);

// All words of the text on one line, a blank between two.
std::string one_paragraph(std::string_view text);

// All words of the text, broken into lines of at most `width`; a longer word has a line of its own.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);

// The first sentence, or what comes before a semicolon, without the dot: for a list. At most
// `characters`, cut between words.
std::string first_sentence(std::string_view text, std::size_t characters);

// Paragraphs of running text and lines that stand as they are, because they begin with a space:
// examples. Lines of one paragraph are joined and broken anew; an example that begins with
// "  drover " and is too long is broken as a shell allows it, with a backslash.
std::string wrapped_paragraphs(std::string_view text, std::size_t width);

}  // namespace drover::text
