#include "report/folded_text.h"

namespace drover::report {

void append_folded(std::string& out, std::string_view text) {
  std::string_view indent;
  while (!text.empty()) {
    const std::size_t width = folded_columns - indent.size();
    std::size_t length = text.size();
    if (length > width) {
      const std::size_t space = text.rfind(' ', width);
      length = space == std::string_view::npos || space == 0 ? width : space;
    }
    out += indent;
    out += text.substr(0, length);
    out += '\n';
    text.remove_prefix(length);
    while (text.starts_with(' ')) text.remove_prefix(1);
    indent = "  ";
  }
}

}  // namespace drover::report
