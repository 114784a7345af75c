#include "ui/terminal/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "ui/number_text.h"

namespace drover::ui {
namespace {

constexpr int label_columns = 9;  // of the scale, left of the chart
constexpr int rows_least = 4;     // title, two rows, axis
constexpr int columns_least = 20;

// Returns a text of at most eight cells.
std::string scale_text(double value) {
  if (value < 10 && value != std::floor(value)) return fmt::format("{:.3g}", value);
  if (value < 1e6) return count_text(value);
  if (value < 1e9) return fmt::format("{:.3g} M", value / 1e6);
  return fmt::format("{:.1e}", value);
}

// Returns the filled part of the height in `steps`. A value above zero has at least one step.
int steps_of(const ChartPoint& point, double scale, int steps) {
  if (!point.value || !(*point.value > 0)) return 0;
  const double share = std::min(*point.value / scale, 1.0);
  return std::max(static_cast<int>(std::lround(share * steps)), 1);
}

// Returns the dots of one column of a cell, filled from below up to `height` of 4.
char32_t braille_column(int height, bool right) {
  constexpr std::array<char32_t, 5> left_dots = {0, 0x40, 0x44, 0x46, 0x47};
  constexpr std::array<char32_t, 5> right_dots = {0, 0x80, 0xa0, 0xb0, 0xb8};
  const auto i = static_cast<std::size_t>(std::clamp(height, 0, 4));
  return right ? right_dots[i] : left_dots[i];
}

// Returns the last `count` points, after points without a value if there are fewer.
std::vector<ChartPoint> last_points(const std::vector<ChartPoint>& points, int count) {
  std::vector<ChartPoint> last(static_cast<std::size_t>(count), ChartPoint{{}, true});
  const std::size_t shown = std::min(points.size(), last.size());
  std::ranges::copy(std::span(points).last(shown), std::span(last).last(shown).begin());
  return last;
}

void draw_cell(Canvas& canvas, int row, int column, const ChartPoint& left, const ChartPoint& right,
               const Chart& chart, double scale, int rows, int row_from_below) {
  const auto filled = [&](const ChartPoint& point, int per_row) {
    return steps_of(point, scale, rows * per_row) - row_from_below * per_row;
  };
  const Style style = left.faint && right.faint ? Style::faint : chart.style;
  if (!canvas.unicode()) {
    constexpr std::u32string_view marks = U" .:#";
    const auto thirds = static_cast<std::size_t>(std::clamp(filled(right, 3), 0, 3));
    canvas.put_point(row, column, marks[thirds], style);
    return;
  }
  const char32_t dots =
      braille_column(filled(left, 4), false) | braille_column(filled(right, 4), true);
  if (dots != 0) canvas.put_point(row, column, 0x2800 + dots, style);
}

// Draws the line below the chart: the time of its left edge, and marks of outages and stalls.
void draw_axis(Canvas& canvas, Area area, const Chart& chart, std::span<const ChartPoint> points,
               std::size_t per_cell) {
  const char32_t dash = canvas.unicode() ? U'─' : U'-';
  for (int i = 0; i < area.columns; ++i) {
    const auto cell = points.subspan(static_cast<std::size_t>(i) * per_cell, per_cell);
    const bool away = std::ranges::any_of(cell, &ChartPoint::away);
    canvas.put_point(area.row, area.column + i, away ? U'!' : dash,
                     away ? Style::warning : Style::faint);
  }
  canvas.put(area.row, area.column, fmt::format("{} ago ", chart.span), Style::faint);
  canvas.put_right(area.row, area.column + area.columns, " now", Style::faint);
}

}  // namespace

double round_scale(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 2.5, 4.0, 5.0, 8.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

std::size_t chart_points(int columns, bool unicode) {
  const int cells = std::max(columns - label_columns, 1);
  return static_cast<std::size_t>(unicode ? 2 * cells : cells);
}

void draw_chart(Canvas& canvas, Area area, const Chart& chart) {
  if (area.rows < rows_least || area.columns < columns_least) return;
  double most = 0;
  for (const ChartPoint& point : chart.points) most = std::max(most, point.value.value_or(0));
  const double scale = round_scale(most);
  const int left = area.column + label_columns;
  const int columns = area.columns - label_columns;
  const int rows = area.rows - 2;
  const std::size_t per_cell = canvas.unicode() ? 2 : 1;
  const auto points = last_points(chart.points, columns * static_cast<int>(per_cell));

  canvas.put(area.row, area.column, chart.title, Style::heading, area.columns);
  const auto label = [&](int row, double value) {
    canvas.put_right(row, left - 1, scale_text(value), Style::faint);
  };
  label(area.row + 1, scale);
  if (rows >= 5) label(area.row + 1 + rows / 2, scale * (1 - rows / 2 / (rows * 1.0)));
  label(area.row + rows, 0);
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < columns; ++i) {
      const std::size_t first = static_cast<std::size_t>(i) * per_cell;
      draw_cell(canvas, area.row + 1 + row, left + i, points[first], points[first + per_cell - 1],
                chart, scale, rows, rows - 1 - row);
    }
  }
  draw_axis(canvas, {area.row + area.rows - 1, left, 1, columns}, chart, points, per_cell);
}

ChartSpan chart_span(std::size_t points, std::size_t history_s) {
  points = std::max<std::size_t>(points, 1);
  const std::size_t wanted_s = history_s <= 60 ? 60 : history_s <= 120 ? 120 : 300;
  ChartSpan span;
  span.points_each = std::max<std::size_t>(points / wanted_s, 1);
  span.seconds_each = span.points_each > 1 ? 1 : (wanted_s + points - 1) / points;
  span.text = clock_text(std::chrono::seconds(points * span.seconds_each / span.points_each));
  return span;
}

}  // namespace drover::ui
