// What the screens of a run and of an import have in common: the frame of a title, how far the work
// is, the log and the keys; how a person looks at it; and what a screen is drawn with: lines of
// styled text, a bar. One thread.
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

// Phrases are shown whole or not at all, so that a line that is too narrow for all of them loses the
// least important ones, and never a word or the digits of a number.
struct Phrase {
  StyledLine spans;
  int rank = 0;  // the highest is left out first; of equals the last
};
using Phrases = std::vector<Phrase>;

Phrase plain_phrase(std::string text, int rank = 0);

// Those for which there is room, at least one, with `gap` blanks between.
StyledLine fitted(Phrases phrases, int width, int gap);

// As many as fit, from above; each from the left, cut at the width.
void draw_lines(Canvas& canvas, Area area, const std::vector<StyledLine>& lines);

// How far something is, from 0 to 1.
void draw_bar(Canvas& canvas, int row, int column, int columns, double share);

struct KeyHelp {
  std::string key;
  std::string meaning;
  std::string short_meaning;  // for the last line of the screen; empty: not there
};

// The keys of a screen, of which these are its own.
std::vector<KeyHelp> screen_keys(KeyHelp quit, KeyHelp charts, KeyHelp interrupt);

// How a person looks at a screen, and which keys change it.
struct Viewer {
  LogBook log;
  bool help = false;      // the keys are shown
  bool quitting = false;  // the end was asked for

  // Whether the key was one of those that every screen has. `page`: the lines of the log that are
  // visible. The end is asked for by the screen itself, the keys hide at any other key.
  bool take_key(Key key, std::size_t page);
};

// What is going on, and how far it is.
struct Progress {
  std::string phase;  // "measuring"
  double share = 0;
  std::vector<std::string> texts;  // how long it took, how long still
};

// From so many columns on a screen has some of its parts side by side.
inline constexpr int wide_columns_least = 140;

struct Frame {
  std::string title;
  std::string title_right;
  Progress progress;
  Phrases figures;
  std::vector<KeyHelp> keys;
  int log_row = 0;
};

// The frame with its parts if there is room, else what matters most, a line each or as many as it
// takes; the help above it.
void draw_screen(const Viewer& viewer, Canvas& canvas, const Frame& frame,
                 const std::function<void()>& draw_parts,
                 const std::function<std::vector<Phrases>()>& small_lines);

// The lines of the log that are visible at this size: what a page is.
int log_page(int rows, int columns, int log_row);

}  // namespace drover::ui
