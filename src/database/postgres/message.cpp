#include "database/postgres/message.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace drover::database::postgres {

std::string one_line(const char* text) {
  std::string_view rest = text != nullptr ? text : "";
  std::vector<std::string_view> lines;
  std::string all;
  while (!rest.empty() && all.size() <= message_bytes_max) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) continue;
    lines.push_back(line);
    all.append(line).push_back('\n');
  }
  return database::one_line(all);
}

}  // namespace drover::database::postgres
