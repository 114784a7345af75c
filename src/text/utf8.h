// UTF-8 as in RFC 3629 (no overlong forms, no surrogates, nothing above U+10FFFF), and foreign
// texts in messages. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover::text {

struct Utf8Character {
  char32_t point = 0;
  std::size_t bytes = 1;  // 1 if invalid, so that the reader continues after the byte
  bool valid = false;
};

// Requires: text is not empty.
Utf8Character first_character(std::string_view text);

// Returns false for characters on which a terminal may act (control characters, including C1), and
// for those that can make text look like other text (changes of direction, line separators).
bool is_printable(char32_t point);

// Requires: point is below 0x110000 and no surrogate.
void append_utf8(std::string& text, char32_t point);

// Returns at most `bytes_max` bytes of a foreign text on one line, for a message. Replaces invalid
// bytes, characters that are not printable, and quotes by \x...
std::string shown(std::string_view text, std::size_t bytes_max = 60);

// Returns text of several lines for a terminal: control characters except the line break, and bytes
// that are not UTF-8, become spaces.
std::string terminal_text(std::string_view text);

// Returns true if the text contains "://", or "password" in any case followed by "=". libpq allows
// blanks before the sign.
bool may_hold_password(std::string_view text);

// Returns the message without the words of a command line that may hold a password, in their
// written form and in that of shown().
std::string without_passwords(std::string message, int count, const char* const* words);

}  // namespace drover::text
