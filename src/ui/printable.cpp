#include "ui/printable.h"

#include "report/utf8.h"

namespace drover::ui {

std::string printable_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const report::Utf8Character character = report::first_character(text);
    if (line.size() + character.bytes > line_bytes_most) break;
    if (!character.valid) {
      line += '?';
    } else if (!report::is_printable(character.point)) {
      line += ' ';
    } else {
      line.append(text.substr(0, character.bytes));
    }
    text.remove_prefix(character.bytes);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace drover::ui
