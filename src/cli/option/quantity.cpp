#include "cli/option/quantity.h"

#include <array>
#include <charconv>
#include <cmath>

#include "run/usage_error.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array units = {Unit{"ms", 1e-3}, Unit{"s", 1},    Unit{"m", 60},
                              Unit{"min", 60},  Unit{"h", 3600}, Unit{"d", 86400}};
constexpr double longest_seconds = 365.0 * 86400;

// Two whole numbers with a character between them, the first from 1 to the second.
std::optional<std::pair<std::uint64_t, std::uint64_t>> two_numbers(std::string_view text,
                                                                   char between,
                                                                   std::uint64_t most) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const auto first = text::number_of<std::uint64_t>(text.substr(0, at));
  const auto second = text::number_of<std::uint64_t>(text.substr(at + 1));
  if (!first || !second || *first < 1 || *first > *second || *second > most) return std::nullopt;
  return std::pair(*first, *second);
}

}  // namespace

std::int64_t parse_count(std::string_view name, const std::string& text, std::int64_t low,
                         std::int64_t high) {
  const auto value = text::number_of<std::int64_t>(text);
  if (!value || *value < low || *value > high) {
    throw UsageError(
        fmt::format("{} {}: expected a whole number from {} to {}", name, text, low, high));
  }
  return *value;
}

std::optional<std::int64_t> parse_count_or_auto(std::string_view name, const std::string& text,
                                                std::int64_t low, std::int64_t high) {
  if (text == "auto") return std::nullopt;
  return parse_count(name, text, low, high);
}

std::pair<std::uint64_t, std::uint64_t> parse_part(std::string_view name, const std::string& text,
                                                   std::uint64_t most) {
  if (const auto part = two_numbers(text, '/', most)) return *part;
  throw UsageError(fmt::format("{} {}: expected I/N, such as 2/3: I from 1 to N, N at most {}",
                               name, text::shown(text), most));
}

std::pair<std::uint64_t, std::uint64_t> parse_range(std::string_view name, const std::string& text,
                                                    std::uint64_t most) {
  if (const auto range = two_numbers(text, '-', most)) return *range;
  throw UsageError(fmt::format("{} {}: expected A-B, such as 101-200: A from 1 to B, B at most {}",
                               name, text::shown(text), most));
}

coro::Duration parse_duration(std::string_view name, const std::string& text) {
  const auto refuse = [&](std::string_view why) -> UsageError {
    return UsageError(
        fmt::format("{} {}: {}. Expected a number with a unit, such as 30s, 10m, 1.5h or 250ms",
                    name, text, why));
  };
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number)) throw refuse("not a duration");
  if (number < 0) throw refuse("negative");
  const std::string_view unit_name(rest, static_cast<std::size_t>(end - rest));
  if (unit_name.empty() && number == 0) return coro::Duration::zero();
  if (unit_name.empty()) throw refuse("the unit is missing");
  for (const Unit& unit : units) {
    if (unit.name != unit_name) continue;
    const double seconds = number * unit.seconds;
    if (seconds > longest_seconds) throw refuse("longer than a year");
    return coro::Duration(std::llround(seconds * 1e9));
  }
  throw refuse("unknown unit");
}

}  // namespace drover::cli
