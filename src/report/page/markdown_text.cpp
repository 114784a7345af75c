#include "report/page/markdown_text.h"

#include <algorithm>
#include <cctype>

#include "report/page/html_writer.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_hexadecimal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// GitHub makes links of commits out of seven hexadecimal digits, and of issues out of GH-123.
bool may_become_link(std::string_view text) {
  constexpr std::size_t shortest_commit = 7;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = is_hexadecimal(c) ? digits + 1 : 0;
    if (digits >= shortest_commit) return true;
  }
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("www.") != std::string::npos || lower.find("gh-") != std::string::npos;
}

bool is_plain(std::string_view text) {
  constexpr std::string_view harmless = " ,.;%()";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const char last = i > 0 ? text[i - 1] : ' ';
    const bool colon = c == ':' && next == ' ';
    const bool hyphen = c == '-' && is_letter_or_digit(last) && is_letter_or_digit(next);
    const bool allowed =
        is_letter_or_digit(c) || harmless.find(c) != std::string_view::npos || colon || hyphen;
    if (!allowed) return false;
  }
  return !may_become_link(text);
}

// Printable characters only; spaces at the ends, of which a code span takes one away, are gone.
std::string cleaned(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const text::Utf8Character next = text::first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    const bool space = next.point < 0x20 || !next.valid || !text::is_printable(next.point);
    if (space) {
      result += ' ';
    } else if (next.point == '`') {
      result += '\'';
    } else if (next.point == '|') {
      result += "¦";
    } else {
      result += bytes;
    }
  }
  const std::size_t first = result.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return result.substr(first, result.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string clean = shortened(cleaned(text), markdown_characters_max);
  if (clean.empty()) return "–";
  return is_plain(clean) ? clean : "`" + clean + "`";
}

}  // namespace drover::report
