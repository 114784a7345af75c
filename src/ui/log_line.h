// A line of the log, as it is shown. Plain values.
#pragma once

#include <cstdint>
#include <string>

namespace drover::ui {

enum class Level : std::uint8_t { note, good, warning };

struct LogLine {
  std::string time;  // of the day, here: 17:24:54
  Level level = Level::note;
  std::string text;  // printable_line()
};

}  // namespace drover::ui
