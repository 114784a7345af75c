#include "workload/sql/script/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::sql {
namespace {

// Returns the printed form of each character. Every form takes one column, so that the caret stands
// below its character. Control characters become '?'.
std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> columns;
  while (!line.empty()) {
    const text::Utf8Character character = text::first_character(line);
    if (character.point == '\t') {
      columns.emplace_back(" ");
    } else if (character.valid && text::is_printable(character.point)) {
      columns.emplace_back(line.substr(0, character.bytes));
    } else {
      columns.emplace_back("?");
    }
    line.remove_prefix(character.bytes);
  }
  return columns;
}

// Returns the line, or the part of it around the column, with a caret below.
std::string excerpt(std::string_view line, std::size_t column) {
  constexpr std::size_t shown_columns = 90;
  constexpr std::size_t columns_before_caret = 60;
  const std::vector<std::string> columns = columns_of(line);
  const std::size_t at = column - 1;
  const std::size_t from = at > columns_before_caret ? at - columns_before_caret : 0;
  const std::size_t to = std::min(columns.size(), from + shown_columns);
  std::string text = from > 0 ? "  …" : "  ";
  for (std::size_t i = from; i < to; ++i) text += columns[i];
  if (to < columns.size()) text += "…";
  return text + "\n" + std::string(2 + (from > 0 ? 1 : 0) + (at - from), ' ') + "^";
}

}  // namespace

bool begins_name(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_byte(char c) noexcept {
  return begins_name(c) || is_decimal_digit(c);
}

bool is_variable_name(std::string_view name) noexcept {
  return !name.empty() && begins_name(name.front()) && std::ranges::all_of(name, is_name_byte);
}

bool is_decimal_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_horizontal_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool is_blank(char c) noexcept {
  return c == '\n' || is_horizontal_space(c);
}

std::string in_lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return result;
}

std::string shown_bare(std::string_view text) {
  return text::replaced(text::replaced(text::shown(text), "\\x22", "\""), "\\x5c", "\\");
}

std::size_t block_comment_size(std::string_view text) {
  std::size_t end = 2;
  for (std::size_t depth = 1; depth > 0;) {
    if (end >= text.size()) return std::string_view::npos;
    const std::string_view two = text.substr(end, 2);
    if (two == "/*") ++depth;
    if (two == "*/") --depth;
    end += two == "/*" || two == "*/" ? 2 : 1;
  }
  return end;
}

ScriptError::ScriptError(std::string_view file, Position position, std::string_view message,
                         std::string_view line_text)
    : std::runtime_error(fmt::format("{}:{}:{}: {}\n{}", file, position.line, position.column,
                                     message, excerpt(line_text, position.column))),
      file_(file),
      position_(position),
      message_(message) {}

Source::Source(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::size_t Source::continuation_at(std::size_t offset) const noexcept {
  if (at(offset) != '\\') return 0;
  if (at(offset + 1) == '\n') return 2;
  return at(offset + 1) == '\r' && at(offset + 2) == '\n' ? 3 : 0;
}

std::size_t Source::skip_line_blanks(std::size_t offset) const noexcept {
  for (;;) {
    const std::size_t bytes = is_horizontal_space(at(offset)) ? 1 : continuation_at(offset);
    if (bytes == 0) return offset;
    offset += bytes;
  }
}

std::size_t Source::skip_name(std::size_t offset) const noexcept {
  while (is_name_byte(at(offset))) ++offset;
  return offset;
}

Position Source::position_of(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(line_starts_, offset);
  std::string_view before = text().substr(*(after - 1), offset - *(after - 1));
  std::uint32_t column = 1;
  for (; !before.empty(); ++column) before.remove_prefix(text::first_character(before).bytes);
  return {static_cast<std::uint32_t>(after - line_starts_.begin()), column};
}

ScriptError Source::error_at(std::size_t offset, std::string_view message) const {
  const Position position = position_of(offset);
  std::string_view line = text().substr(line_starts_.at(position.line - 1));
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return {file_, position, message, line};
}

}  // namespace drover::sql
