#include "ui/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/number_text.h"

namespace drover::ui {
namespace {

void draw_box(Canvas& canvas, Area box) {
  const bool unicode = canvas.unicode();
  const int right = box.column + box.columns - 1;
  const int bottom = box.row + box.rows - 1;
  for (const int row : {box.row, bottom}) {
    canvas.fill({row, box.column, 1, box.columns}, unicode ? U'─' : U'-', Style::faint);
  }
  for (const int column : {box.column, right}) {
    canvas.fill({box.row, column, box.rows, 1}, unicode ? U'│' : U'|', Style::faint);
  }
  canvas.put_point(box.row, box.column, unicode ? U'┌' : U'+', Style::faint);
  canvas.put_point(box.row, right, unicode ? U'┐' : U'+', Style::faint);
  canvas.put_point(bottom, box.column, unicode ? U'└' : U'+', Style::faint);
  canvas.put_point(bottom, right, unicode ? U'┘' : U'+', Style::faint);
}

}  // namespace

int draw_line(Canvas& canvas, int row, int column, int width, const StyledLine& line) {
  const int end = column + width;
  for (const Span& span : line) {
    if (column >= end) break;
    column = canvas.put(row, column, span.text, span.style, end - column);
  }
  return column;
}

void draw_lines(Canvas& canvas, Area area, const std::vector<StyledLine>& lines) {
  const int count = std::min(area.rows, static_cast<int>(lines.size()));
  for (int i = 0; i < count; ++i) {
    draw_line(canvas, area.row + i, area.column, area.columns, lines[static_cast<std::size_t>(i)]);
  }
}

// The right one is there if the left one keeps most of its text.
void draw_title(Canvas& canvas, const std::string& left, const std::string& right) {
  constexpr int left_cells_kept = 60;
  canvas.fill({0, 0, 1, canvas.columns()}, U' ', Style::title);
  int room = canvas.columns() - 2;
  const int room_beside = room - cells_of(right) - 3;
  if (room_beside >= std::min(cells_of(left), left_cells_kept)) {
    canvas.put_right(0, canvas.columns() - 1, right, Style::title);
    room = room_beside;
  }
  canvas.put(0, 1, left, Style::title, room);
}

void draw_heading(Canvas& canvas, int row, const std::string& text) {
  canvas.fill({row, 0, 1, canvas.columns()}, canvas.unicode() ? U'─' : U'-', Style::faint);
  canvas.put(row, 2, fmt::format(" {} ", text), Style::heading);
}

void draw_bar(Canvas& canvas, int row, int column, int columns, double share) {
  const double filled = std::clamp(share, 0.0, 1.0) * columns;
  for (int i = 0; i < columns; ++i) {
    const bool full = filled >= i + 1 - 1e-9;
    const bool half = !full && filled >= i + 0.5;
    if (canvas.unicode()) {
      canvas.put_point(row, column + i,
                       full   ? U'█'
                       : half ? U'▌'
                              : U'░',
                       full || half ? Style::throughput : Style::faint);
    } else {
      canvas.put_point(row, column + i, full ? U'#' : half ? U'=' : U'.', Style::normal);
    }
  }
}

void draw_log(Canvas& canvas, Area area, const LogBook& log) {
  if (area.rows < 1) return;
  std::string heading = "log";
  if (!log.following()) {
    heading +=
        fmt::format(", standing still; {} (End: follow)", counted(log.newer(), "newer line"));
  }
  draw_heading(canvas, area.row, heading);
  const auto lines = log.shown(static_cast<std::size_t>(area.rows - 1));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LogLine& line = lines[i];
    const bool warns = line.level == Level::warning;
    const Style style = warns                       ? Style::warning
                        : line.level == Level::good ? Style::good
                                                    : Style::normal;
    // Not by the colour alone.
    draw_line(canvas, area.row + 1 + static_cast<int>(i), area.column, area.columns,
              {{line.time + (warns ? " ! " : "   "), Style::faint}, {line.text, style}});
  }
}

void draw_keys(Canvas& canvas, int row, const std::vector<KeyHelp>& keys) {
  StyledLine line;
  for (const KeyHelp& key : keys) {
    if (key.short_meaning.empty()) continue;
    line.push_back({line.empty() ? " " : "   ", Style::normal});
    line.push_back({key.key, Style::strong});
    line.push_back({" " + key.short_meaning, Style::faint});
  }
  draw_line(canvas, row, 0, canvas.columns(), line);
}

void draw_help(Canvas& canvas, const std::vector<KeyHelp>& keys) {
  int key_cells = 0;
  int cells = 0;
  for (const KeyHelp& key : keys) key_cells = std::max(key_cells, cells_of(key.key));
  for (const KeyHelp& key : keys) cells = std::max(cells, key_cells + 2 + cells_of(key.meaning));
  const Area box{std::max((canvas.rows() - static_cast<int>(keys.size()) - 4) / 2, 0),
                 std::max((canvas.columns() - cells - 6) / 2, 0), static_cast<int>(keys.size()) + 4,
                 cells + 6};
  canvas.fill(box, U' ', Style::normal);
  draw_box(canvas, box);
  canvas.put(box.row, box.column + 2, " keys ", Style::heading);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const int row = box.row + 2 + static_cast<int>(i);
    canvas.put(row, box.column + 3, keys[i].key, Style::strong);
    canvas.put(row, box.column + 5 + key_cells, keys[i].meaning);
  }
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
