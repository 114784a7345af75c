// ScriptError: what is wrong with a script, when it is read or while it runs, and where.
//
//   transfer.sql:3:21: unexpected character '$'
//     \set amount 1 + $2
//                     ^
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace drover::sql {

// Both from 1; columns are counted in characters.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  friend bool operator==(Position, Position) = default;
};

class ScriptError : public std::runtime_error {
 public:
  // `line_text` is the whole line of the script; a part of it is shown where it is long.
  ScriptError(std::string_view file, Position position, std::string_view message,
              std::string_view line_text);

  const std::string& file() const noexcept { return file_; }
  Position position() const noexcept { return position_; }
  const std::string& message() const noexcept { return message_; }  // alone, without the place

 private:
  std::string file_;
  Position position_;
  std::string message_;
};

}  // namespace drover::sql
