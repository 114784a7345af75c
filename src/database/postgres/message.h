// What libpq or a server says, as one line fit for a terminal: libpq breaks and indents its
// messages, and a server may say anything.
#pragma once

#include <cstddef>
#include <string>

namespace drover::database::postgres {

inline constexpr std::size_t message_bytes_max = 4096;  // the rest is cut off

// Without control characters (no escape sequence does without) and with a question mark for each
// byte that is no UTF-8. Empty for a null pointer.
std::string one_line(const char* text);

}  // namespace drover::database::postgres
