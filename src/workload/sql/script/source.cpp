#include "workload/sql/script/source.h"

#include <algorithm>
#include <utility>

#include "text/utf8.h"

namespace drover::sql {

namespace {

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(text::first_character(text).bytes);
  return count;
}

}  // namespace

Source::Source(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

Position Source::position_of(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(after - 1);
  const std::size_t column = characters_in(text().substr(start, offset - start)) + 1;
  return {static_cast<std::uint32_t>(after - line_starts_.begin()),
          static_cast<std::uint32_t>(column)};
}

std::string_view Source::line(std::size_t number) const {
  const std::size_t start = line_starts_.at(number - 1);
  std::string_view line = text().substr(start);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

ScriptError Source::error(Position position, std::string_view message) const {
  return {file_, position, message, line(position.line)};
}

}  // namespace drover::sql
