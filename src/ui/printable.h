// Text from outside (a server's messages, names in a connection string) as one line that a terminal
// only shows. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover::ui {

inline constexpr std::size_t line_bytes_most = 1000;  // the rest is cut off

// Without control characters, changes of direction and ends of lines, each of which becomes a
// space; what is no UTF-8 becomes a question mark a byte.
std::string printable_line(std::string_view text);

}  // namespace drover::ui
