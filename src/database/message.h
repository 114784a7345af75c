// What a server or its client library says, as one line fit for a terminal: libraries break and
// indent their messages, and a server may say anything. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover::database {

inline constexpr std::size_t message_bytes_max = 4096;  // the rest is cut off

// Returns the text without control characters, so without escape sequences, and with a question
// mark for each byte that is not UTF-8. Cut after about `bytes_max` bytes.
std::string one_line(std::string_view text, std::size_t bytes_max = message_bytes_max);

}  // namespace drover::database
