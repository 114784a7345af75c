// Source: the text of a script with its positions, the errors that show them, and the characters of
// the script language. Constant; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace drover::sql {

// Letters, '_' and bytes that are not ASCII.
bool begins_name(char c) noexcept;
// Letters, digits, '_' and bytes that are not ASCII.
bool is_name_byte(char c) noexcept;
bool is_variable_name(std::string_view name) noexcept;

bool is_decimal_digit(char c) noexcept;
// Returns true for blanks other than a line feed.
bool is_horizontal_space(char c) noexcept;
bool is_blank(char c) noexcept;

// Converts ASCII letters. Keywords, functions, commands and units ignore case.
std::string in_lower_case(std::string_view word);

// Like text::shown(), but keeps " and \, for use without quotes.
std::string shown_bare(std::string_view text);

// Returns the size of the nested /* … */ comment with which the text begins, or npos if it is not
// closed.
std::size_t block_comment_size(std::string_view text);

// Line and column count from 1. Columns are characters.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  friend bool operator==(Position, Position) = default;
};

// An error in a script, found while it is read or executed. what() shows its position:
//
//   transfer.sql:3:21: unexpected character '$'
//     \set amount 1 + $2
//                     ^
class ScriptError : public std::runtime_error {
 public:
  // `line_text` is the whole line of the script. Only a part of a long line is shown.
  ScriptError(std::string_view file, Position position, std::string_view message,
              std::string_view line_text);

  const std::string& file() const noexcept { return file_; }
  Position position() const noexcept { return position_; }
  const std::string& message() const noexcept { return message_; }  // without the position

 private:
  std::string file_;
  Position position_;
  std::string message_;
};

class Source {
 public:
  // `file` is the name in messages.
  Source(std::string file, std::string text);

  const std::string& file() const noexcept { return file_; }
  std::string_view text() const noexcept { return text_; }

  // Returns the byte at the offset, or 0 after the end.
  char at(std::size_t offset) const noexcept { return offset < text_.size() ? text_[offset] : 0; }

  // Returns the size of a backslash with the line break after it, or 0 if there is none at
  // `offset`.
  std::size_t continuation_at(std::size_t offset) const noexcept;
  // Return the first offset after the blanks of the line and continuations, or after the name.
  std::size_t skip_line_blanks(std::size_t offset) const noexcept;
  std::size_t skip_name(std::size_t offset) const noexcept;

  // Both require: offset <= text().size().
  Position position_of(std::size_t offset) const;
  ScriptError error_at(std::size_t offset, std::string_view message) const;

 private:
  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace drover::sql
