#include "cli/option/start_time.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "run/usage_error.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::cli {
namespace {

constexpr double most_ahead_s = 7.0 * 86400;

// Where the shape has a d the text has a digit.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == 'd' ? !is_digit : text[i] != shape[i]) return false;
  }
  return true;
}

// Requires: digits.
int number_at(std::string_view text, std::size_t at, std::size_t length) {
  return text::number_of<int>(text.substr(at, length)).value_or(0);
}

// "Z", "+01:00", "-0530": seconds east of Greenwich.
std::optional<int> zone_of(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const std::string_view rest = text.substr(1);
  if (!has_shape(rest, "dd:dd") && !has_shape(rest, "dddd")) return std::nullopt;
  const int hours = number_at(rest, 0, 2);
  const int minutes = number_at(rest, rest.size() - 2, 2);
  if (hours > 14 || minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

// "2026-11-25T20:00:00.5+01:00"
std::optional<double> iso_8601(const std::string& text) {
  namespace chrono = std::chrono;
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd";
  if (!has_shape(std::string_view(text).substr(0, shape.size()), shape)) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) {
    return number_at(text, at, length);
  };
  const chrono::year_month_day day(chrono::year(number(0, 4)),
                                   chrono::month(static_cast<unsigned>(number(5, 2))),
                                   chrono::day(static_cast<unsigned>(number(8, 2))));
  const int hour = number(11, 2);
  const int minute = number(14, 2);
  const int second = number(17, 2);
  if (!day.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  std::size_t zone_at = shape.size();
  double fraction = 0;
  if (zone_at < text.size() && text[zone_at] == '.') {
    zone_at = text.find_first_not_of("0123456789", shape.size() + 1);
    if (zone_at == std::string::npos || zone_at == shape.size() + 1) return std::nullopt;
    fraction = text::number_of<double>("0" + text.substr(shape.size(), zone_at - shape.size()))
                   .value_or(0);
  }
  const std::optional<int> zone = zone_of(std::string_view(text).substr(zone_at));
  if (!zone) return std::nullopt;
  const auto days = chrono::sys_days(day).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + hour * 3600 + minute * 60 + second - *zone + fraction;
}

std::optional<double> unix_seconds(const std::string& text) {
  const auto seconds = text::number_of<double>(text);
  return seconds && std::isfinite(*seconds) && *seconds >= 0 ? seconds : std::nullopt;
}

}  // namespace

double parse_start_time(std::string_view name, const std::string& text, double now) {
  const auto refuse = [&](const std::string& why) {
    return UsageError(
        fmt::format("{} {}: {}. Expected Unix seconds, as `date +%s -d '+1 minute'` prints them, "
                    "or a time such as 2026-11-25T20:00:00Z",
                    name, text::shown(text), why));
  };
  if (text.starts_with("+")) {
    throw refuse("a relative time is not allowed, because it would differ between hosts");
  }
  std::optional<double> time = unix_seconds(text);
  if (!time) time = iso_8601(text);
  if (!time) throw refuse("the text is not a time with a time zone");
  if (*time < now) {
    throw refuse(fmt::format("by this host's clock, this time passed {} ago",
                             text::length_text(now - *time)));
  }
  if (*time > now + most_ahead_s) throw refuse("more than a week ahead");
  return *time;
}

}  // namespace drover::cli
