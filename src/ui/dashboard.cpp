#include "ui/dashboard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::ui {
namespace {

// The size from which a screen has all of its panels.
constexpr int full_rows_least = 20;
constexpr int full_columns_least = 72;

constexpr int chart_rows_least = 4;
constexpr int log_rows_least = 2;

void append(StyledLine& line, const StyledLine& spans, int gap) {
  if (!line.empty()) line.push_back({std::string(static_cast<std::size_t>(gap), ' ')});
  line.insert(line.end(), spans.begin(), spans.end());
}

void draw_box(Canvas& canvas, Area box) {
  const std::u32string_view lines = canvas.unicode() ? U"─│┌┐└┘" : U"-|++++";
  const int right = box.column + box.columns - 1;
  const int bottom = box.row + box.rows - 1;
  for (const int row : {box.row, bottom}) {
    canvas.fill({row, box.column, 1, box.columns}, lines[0], Style::faint);
  }
  for (const int column : {box.column, right}) {
    canvas.fill({box.row, column, box.rows, 1}, lines[1], Style::faint);
  }
  canvas.put_point(box.row, box.column, lines[2], Style::faint);
  canvas.put_point(box.row, right, lines[3], Style::faint);
  canvas.put_point(bottom, box.column, lines[4], Style::faint);
  canvas.put_point(bottom, right, lines[5], Style::faint);
}

// Returns the list of keys and their meanings, wrapped at `width`.
std::vector<StyledLine> help_lines(const std::vector<KeyHelp>& keys, bool brief, int width) {
  constexpr int gap = 2;
  int key_cells = 0;
  for (const KeyHelp& key : keys) {
    if (!brief || !key.short_meaning.empty()) key_cells = std::max(key_cells, cells_of(key.key));
  }
  const auto room = static_cast<std::size_t>(std::max(width - key_cells - gap, 0));
  std::vector<StyledLine> lines;
  for (const KeyHelp& key : keys) {
    std::string name = key.key;
    for (std::string& line : text::wrapped_lines(brief ? key.short_meaning : key.meaning, room)) {
      const int blanks = key_cells + gap - cells_of(name);
      lines.push_back({{std::exchange(name, ""), Style::strong},
                       {std::string(static_cast<std::size_t>(blanks), ' ')},
                       {std::move(line)}});
    }
  }
  return lines;
}

// Returns the width of the first word and of the blanks before it.
int first_word_cells(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return 0;
  return cells_of(text.substr(0, text.find(' ', begin)));
}

void draw_line(Canvas& canvas, int row, int column, int width, const StyledLine& line) {
  const int begin = column;
  const int end = column + width;
  for (const Span& span : line) {
    if (column >= end) break;
    // A few letters of a cut word would say nothing.
    constexpr int stump_least = 16;
    const int room = end - column;
    if (column > begin && room < stump_least && first_word_cells(span.text) >= room &&
        cells_of(span.text) > room) {
      canvas.put(row, column, canvas.unicode() ? " …" : " >", span.style, room);
      return;
    }
    column = canvas.put(row, column, span.text, span.style, end - column);
  }
}

// Returns all phrases, on as many lines as they need.
std::vector<StyledLine> flowed(const Phrases& phrases, int width, int gap) {
  std::vector<StyledLine> lines;
  for (const Phrase& phrase : phrases) {
    const bool beside =
        !lines.empty() && cells_of(lines.back()) + gap + cells_of(phrase.spans) <= width;
    if (!beside) lines.emplace_back();
    append(lines.back(), phrase.spans, gap);
  }
  return lines;
}

// Draws the inverted first line. The right text is shown if the left text keeps most of its cells.
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

// "── text ─────"
void draw_heading(Canvas& canvas, int row, const std::string& text) {
  canvas.fill({row, 0, 1, canvas.columns()}, canvas.unicode() ? U'─' : U'-', Style::faint);
  canvas.put(row, 2, fmt::format(" {} ", text), Style::heading);
}

void draw_log(Canvas& canvas, Area area, const LogBook& log) {
  if (area.rows < 1) return;
  std::string heading = "log";
  if (!log.following()) {
    heading +=
        fmt::format(", paused; {} (End: follow)", text::counted_grouped(log.newer(), "newer line"));
  }
  draw_heading(canvas, area.row, heading);
  const auto lines = log.shown(static_cast<std::size_t>(area.rows - 1));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [line_time, level, text] = lines[i];
    const Style style = level == Level::warning ? Style::warning
                        : level == Level::good  ? Style::good
                                                : Style::normal;
    constexpr int timed_columns_least = 36;  // in a narrower log, times would take half of a line
    const std::string time = area.columns < timed_columns_least ? "" : line_time + " ";
    // The mark tells a warning apart without colours.
    const std::string mark = level == Level::warning ? "! " : "  ";
    draw_line(canvas, area.row + 1 + static_cast<int>(i), area.column, area.columns,
              {{time + mark, Style::faint}, {text, style}});
  }
}

