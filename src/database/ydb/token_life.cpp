#include "database/ydb/token_life.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace drover::database::ydb {
namespace {

constexpr std::chrono::seconds earliest{10};
constexpr std::chrono::seconds latest = std::chrono::hours(12);
constexpr std::chrono::seconds where_unknown = std::chrono::hours(1);

int sextet(char c) noexcept {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-' || c == '+') return 62;
  if (c == '_' || c == '/') return 63;
  return -1;
}

// Base64 for URLs (RFC 4648, section 5), without padding or with it. Nothing if it is none.
std::optional<std::string> decode(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const int value = sextet(c);
    if (value < 0) return std::nullopt;
    bits = ((bits << 6U) | static_cast<unsigned>(value)) & 0xFFFFFFU;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
    }
  }
  return bytes;
}

std::optional<double> expiry_of(std::string_view token) {
  const auto first = token.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = token.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto payload = decode(token.substr(first + 1, second - first - 1));
  if (!payload) return std::nullopt;
  const auto json = nlohmann::json::parse(*payload, nullptr, false);
  if (!json.is_object() || !json.contains("exp") || !json["exp"].is_number()) return std::nullopt;
  return json["exp"].get<double>();
}

}  // namespace

std::chrono::seconds renew_token_after(std::string_view token, std::int64_t now_unix_s) {
  const auto expiry = expiry_of(token);
  if (!expiry) return where_unknown;
  const double half = (*expiry - static_cast<double>(now_unix_s)) / 2;
  const double bounded =
      std::clamp(half, static_cast<double>(earliest.count()), static_cast<double>(latest.count()));
  return std::chrono::seconds(static_cast<std::int64_t>(bounded));
}

}  // namespace drover::database::ydb
