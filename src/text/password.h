// Recognises texts that may hold a password. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace drover::text {

// Returns true if the text contains "://", or "password" in any case followed by "=". libpq allows
// blanks before the sign.
bool may_hold_password(std::string_view text);

// Returns the message without those words of a command line that may hold a password, as they were
// written and as text::shown() quotes them.
std::string without_passwords(std::string message, int count, const char* const* words);

}  // namespace drover::text