// Draws the keys for which there is room; the first and the last key stay longest.
void draw_keys(Canvas& canvas, int row, const std::vector<KeyHelp>& keys) {
  Phrases phrases;
  for (const KeyHelp& key : keys) {
    if (key.short_meaning.empty()) continue;
    const bool last = &key == &keys.back();
    phrases.push_back({{{key.key, Style::strong}, {" " + key.short_meaning, Style::faint}},
                       last ? 1 : static_cast<int>(phrases.size()) * 2});
  }
  draw_line(canvas, row, 1, canvas.columns() - 1, fitted(phrases, canvas.columns() - 1, 3));
}

// Draws the largest form of the help that fits: in a box with two blanks or one blank at its sides,
// with short meanings, or without a box.
void draw_help(Canvas& canvas, const std::vector<KeyHelp>& keys) {
  for (const auto& [brief, padding] : {std::pair(false, 2), {false, 1}, {true, 1}, {true, 0}}) {
    const int sides = padding > 0 ? 2 * padding + 2 : 0;
    const std::vector<StyledLine> lines = help_lines(keys, brief, canvas.columns() - sides);
    int cells = 0;
    for (const StyledLine& line : lines) cells = std::max(cells, cells_of(line));
    const int rows = static_cast<int>(lines.size()) + 2 * padding;
    const int columns = cells + sides;
    if (padding > 0 && (rows > canvas.rows() || columns > canvas.columns())) continue;
    const Area box{std::max((canvas.rows() - rows) / 2, 0),
                   std::max((canvas.columns() - columns) / 2, 0), rows, columns};
    canvas.fill(padding > 0 ? box : canvas.whole(), U' ', Style::normal);
    if (padding > 0) {
      draw_box(canvas, box);
      canvas.put(box.row, box.column + 2, " keys ", Style::heading);
    }
    draw_lines(canvas, {box.row + padding, box.column + sides / 2, rows, cells}, lines);
    return;
  }
}

// Draws a screen without room for panels: the most important lines, then the log and the keys.
int draw_small(const Dashboard& dashboard, const LogBook& log, Canvas& canvas) {
  constexpr int gap = 2;
  std::vector<Phrases> what = dashboard.small;
  Phrases& progress = *what.insert(what.begin(), Phrases());
  progress.push_back({{{dashboard.progress.phase, Style::strong}}});
  for (const std::string& text : dashboard.progress.texts) {
    progress.push_back(plain_phrase(text, 1));
  }
  std::vector<StyledLine> lines;
  for (const Phrases& phrases : what) {
    std::ranges::move(flowed(phrases, canvas.columns(), gap), std::back_inserter(lines));
  }
  if (static_cast<int>(lines.size()) > canvas.rows()) {
    lines.clear();
    for (const Phrases& phrases : what) lines.push_back(fitted(phrases, canvas.columns(), gap));
  }
  draw_lines(canvas, canvas.whole(), lines);
  const int row = static_cast<int>(lines.size());
  int rest = canvas.rows() - row;
  if (rest < 1) return 1;
  draw_keys(canvas, canvas.rows() - 1, dashboard.keys);
  --rest;
  const std::string hint =
      fmt::format("(more at {} x {} or larger)", full_columns_least, full_rows_least);
  if (rest >= 1 && cells_of(hint) <= canvas.columns()) {
    canvas.put(row, 0, hint, Style::faint);
    --rest;
  }
  if (rest >= log_rows_least) {
    draw_log(canvas, {canvas.rows() - 1 - rest, 0, rest, canvas.columns()}, log);
  }
  return 1;
}

void draw_progress(const Progress& progress, Canvas& canvas, int row) {
  const std::string text = fmt::format("{}", fmt::join(progress.texts, ", "));
  const int begin = canvas.put(row, 1, progress.phase, Style::strong) + 2;
  const int bar = std::min(canvas.columns() - begin - cells_of(text) - 3, 100);
  if (bar < 8) {
    canvas.put(row, begin, text);
    return;
  }
  draw_bar(canvas, row, begin, bar, progress.share);
  canvas.put(row, begin + bar + 2, text);
}

