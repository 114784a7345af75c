// A chart of one figure over time, made of characters: braille dots (2 x 4 a cell), or a few
// characters of ASCII where there is no more. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ui/terminal/canvas.h"

namespace drover::ui {

struct ChartPoint {
  std::optional<double> value;
  bool faint = false;  // not of the measurement
  bool away = false;   // without a database: marked on the axis
};

struct Chart {
  std::string title;
  std::vector<ChartPoint> points;  // the oldest first; the last is at the right edge
  std::string span;                // of all columns: "5 min"
  Style style = Style::throughput;
};

// How many points fit into an area so wide.
std::size_t chart_points(int columns, bool unicode);

// What a chart of so many points shows of a history with a value a second: one minute, two or five,
// whichever the history fills, and the last five of a longer one.
struct ChartSpan {
  std::size_t seconds_each = 1;  // that a point stands for, or
  std::size_t points_each = 1;   // how many points a second has
  std::string text = {};         // of all points
};
ChartSpan chart_span(std::size_t points, std::size_t history_s);

// Draws into the area: a title, the chart, an axis. Too small an area gets nothing.
void draw_chart(Canvas& canvas, Area area, const Chart& chart);

// The next round figure at or above: 1, 2, 2.5, 4, 5, 8 times a power of ten. 1 for none.
double round_scale(double value);

}  // namespace drover::ui
