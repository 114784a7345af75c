#include "text/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::text {

namespace {

constexpr Utf8Character invalid{};

}  // namespace

Utf8Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  // 0xc0 and 0xc1 could only begin overlong forms.
  const std::size_t bytes = lead < 0xc2   ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 0;
  if (bytes == 0 || text.size() < bytes) return invalid;
  char32_t point = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return invalid;
    point = (point << 6) | (byte & 0x3f);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  if (point < smallest[bytes] || surrogate || point > 0x10ffff) return invalid;
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
  const auto continuation = [&](int shift) {
    text += static_cast<char>(0x80 | ((point >> shift) & 0x3f));
  };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0 | (point >> 6));
    continuation(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0 | (point >> 12));
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xf0 | (point >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
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

}  // namespace drover::text