// Divides the rows between the figures and the keys among charts, table, side panel and log.
int draw_full(const Viewer& viewer, const Dashboard& dashboard, Canvas& canvas) {
  const int rows = canvas.rows();
  const int columns = canvas.columns();
  const bool wide = columns >= wide_columns_least;
  const int gap = rows >= 34 ? 1 : 0;
  const int top = 3 + gap;
  const int side_rows = wide ? 0 : dashboard.side_rows;
  const int rest = rows - 1 - top - side_rows - (side_rows > 0 ? 2 : 1) * gap;
  const int table_rows = std::min(dashboard.table_rows, rest - chart_rows_least - log_rows_least);
  const int chart_rows =
      std::clamp((rest - table_rows) * dashboard.chart_percent / 100, chart_rows_least, 14);

  draw_title(canvas, dashboard.title, dashboard.title_right);
  draw_progress(dashboard.progress, canvas, 1);
  draw_line(canvas, 2, 1, columns - 1, fitted(dashboard.figures, columns - 1, 3));
  const bool both = wide && viewer.charts == ChartChoice::both && dashboard.charts.size() > 1;
  const int half = columns / 2;
  Area chart{top, 1, chart_rows, both ? half - 1 : columns - 2};
  if (viewer.charts != ChartChoice::second) dashboard.charts.front()(canvas, chart);
  if (both) chart.column = half + 1;
  if (both || viewer.charts == ChartChoice::second) dashboard.charts.back()(canvas, chart);

  Area table{top + chart_rows + gap, 0, table_rows, columns};
  if (wide) table.columns = std::max(dashboard.table_columns_least, half);
  dashboard.table(canvas, table);
  int log_row = table.row + table_rows + gap;
  if (wide) {
    dashboard.side(canvas, {table.row, table.columns, table_rows, columns - table.columns});
  } else if (side_rows > 0) {
    dashboard.side(canvas, {log_row, 0, side_rows, columns});
    log_row += side_rows + gap;
  }
  draw_log(canvas, {log_row, 1, rows - 1 - log_row, columns - 1}, viewer.log);
  draw_keys(canvas, rows - 1, dashboard.keys);
  return std::max(rows - 2 - log_row, 1);
}

}  // namespace

int cells_of(const StyledLine& line) {
  int cells = 0;
  for (const Span& span : line) cells += cells_of(span.text);
  return cells;
}

Phrase plain_phrase(std::string text, int rank) {
  return {{{std::move(text)}}, rank};
}

StyledLine fitted(Phrases phrases, int width, int gap) {
  for (;;) {
    StyledLine line;
    for (const Phrase& phrase : phrases) append(line, phrase.spans, gap);
    if (phrases.size() < 2 || cells_of(line) <= width) return line;
    const auto least =
        std::max_element(phrases.rbegin(), phrases.rend(),
                         [](const Phrase& a, const Phrase& b) { return a.rank < b.rank; });
    phrases.erase(std::next(least).base());
  }
}

void draw_lines(Canvas& canvas, Area area, const std::vector<StyledLine>& lines) {
  const int count = std::min(area.rows, static_cast<int>(lines.size()));
  for (int i = 0; i < count; ++i) {
    draw_line(canvas, area.row + i, area.column, area.columns, lines[static_cast<std::size_t>(i)]);
  }
}

void draw_bar(Canvas& canvas, int row, int column, int columns, double share) {
  const double filled = std::clamp(share, 0.0, 1.0) * columns;
  for (int i = 0; i < columns; ++i) {
    const bool full = filled >= i + 1 - 1e-9;
    const bool half = !full && filled >= i + 0.5;
    const std::u32string_view marks = canvas.unicode() ? U"█▌░" : U"#=.";
    const Style style = !canvas.unicode() ? Style::normal
                        : full || half    ? Style::throughput
                                          : Style::faint;
    canvas.put_point(row, column + i, marks[full ? 0 : half ? 1 : 2], style);
  }
}

ChartChoice next_charts(ChartChoice charts, int columns) {
  const bool wide = columns >= wide_columns_least;
  if (charts == ChartChoice::second) return wide ? ChartChoice::both : ChartChoice::first;
  return charts == ChartChoice::both && wide ? ChartChoice::first : ChartChoice::second;
}

void Viewer::take_key(Key key, std::size_t page, int columns) {
  if (std::exchange(help, false)) return;  // any key hides the help
  const auto step = static_cast<std::int64_t>(std::max<std::size_t>(page, 2) - 1);
  const std::map<Key, std::int64_t> scrolling = {
      {Key::up, 1},
      {Key::down, -1},
      {Key::page_up, step},
      {Key::page_down, -step},
      {Key::home, static_cast<std::int64_t>(log.size())}};
  if (const auto lines = scrolling.find(key); lines != scrolling.end()) {
    log.scroll(lines->second, page);
  }
  if (key == Key::end) log.follow();
  if (key == Key::pause) log.pause_or_follow();
  if (key == Key::help) help = true;
  if (key == Key::charts) charts = next_charts(charts, columns);
}

std::vector<KeyHelp> screen_keys(KeyHelp quit, KeyHelp charts, KeyHelp interrupt) {
  return {std::move(quit),
          std::move(charts),
          {"p", "pause the log, or follow it again", "pause the log"},
          {"Up Down", "scroll the log by a line", ""},
          {"PgUp PgDn", "scroll the log by a page", "scroll"},
          {"Home End", "go to the oldest or the newest line", ""},
          {"Ctrl-L", "repaint the screen", ""},
          std::move(interrupt),
          {"?", "show or hide this help", "help"}};
}

int draw_dashboard(const Viewer& viewer, const Dashboard& dashboard, Canvas& canvas) {
  const bool full = canvas.rows() >= full_rows_least && canvas.columns() >= full_columns_least;
  const int page =
      full ? draw_full(viewer, dashboard, canvas) : draw_small(dashboard, viewer.log, canvas);
  if (viewer.help) draw_help(canvas, dashboard.keys);
  return page;
}

}  // namespace drover::ui
