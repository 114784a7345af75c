#include "report/model/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr double smallest_of_logarithm = 1e-9;
constexpr double day_s = 86'400;
constexpr double tolerance = 1e-9;

double positive(double value) {
  return std::isfinite(value) ? std::max(value, smallest_of_logarithm) : smallest_of_logarithm;
}

std::string label_of(double value, Quantity quantity) {
  if (quantity == Quantity::milliseconds) return milliseconds_label(value);
  return quantity == Quantity::share ? fmt::format("{:g}%", value * 100) : number_label(value);
}

// Returns the next 1, 2 or 5 times a power of ten.
double round_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power * (1 + tolerance)) return factor * power;
  }
  return 10 * power;
}

double round_down(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + tolerance));
  for (const double factor : {5.0, 2.0}) {
    if (value >= factor * power * (1 - tolerance)) return factor * power;
  }
  return power;
}

// Returns three significant digits, without zeros at the end.
std::string three_digits(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace

Scale Scale::linear(double low, double high) {
  if (!std::isfinite(low)) low = 0;
  if (!std::isfinite(high)) high = low;
  const double least = std::max(1e-9, std::abs(low) * 1e-9);
  return {low, std::max(high, low + least), false};
}

Scale Scale::logarithmic(double low, double high) {
  low = positive(low);
  return {low, std::max(positive(high), low * 1.001), true};
}

double Scale::position(double value) const {
  if (!std::isfinite(value)) return 0;
  const double share = logarithmic_ ? std::log(positive(value) / low_) / std::log(high_ / low_)
                                    : (value - low_) / (high_ - low_);
  return std::clamp(share, 0.0, 1.0);
}

Axis axis_from_zero(double highest, Quantity quantity, std::size_t intervals_max) {
  if (!std::isfinite(highest) || highest <= 0) highest = quantity == Quantity::share ? 0.01 : 1;
  double step = round_up(highest / static_cast<double>(intervals_max));
  // Counts have no halves.
  if (quantity == Quantity::number) step = std::max(step, 1.0);
  const double intervals = std::max(1.0, std::ceil(highest / step * (1 - tolerance)));
  Axis axis{Scale::linear(0, intervals * step), {}};
  for (double i = 0; i <= intervals; ++i) {
    axis.ticks.push_back({i * step, label_of(i * step, quantity)});
  }
  return axis;
}

Axis logarithmic_axis(double lowest, double highest, Quantity quantity) {
  if (!std::isfinite(highest) || highest <= 0) highest = 1;
  if (!std::isfinite(lowest) || lowest <= 0 || lowest > highest) lowest = highest;
  double low = round_down(positive(lowest));
  double high = round_up(positive(highest));
  if (high / low < 4) {
    low = round_down(low * 0.999);
    high = round_up(high * 1.001);
  }
  Axis axis{Scale::logarithmic(low, high), {}};
  const double decades = std::log10(high / low);
  // A hostile document has eighteen decades.
  const double decades_each = std::max(1.0, std::ceil(decades / 6));
  double decade = std::floor(std::log10(low) + tolerance);
  for (; decade <= std::log10(high) + tolerance; decade += decades_each) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, decade);
      const bool power = factor == 1.0;
      const bool within = value >= low * (1 - tolerance) && value <= high * (1 + tolerance);
      // A long range shows the powers of ten, and the ends unless they are next to a power.
      const bool low_end = value <= low * (1 + tolerance) && factor < 5;
      const bool high_end = value >= high * (1 - tolerance) && factor > 2;
      if (within && (power || decades <= 2.2 || (decades < 5.5 && (low_end || high_end)))) {
        axis.ticks.push_back({value, label_of(value, quantity), !power && decades <= 2.2});
      }
    }
  }
  return axis;
}

double round_step_s(double seconds_least) {
  static constexpr std::array<double, 24> steps = {
      0.1, 0.2, 0.5, 1,    2,    5,    10,   15,    20,    30,    60,    120,
      300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200, day_s, 2 * day_s};
  for (const double step : steps) {
    if (step >= seconds_least * (1 - tolerance)) return step;
  }
  return round_up(seconds_least / day_s) * day_s;
}

std::vector<Tick> time_ticks(double low_s, double high_s, std::size_t count_max) {
  std::vector<Tick> ticks;
  if (!std::isfinite(low_s) || !std::isfinite(high_s) || high_s < low_s || count_max < 2) {
    return ticks;
  }
  const double step =
      std::max(1.0, round_step_s((high_s - low_s) / static_cast<double>(count_max - 1)));
  const double last = std::floor(high_s / step + tolerance);
  for (double i = std::ceil(low_s / step - tolerance); i <= last; ++i) {
    ticks.push_back({i * step, time_label(i * step), std::fmod(std::abs(i), 2) != 0});
  }
  return ticks;
}

std::string number_label(double value) {
  if (!std::isfinite(value)) return "?";
  if (value < 0) return "-" + number_label(-value);
  if (value < 99.95) return fmt::format("{:.3g}", value);
  if (value < 99'999.5) return text::grouped(static_cast<std::uint64_t>(std::llround(value)));
  for (const auto& [factor, suffix] : {std::pair(1e3, "k"), {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}) {
    if (value < factor * 999.5) return three_digits(value / factor) + suffix;
  }
  return fmt::format("{:.2g}", value);
}

std::string milliseconds_label(double ms) {
  if (!std::isfinite(ms)) return "?";
  if (ms <= 0) return "0 ms";
  if (ms < 0.0009995) return fmt::format("{} ns", three_digits(ms * 1e6));
  if (ms < 0.09995) return fmt::format("{} µs", three_digits(ms * 1e3));
  if (ms < 999.5) return fmt::format("{} ms", three_digits(ms));
  const double seconds = ms / 1000;
  if (seconds < 119.5) return fmt::format("{} s", three_digits(seconds));
  if (seconds < 7'170) return fmt::format("{} min", three_digits(seconds / 60));
  return fmt::format("{} h", number_label(seconds / 3'600));
}

std::string number_text(double value) {
  const double size = std::abs(value);
  if (size >= 999.95 || (size == std::floor(size) && size < 1e15)) {
    return fmt::format("{:.0f}", value);
  }
  if (size >= 99.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string time_label(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 0) return "-" + time_label(-seconds);
  constexpr double shown_in_days_s = 10 * day_s;
  if (seconds >= shown_in_days_s) return number_label(seconds / day_s) + " d";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3'600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3'600, whole / 60 % 60, whole % 60);
}

}  // namespace drover::report
