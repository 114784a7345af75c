#include "cli/count_option.h"

#include <fmt/format.h>

#include <charconv>

#include "cli/usage_error.h"

namespace drover::cli {

std::int64_t parse_count(std::string_view name, const std::string& text, std::int64_t low,
                         std::int64_t high) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < low || value > high) {
    throw UsageError(
        fmt::format("{} {}: expected a whole number from {} to {}", name, text, low, high));
  }
  return value;
}

std::int64_t parse_count_or_auto(std::string_view name, const std::string& text, std::int64_t low,
                                 std::int64_t high, std::int64_t automatic) {
  return text == "auto" ? automatic : parse_count(name, text, low, high);
}

}  // namespace drover::cli
