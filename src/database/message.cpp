#include "database/message.h"

#include "text/utf8.h"

namespace drover::database {

namespace {

// Joins two lines of a message: with a full stop where the second one begins a sentence.
void begin_line(std::string& message, std::string_view line) {
  if (message.empty()) return;
  const char last = message.back();
  const bool ends_in_word = (last >= '0' && last <= '9') || (last >= 'a' && last <= 'z') ||
                            (last >= 'A' && last <= 'Z') || last == '"' || last == ')';
  if (ends_in_word && line.front() >= 'A' && line.front() <= 'Z') message += '.';
  message += ' ';
}

}  // namespace

std::string one_line(std::string_view text, std::size_t bytes_max) {
  std::string message;
  bool is_apart = false;  // blanks or control characters follow the message so far
  bool is_new_line = false;
  for (std::string_view rest = text; !rest.empty();) {
    if (message.size() >= bytes_max) {
      message += "…";
      break;
    }
    text::Utf8Character next = text::first_character(rest);
    // Control characters of C1 count as bytes that are no UTF-8.
    if (next.point >= 0x80 && next.point < 0xa0) next = {};
    if (next.valid && (next.point <= 0x20 || next.point == 0x7f)) {
      is_apart = true;
      is_new_line = is_new_line || next.point == '\n';
    } else {
      if (is_new_line) {
        begin_line(message, rest);
      } else if (is_apart && !message.empty()) {
        message += ' ';
      }
      is_apart = is_new_line = false;
      message += next.valid ? rest.substr(0, next.bytes) : std::string_view("?");
    }
    rest.remove_prefix(next.bytes);
  }
  return message;
}

}  // namespace drover::database
