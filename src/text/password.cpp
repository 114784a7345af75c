#include "text/password.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::text {

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
