#include "database/message.h"

#include <algorithm>

namespace drover::database {
namespace {

// The bytes of the character of UTF-8 that `text` begins with (table 3-7 of the Unicode standard);
// 0 if it is none, or a control character of C1.
std::size_t character_bytes(std::string_view text) noexcept {
  const auto byte_at = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = byte_at(0);
  if (lead < 0x80) return 1;
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool no_character = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  const bool control = lead == 0xC2 && second < 0xA0;
  return overlong || no_character || control ? 0 : bytes;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string message;
  for (std::string_view rest = text; !rest.empty();) {
    if (message.size() >= message_bytes_max) {
      message += "…";
      break;
    }
    const std::size_t bytes = character_bytes(rest);
    const auto byte = static_cast<unsigned char>(rest.front());
    if (bytes == 0) {
      message += '?';
    } else if (byte > 0x20 && byte != 0x7F) {
      message += rest.substr(0, bytes);
    } else if (!message.empty() && message.back() != ' ') {
      message += ' ';
    }
    rest.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  while (!message.empty() && message.back() == ' ') message.pop_back();
  return message;
}

}  // namespace drover::database
