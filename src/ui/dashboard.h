// The dashboard: the layout that the live screens of runs and imports share. A screen describes its
// panels, and draw_dashboard() places them. For one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ui/log_book.h"
#include "ui/terminal/canvas.h"
#include "ui/terminal/terminal.h"

namespace drover::ui {

struct Span {
  std::string text;
  Style style = Style::normal;
};
using StyledLine = std::vector<Span>;

int cells_of(const StyledLine& line);

// Part of a line that is shown whole or not at all. A line that is too narrow loses the phrase with
// the highest rank first, and of equal ranks the last one.
struct Phrase {
  StyledLine spans;
  int rank = 0;
};
using Phrases = std::vector<Phrase>;

Phrase plain_phrase(std::string text, int rank = 0);

// Returns the phrases that fit into `width`, at least one, with `gap` blanks between them.
StyledLine fitted(Phrases phrases, int width, int gap);

// Draws the lines that fit into the area, from the top, each cut at the area's width.
void draw_lines(Canvas& canvas, Area area, const std::vector<StyledLine>& lines);

// Draws a bar that is filled to `share` (0 to 1).
void draw_bar(Canvas& canvas, int row, int column, int columns, double share);

struct KeyHelp {
  std::string key;
  std::string meaning;
  std::string short_meaning;  // for the last line of the screen; empty: not shown there
};

// Returns the keys of every screen, among them three whose meaning the screen names.
std::vector<KeyHelp> screen_keys(KeyHelp quit, KeyHelp charts, KeyHelp interrupt);

// From this width on, panels are side by side.
inline constexpr int wide_columns_least = 140;

// The charts that are shown. A narrow screen shows the first chart instead of both.
enum class ChartChoice : std::uint8_t { both, first, second };

// Returns the choice that the key t changes `charts` to.
ChartChoice next_charts(ChartChoice charts, int columns);

// The state of a screen that its user changes by keys.
struct Viewer {
  LogBook log;
  ChartChoice charts = ChartChoice::both;
  bool help = false;      // the keys are shown
  bool quitting = false;  // the user has pressed q

  // Carries out a key, except `quit`. `page`: visible lines of the log. `columns`: screen width.
  void take_key(Key key, std::size_t page, int columns);
};

struct Progress {
  std::string phase;  // "measuring"
  double share = 0;
  std::vector<std::string> texts;  // elapsed and remaining time or work
};

using Panel = std::function<void(Canvas& canvas, Area area)>;

// The content of a dashboard.
struct Dashboard {
  std::string title;
  std::string title_right;
  Progress progress;
  Phrases figures;            // the line below the progress
  std::vector<Panel> charts;  // one or two
  int chart_percent = 60;     // of the rows that charts and log share
  Panel table;
  int table_rows = 0;
  int table_columns_least = 0;  // in a wide screen
  Panel side;                   // beside the table in a wide screen, else below it
  int side_rows = 0;            // below the table; 0: only a wide screen has the panel
  std::vector<Phrases> small;   // the most important lines, for a screen without room for panels
  std::vector<KeyHelp> keys;
};

// Draws all parts from 72 x 20 on, and the most important lines on a smaller canvas. Returns the
// number of visible lines of the log.
int draw_dashboard(const Viewer& viewer, const Dashboard& dashboard, Canvas& canvas);

}  // namespace drover::ui
