// LogBook: the last lines of a log, and the part of them that is visible. Lines have numbers that
// rise, so that a paused view stays in place while lines are added and dropped. For one thread.
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

inline constexpr std::size_t line_bytes_most = 1000;  // the rest of a line is cut off

// Makes a line of text from outside, such as a server's message: each control character, line break
// and change of the writing direction becomes a blank, each invalid byte a question mark.
std::string printable_line(std::string_view text);

enum class Level : std::uint8_t { note, good, warning };

struct LogLine {
  std::string time;  // 17:24:54
  Level level = Level::note;
  std::string text;  // printable_line()
};

// Returns the local time: 17:24:54.
std::string time_of_day();

class LogBook {
 public:
  static constexpr std::size_t lines_most = 1'000;  // the oldest are dropped

  LogBook() : LogBook(lines_most, time_of_day) {}
  LogBook(std::size_t most, std::function<std::string()> time)
      : most_(most), time_(std::move(time)) {}

  // Adds the printable_line() of the text, unless it is empty.
  void add(Level level, std::string_view text);

  std::size_t size() const noexcept { return lines_.size(); }

  // True if the view follows new lines.
  bool following() const noexcept { return !end_; }
  // Returns the number of lines after the view.
  std::uint64_t newer() const noexcept { return end_number() - shown_end(); }

  // Returns the last `count` lines of the view, the oldest first.
  std::vector<LogLine> shown(std::size_t count) const;

  void pause_or_follow();
  void follow() noexcept { end_.reset(); }
  // Scrolls towards older lines, or towards newer lines if `lines` is negative. The view follows
  // again at the newest line. `height`: number of visible lines.
  void scroll(std::int64_t lines, std::size_t height);

 private:
  std::uint64_t end_number() const noexcept { return first_ + lines_.size(); }
  std::uint64_t shown_end() const noexcept;

  std::size_t most_;
  std::function<std::string()> time_;
  std::deque<LogLine> lines_;
  std::uint64_t first_ = 0;           // number of the oldest line
  std::optional<std::uint64_t> end_;  // number after the last visible line; none: follow
};

}  // namespace drover::ui
