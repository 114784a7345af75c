#include "text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "text/plain_text.h"

namespace drover::text {

Utf8Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  // 0xc0 and 0xc1 could only begin overlong forms.
  const bool can_lead = lead >= 0xc2 && lead < 0xf5;
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (!can_lead || text.size() < bytes) return {};
  char32_t point = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return {};
    point = (point << 6) | (byte & 0x3f);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  if (point < smallest[bytes] || surrogate || point > 0x10ffff) return {};
  return {point, bytes, true};
}

bool is_printable(char32_t point) {
  const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const bool line_end = point == 0x2028 || point == 0x2029;
  const bool direction =
      (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
  return !control && !line_end && !direction;
}

void append_utf8(std::string& text, char32_t point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
    return;
  }
  const int continuations = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const unsigned lead = 0xff00U >> (continuations + 1) & 0xffU;  // 0xc0, 0xe0, 0xf0
  text += static_cast<char>(lead | point >> (6 * continuations));
  for (int i = continuations - 1; i >= 0; --i) {
    text += static_cast<char>(0x80 | (point >> (6 * i) & 0x3f));
  }
}

std::string shown(std::string_view text, std::size_t bytes_max) {
  std::string result;
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    if (result.size() + std::max<std::size_t>(next.bytes, 4) > bytes_max) return result + "...";
    if (next.valid && is_printable(next.point) && next.point != '"' && next.point != '\\') {
      result += text.substr(0, next.bytes);
    } else {
      for (const char byte : text.substr(0, next.bytes)) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

std::string terminal_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character next = first_character(text);
    const bool kept = next.point == '\n' || (next.valid && is_printable(next.point));
    result += kept ? text.substr(0, next.bytes) : std::string_view(" ");
    text.remove_prefix(next.bytes);
  }
  return result;
}

bool may_hold_password(std::string_view text) {
  if (text.find("://") != std::string_view::npos) return true;
  constexpr std::string_view word = "password";
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (auto at = lower.find(word); at != lower.npos; at = lower.find(word, at + 1)) {
    const auto next = lower.find_first_not_of(" \t", at + word.size());
    if (next != lower.npos && lower[next] == '=') return true;
  }
  return false;
}

std::string without_passwords(std::string message, int count, const char* const* words) {
  constexpr std::string_view replacement = "(not shown)";
  constexpr std::size_t path_shown_most = 300;
  const auto hide = [&](std::string_view value) {
    if (!may_hold_password(value)) return;
    message = replaced(std::move(message), value, replacement);
    message = replaced(std::move(message), shown(value, path_shown_most), replacement);
    message = replaced(std::move(message), shown(value), replacement);
  };
  for (int i = 0; i < count; ++i) {
    const std::string_view word = words[i];
    if (!may_hold_password(word)) continue;
    const auto equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    hide(equals == std::string_view::npos ? word : word.substr(equals + 1));
    // The name of a script may have a weight: "NAME@2".
    if (const auto at = word.rfind('@'); at != std::string_view::npos) {
      hide(word.substr(equals + 1, at - (equals + 1)));
    }
    // The value of a short option may follow it without a blank.
    if (word.starts_with('-') && !word.starts_with("--")) hide(word.substr(2));
  }
  return message;
}

}  // namespace drover::text
