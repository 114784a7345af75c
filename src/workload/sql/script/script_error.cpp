#include "workload/sql/script/script_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "text/utf8.h"

namespace drover::sql {

namespace {

constexpr std::size_t shown_columns = 90;
constexpr std::size_t columns_before_caret = 60;  // where the line's beginning is cut off

// A place each, so that the caret stands below its character. What a terminal would act upon is a '?'.
std::vector<std::string> characters_of(std::string_view line) {
  std::vector<std::string> characters;
  while (!line.empty()) {
    const text::Utf8Character character = text::first_character(line);
    if (character.point == '\t') {
      characters.emplace_back(" ");
    } else if (character.valid && text::is_printable(character.point)) {
      characters.emplace_back(line.substr(0, character.bytes));
    } else {
      characters.emplace_back("?");
    }
    line.remove_prefix(character.bytes);
  }
  return characters;
}

// The line, or the part of it around the column, and the caret below.
std::string excerpt(std::string_view line, std::size_t column) {
  const std::vector<std::string> characters = characters_of(line);
  const std::size_t at = column - 1;
  const std::size_t from = at > columns_before_caret ? at - columns_before_caret : 0;
  const std::size_t to = std::min(characters.size(), from + shown_columns);
  std::string text = from > 0 ? "  …" : "  ";
  for (std::size_t i = from; i < to; ++i) text += characters[i];
  if (to < characters.size()) text += "…";
  return text + "\n" + std::string(2 + (from > 0 ? 1 : 0) + (at - from), ' ') + "^";
}

}  // namespace

ScriptError::ScriptError(std::string_view file, Position position, std::string_view message,
                         std::string_view line_text)
    : std::runtime_error(fmt::format("{}:{}:{}: {}\n{}", file, position.line, position.column,
                                     message, excerpt(line_text, position.column))),
      file_(file),
      position_(position),
      message_(message) {}

}  // namespace drover::sql
