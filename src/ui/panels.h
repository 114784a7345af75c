// What the screens of a run and of an import have in common: lines of styled text, a bar, the log,
// the keys, the help. Draw on a canvas and nothing else; any thread.
#pragma once

#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/log_book.h"
#include "ui/phrases.h"

namespace drover::ui {

// One after another from the left, cut at `width`. Returns the column behind.
int draw_line(Canvas& canvas, int row, int column, int width, const StyledLine& line);

// As many as fit, from above.
void draw_lines(Canvas& canvas, Area area, const std::vector<StyledLine>& lines);

// The first line of a screen: inverted, a text at either side.
void draw_title(Canvas& canvas, const std::string& left, const std::string& right);

// "── text ─────"
void draw_heading(Canvas& canvas, int row, const std::string& text);

// How far something is, from 0 to 1.
void draw_bar(Canvas& canvas, int row, int column, int columns, double share);

// A heading, which says whether the log stands still, and the lines of its view.
void draw_log(Canvas& canvas, Area area, const LogBook& log);

struct KeyHelp {
  std::string key;
  std::string meaning;
  std::string short_meaning;  // for the last line of the screen; empty: not there
};

// The first of them and the last stay, whatever there is room for.
void draw_keys(Canvas& canvas, int row, const std::vector<KeyHelp>& keys);

// A box with all keys; where there is no room for it, with the short meanings; else without a box.
void draw_help(Canvas& canvas, const std::vector<KeyHelp>& keys);

// A screen that is too small for charts and tables: what matters, a line each or as many as it
// takes; then, as far as there are rows, the keys and the log. `hint` says which size has more.
void draw_small(Canvas& canvas, const std::vector<Phrases>& what, const std::string& hint,
                const std::vector<KeyHelp>& keys, const LogBook& log);

// What a chart of so many points shows of a history with a value a second: one minute, two or five,
// whichever the history fills, and the last five of a longer one.
struct ChartSpan {
  std::size_t seconds_each = 1;  // that a point stands for, or
  std::size_t points_each = 1;   // how many points a second has
  std::string text;              // of all points
};
ChartSpan chart_span(std::size_t points, std::size_t history_s);

}  // namespace drover::ui
