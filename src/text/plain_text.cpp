#include "text/plain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace drover::text {

std::string plural(std::uint64_t count, std::string_view noun) {
  if (count == 1) return std::string(noun);
  const bool changes_y = noun.ends_with('y') && !noun.ends_with("ay") && !noun.ends_with("ey");
  if (changes_y) return fmt::format("{}ies", noun.substr(0, noun.size() - 1));
  return fmt::format("{}s", noun);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}", count, plural(count, noun));
}

std::string counted_grouped(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}", grouped(count), plural(count, noun));
}

std::string counted_of_plural(std::int64_t count, std::string_view plural) {
  const bool is_word = std::ranges::all_of(plural, [](char c) { return c >= 'a' && c <= 'z'; });
  if (count == 1 && is_word && plural.ends_with('s')) plural.remove_suffix(1);
  return fmt::format("{} {}", count, plural);
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string figure_text(double value) {
  const double size = std::abs(value);
  if (size >= 999.5) return fmt::format("{:.0f}", value);
  // fmt writes an exponent for smaller values.
  if (size < 0.0001) return size < 0.00005 ? "0" : "0.0001";
  return fmt::format("{:.3g}", value);
}

std::string length_text(double seconds) {
  const auto tenths = static_cast<std::int64_t>(std::llround(seconds * 10));
  if (tenths < 1'200) return fmt::format("{}.{} s", tenths / 10, tenths % 10);
  const std::int64_t whole = (tenths + 5) / 10;
  if (whole < 3'600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min {} s", whole / 3'600, whole / 60 % 60, whole % 60);
}

std::string bytes_text(std::uint64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1024.0 * 1024.0);
  if (mebibytes >= 1024) return fmt::format("{:.2f} GiB", mebibytes / 1024);
  return fmt::format("{:.1f} MiB", mebibytes);
}

std::string moment_text(std::int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "?";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

void append_folded(std::string& out, std::string_view text, std::size_t width,
                   std::string_view indent, std::size_t label) {
  std::string_view begin;
  while (!text.empty()) {
    const std::size_t room = width - begin.size();
    std::size_t length = text.size();
    if (length > room) {
      const std::size_t space = text.rfind(' ', room);
      length = space != std::string_view::npos && space > label ? space : room;
      // Does not break a character.
      for (int i = 0; i < 3 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80; ++i) {
        --length;
      }
    }
    out += begin;
    out += text.substr(0, length);
    out += '\n';
    text.remove_prefix(length);
    while (text.starts_with(' ')) text.remove_prefix(1);
    begin = indent;
    label = 0;
  }
}

}  // namespace drover::text
