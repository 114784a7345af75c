// Source: the text of a script and where things stand in it. Constant; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workload/sql/script/script_error.h"

namespace drover::sql {

class Source {
 public:
  // `file` is for messages alone.
  Source(std::string file, std::string text);

  const std::string& file() const noexcept { return file_; }
  std::string_view text() const noexcept { return text_; }

  // The byte at `offset`; zero at and behind the end, so that readers need no check of their own.
  char at(std::size_t offset) const noexcept { return offset < text_.size() ? text_[offset] : 0; }

  // Requires: offset <= text().size().
  Position position_of(std::size_t offset) const;

  ScriptError error(Position position, std::string_view message) const;
  ScriptError error_at(std::size_t offset, std::string_view message) const {
    return error(position_of(offset), message);
  }

 private:
  std::string_view line(std::size_t number) const;  // from 1; without its end

  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace drover::sql
