#include "ui/log_book.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>

#include "text/utf8.h"

namespace drover::ui {

std::string printable_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const text::Utf8Character character = text::first_character(text);
    if (line.size() + character.bytes > line_bytes_most) break;
    if (!character.valid) {
      line += '?';
    } else if (!text::is_printable(character.point)) {
      line += ' ';
    } else {
      line.append(text.substr(0, character.bytes));
    }
    text.remove_prefix(character.bytes);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string time_of_day() {
  return fmt::format("{:%T}", fmt::localtime(std::time(nullptr)));
}

void LogBook::add(Level level, std::string_view text) {
  std::string line = printable_line(text);
  if (line.empty()) return;
  lines_.push_back({time_(), level, std::move(line)});
  if (lines_.size() <= most_) return;
  lines_.pop_front();
  ++first_;
}

// A view whose lines were dropped moves to the oldest lines.
std::uint64_t LogBook::shown_end() const noexcept {
  if (!end_) return end_number();
  return std::clamp(*end_, std::min(first_ + 1, end_number()), end_number());
}

std::vector<LogLine> LogBook::shown(std::size_t count) const {
  const auto end = static_cast<std::ptrdiff_t>(shown_end() - first_);
  const auto begin = std::max<std::ptrdiff_t>(end - static_cast<std::ptrdiff_t>(count), 0);
  return {lines_.begin() + begin, lines_.begin() + end};
}

void LogBook::pause_or_follow() {
  end_ = end_ ? std::nullopt : std::optional(end_number());
}

void LogBook::scroll(std::int64_t lines, std::size_t height) {
  const auto last = static_cast<std::int64_t>(end_number());
  const auto first = static_cast<std::int64_t>(first_);
  const auto least = std::min(first + static_cast<std::int64_t>(height), last);
  const auto target = std::clamp(static_cast<std::int64_t>(shown_end()) - lines, least, last);
  end_.reset();
  if (target != last) end_ = static_cast<std::uint64_t>(target);
}

}  // namespace drover::ui
