// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
// Pure functions; may be called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover::text {

struct Utf8Character {
  char32_t point = 0;
  std::size_t bytes = 1;  // 1 if it is not valid, so that the reader goes on behind it
  bool valid = false;
};

// Requires: text is not empty.
Utf8Character first_character(std::string_view text);

// Not for what a terminal may act upon (control characters, C1 included), nor for what can make
// text look like other text (changes of direction, separators of lines).
bool is_printable(char32_t point);

// Requires: point is below 0x110000 and no surrogate.
void append_utf8(std::string& text, char32_t point);

// Text of others within a message: at most bytes_max of it, on one line, with \x.. in place of
// what is not printable, of control characters in UTF-8 (C1, changes of direction) and of quotes.
std::string shown(std::string_view text, std::size_t bytes_max = 60);

// Text of several lines for a terminal: all control characters but the line break become spaces,
// and so does what is not UTF-8.
std::string terminal_text(std::string_view text);

}  // namespace drover::text
