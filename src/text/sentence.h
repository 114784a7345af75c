// Joins messages to sentences. Pure functions, for any thread.
#pragma once

#include <string>
#include <string_view>

namespace drover::text {

// Returns `text` with a full stop, unless it ends with a full stop, a question mark or an
// exclamation mark already: the messages of some servers end with one, those of others do not.
inline std::string sentence(std::string_view text) {
  std::string ended(text);
  if (ended.empty() || std::string_view(".?!").find(ended.back()) == std::string_view::npos) {
    ended += '.';
  }
  return ended;
}

}  // namespace drover::text
