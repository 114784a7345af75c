#include "database/message.h"

#include "text/utf8.h"

namespace drover::database {

std::string one_line(std::string_view text, std::size_t bytes_max) {
  std::string message;
  for (std::string_view rest = text; !rest.empty();) {
    if (message.size() >= bytes_max) {
      message += "…";
      break;
    }
    text::Utf8Character next = text::first_character(rest);
    // Control characters of C1 count as bytes that are no UTF-8.
    if (next.point >= 0x80 && next.point < 0xa0) next = {};
    if (!next.valid) {
      message += '?';
    } else if (next.point > 0x20 && next.point != 0x7f) {
      message += rest.substr(0, next.bytes);
    } else if (!message.empty() && message.back() != ' ') {
      message += ' ';
    }
    rest.remove_prefix(next.bytes);
  }
  while (message.ends_with(' ')) message.pop_back();
  return message;
}

}  // namespace drover::database
