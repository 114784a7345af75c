#include "cli/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "cli/usage_error.h"

namespace drover::cli {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array units = {Unit{"ms", 1e-3}, Unit{"s", 1},    Unit{"m", 60},
                              Unit{"min", 60},  Unit{"h", 3600}, Unit{"d", 86400}};
constexpr double longest_seconds = 365.0 * 86400;

}  // namespace

coro::Duration parse_duration(std::string_view name, const std::string& text) {
  const auto refuse = [&](std::string_view why) -> UsageError {
    return UsageError(
        fmt::format("{} {}: {}; expected a number with a unit, such as 30s, 10m, 1.5h or 250ms",
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

std::string format_duration(coro::Duration duration) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  if (ms != 0 && ms % 3'600'000 == 0) return fmt::format("{}h", ms / 3'600'000);
  if (ms != 0 && ms % 60'000 == 0) return fmt::format("{}m", ms / 60'000);
  if (ms % 1000 == 0) return fmt::format("{}s", ms / 1000);
  if (ms > 1000) return fmt::format("{}s", static_cast<double>(ms) / 1000);
  return fmt::format("{}ms", ms);
}

}  // namespace drover::cli
