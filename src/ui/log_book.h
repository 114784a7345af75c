// LogBook: the last lines of the log, and the part of them that is looked at.
//
// Lines have numbers that rise for ever, so that a view stays where it is while old lines fall out
// at the one end and new ones come at the other. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::ui {

inline constexpr std::size_t line_bytes_most = 1000;  // the rest is cut off

// Text from outside (a server's messages, names in a connection string) as one line that a terminal
// only shows: without control characters, changes of direction and ends of lines, each of which
// becomes a space; what is no UTF-8 becomes a question mark a byte.
std::string printable_line(std::string_view text);

enum class Level : std::uint8_t { note, good, warning };

struct LogLine {
  std::string time;  // of the day, here: 17:24:54
  Level level = Level::note;
  std::string text;  // printable_line()
};

// The time of the day here, now: 17:24:54.
std::string time_of_day();

class LogBook {
 public:
  static constexpr std::size_t lines_most = 1'000;  // the oldest are dropped

  LogBook() : LogBook(lines_most, time_of_day) {}
  LogBook(std::size_t most, std::function<std::string()> time)
      : most_(most), time_(std::move(time)) {}

  // Keeps the printable_line() of the text. An empty line is none.
  void add(Level level, std::string_view text);

  std::size_t size() const noexcept { return lines_.size(); }

  // Whether the newest line is shown, and stays so.
  bool following() const noexcept { return !end_; }
  // New lines that the view does not show.
  std::uint64_t newer() const noexcept { return end_number() - shown_end(); }

  // The last `count` lines of the view, the oldest first.
  std::vector<LogLine> shown(std::size_t count) const;

  void pause_or_follow();
  void follow() noexcept { end_.reset(); }
  // Towards older lines if above zero. `height`: lines that are visible. Down to the newest one
  // follows again.
  void scroll(std::int64_t lines, std::size_t height);

 private:
  std::uint64_t end_number() const noexcept { return first_ + lines_.size(); }
  std::uint64_t shown_end() const noexcept;

  std::size_t most_;
  std::function<std::string()> time_;
  std::deque<LogLine> lines_;
  std::uint64_t first_ = 0;           // the number of the oldest line
  std::optional<std::uint64_t> end_;  // the number behind the last line shown; none: follow
};

}  // namespace drover::ui
