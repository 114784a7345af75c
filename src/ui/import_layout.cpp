#include "ui/import_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ui/chart.h"
#include "ui/number_text.h"

namespace drover::ui {
namespace {

constexpr int full_rows_least = 20;
constexpr int full_columns_least = 72;
constexpr int wide_columns_least = 140;
constexpr int table_rows = 10;  // nine tables and the heading

struct Parts {
  bool wide = false;
  int chart_row = 4;
  int chart_rows = 0;  // none: the steps are in its place
  int table_row = 0;
  int steps_row = 0;
  int steps_rows = 0;  // beside the tables, if it is wide
  int log_row = 0;
  int log_rows = 0;
};

Parts divide(int rows, int columns) {
  Parts parts;
  parts.wide = columns >= wide_columns_least;
  const int gap = rows >= 34 ? 1 : 0;
  parts.chart_row = 3 + gap;
  const int rest = rows - 1 - parts.chart_row - table_rows - 2 * gap;
  parts.chart_rows = std::clamp(rest / 2, 4, 14);
  parts.table_row = parts.chart_row + parts.chart_rows + gap;
  // In a narrow screen they take the place of the chart, which is over by then.
  parts.steps_row = parts.wide ? parts.table_row : parts.chart_row;
  parts.steps_rows = parts.wide ? table_rows : parts.chart_rows;
  parts.log_row = parts.table_row + table_rows + gap;
  parts.log_rows = std::max(rows - 1 - parts.log_row, 0);
  return parts;
}

bool is_full(int rows, int columns) {
  return rows >= full_rows_least && columns >= full_columns_least;
}

struct Progress {
  std::string phase;
  double share = 0;
  std::vector<std::string> texts;
};

Progress progress_of(const ImportModel& model) {
  const std::string waited = clock_text(model.in_stage);
  switch (model.stage) {
    case ImportStage::starting:
      return {"connecting", 0, {waited}};
    case ImportStage::waiting:
      return {"waiting for another import to end", 0, {waited}};
    case ImportStage::loading: {
      const ImportLoad& load = model.load;
      const double share = load.rows_total > 0 ? static_cast<double>(load.rows) /
                                                     static_cast<double>(load.rows_total)
                                               : 0;
      const auto left = model.time_left();
      return {model.quitting ? "ending" : "loading",
              share,
              {fmt::format("{} of {}", load.warehouses,
                           counted(static_cast<std::uint64_t>(load.warehouses_total), "warehouse")),
               left ? "about " + clock_text(*left) + " left" : waited}};
    }
    case ImportStage::finishing: {
      const std::size_t done = model.steps_done();
      const double share = model.steps_total > 0
                               ? static_cast<double>(done) / static_cast<double>(model.steps_total)
                               : 0;
      return {model.quitting ? "ending" : "keys, indexes, statistics",
              share,
              {fmt::format("{} of {}", done, counted(model.steps_total, "step")), waited}};
    }
  }
  return {};
}

void draw_progress(const ImportModel& model, Canvas& canvas, int row) {
  const Progress progress = progress_of(model);
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

Phrases figures_phrases(const ImportModel& model) {
  const ImportRate rate = model.rate_of_now();
  return {{{{count_text(rate.rows_per_second), Style::strong}, {" rows/s", Style::normal}}, 0},
          {{{bytes_text(rate.bytes_per_second) + "/s", Style::strong}}, 1},
          {{{fmt::format("in all {} rows, {}", count_text(static_cast<double>(model.load.rows)),
                         bytes_text(static_cast<double>(model.load.bytes))),
             Style::normal}},
           2}};
}

void draw_rates(const ImportModel& model, Canvas& canvas, Area area, ImportChart choice) {
  const std::size_t points = chart_points(area.columns, canvas.unicode());
  const ChartSpan span = chart_span(points, model.rates.size());
  const bool rows = choice == ImportChart::rows;
  Chart chart;
  chart.title = rows ? " rows a second" : " MB a second";
  chart.span = span.text;
  chart.style = rows ? Style::throughput : Style::latency;
  ChartPoint point;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.rates.size(); ++i) {
    const ImportRate& rate = model.rates[i];
    sum += rows ? rate.rows_per_second : rate.bytes_per_second / 1e6;
    if (++count < span.seconds_each && i + 1 < model.rates.size()) continue;
    point.value = sum / static_cast<double>(count);
    chart.points.push_back(point);
    sum = 0;
    count = 0;
  }
  chart.points = stretched(chart.points, span.points_each);
  const std::size_t extra = chart.points.size() - std::min(chart.points.size(), points);
  chart.points.erase(chart.points.begin(),
                     chart.points.begin() + static_cast<std::ptrdiff_t>(extra));
  draw_chart(canvas, area, chart);
}

void draw_tables(const ImportModel& model, Canvas& canvas, Area area) {
  canvas.put(area.row, area.column,
             fmt::format(" {:<11} {:>13} {:>13} {:>5}", "table", "rows", "of", "done"),
             Style::heading, area.columns);
  for (std::size_t i = 0; i < model.load.tables.size(); ++i) {
    const ImportTable& table = model.load.tables[i];
    const int row = area.row + 1 + static_cast<int>(i);
    if (row >= area.row + area.rows) return;
    // The rows of one are an estimate: it may end a little above, or below.
    const bool loaded = model.stage == ImportStage::finishing;
    const double share = loaded                 ? 1
                         : table.rows_total > 0 ? static_cast<double>(table.rows) /
                                                      static_cast<double>(table.rows_total)
                                                : 0;
    const std::string done =
        table.rows_total == 0 ? "-" : fmt::format("{:.0f}%", std::min(share, 1.0) * 100);
    const int end = canvas.put(row, area.column,
                               fmt::format(" {:<11} {:>13} {:>13} {:>5}  ", table.name,
                                           count_text(static_cast<double>(table.rows)),
                                           count_text(static_cast<double>(table.rows_total)), done),
                               Style::normal, area.columns);
    const int bar = std::min(area.column + area.columns - end - 1, 40);
    if (bar >= 8 && table.rows_total > 0) draw_bar(canvas, row, end, bar, share);
  }
}

std::string took_text(coro::Duration took) {
  return fmt::format("{:.1f} s", seconds_of(took));
}

// Those at work, and above them the last that are done, as far as they fit.
void draw_steps(const ImportModel& model, Canvas& canvas, Area area) {
  const std::string heading = model.steps.empty()
                                  ? "keys, indexes and statistics come after the rows"
                                  : fmt::format("keys, indexes and statistics: {} of {} done",
                                                model.steps_done(), model.steps_total);
  canvas.put(area.row, area.column + 1, heading, Style::heading, area.columns - 1);
  std::vector<StyledLine> done;
  std::vector<StyledLine> at_work;
  for (const ImportStep& step : model.steps) {
    StyledLine line = {{fmt::format(" {:<44}", step.name), Style::normal}};
    if (step.took) {
      line.push_back({fmt::format("{:>9}", took_text(*step.took)), Style::normal});
      done.push_back(std::move(line));
    } else {
      line.push_back({fmt::format("{:>9}", took_text(model.now - step.begin)), Style::strong});
      line.push_back({" at work", Style::strong});
      at_work.push_back(std::move(line));
    }
  }
  const int room = std::max(area.rows - 1 - static_cast<int>(at_work.size()), 0);
  if (static_cast<int>(done.size()) > room) done.erase(done.begin(), done.end() - room);
  for (StyledLine& line : at_work) done.push_back(std::move(line));
  draw_lines(canvas, {area.row + 1, area.column, area.rows - 1, area.columns}, done);
}

std::string title_right(const ImportModel& model) {
  std::string text = counted(model.title.connections, "connection") + ", " +
                     counted(model.title.threads, "thread");
  if (model.work.warehouses > 0) {
    text = fmt::format("{}, seed {}, {}",
                       counted(static_cast<std::uint64_t>(model.work.warehouses), "warehouse"),
                       model.work.seed, text);
  }
  return text;
}

void draw_full(const ImportModel& model, Canvas& canvas) {
  const Parts parts = divide(canvas.rows(), canvas.columns());
  draw_title(canvas, "Drover: import into " + model.title.database, title_right(model));
  draw_progress(model, canvas, 1);
  draw_line(canvas, 2, 1, canvas.columns() - 1,
            fitted(figures_phrases(model), canvas.columns() - 1, 3));
  const int half = canvas.columns() / 2;
  const bool finishing = model.stage == ImportStage::finishing;
  if (parts.wide) {
    draw_rates(model, canvas, {parts.chart_row, 1, parts.chart_rows, half - 1}, ImportChart::rows);
    draw_rates(model, canvas, {parts.chart_row, half + 1, parts.chart_rows, half - 2},
               ImportChart::bytes);
    draw_steps(model, canvas, {parts.steps_row, half, parts.steps_rows, half});
  } else if (finishing) {
    draw_steps(model, canvas, {parts.steps_row, 0, parts.steps_rows, canvas.columns()});
  } else {
    draw_rates(model, canvas, {parts.chart_row, 1, parts.chart_rows, canvas.columns() - 2},
               model.chart);
  }
  draw_tables(model, canvas,
              {parts.table_row, 0, table_rows, parts.wide ? half : canvas.columns()});
  draw_log(canvas, {parts.log_row, 1, parts.log_rows, canvas.columns() - 1}, model.log);
  draw_keys(canvas, canvas.rows() - 1, import_keys());
}

std::vector<Phrases> small_lines(const ImportModel& model) {
  const Progress progress = progress_of(model);
  Phrases first = {{{{progress.phase, Style::strong}}}};
  for (const std::string& text : progress.texts) first.push_back({{{text}}, 1});
  Phrases figures = figures_phrases(model);
  figures.pop_back();
  const auto add = [&figures](std::string text) { figures.push_back({{{std::move(text)}}, 2}); };
  add(fmt::format("in all {} rows", count_text(static_cast<double>(model.load.rows))));
  add(bytes_text(static_cast<double>(model.load.bytes)));
  return {std::move(first), std::move(figures)};
}

}  // namespace

std::vector<KeyHelp> import_keys() {
  return {{"q", "end the import now; the same command goes on from there", "end"},
          {"t", "switch the chart: rows, bytes", "chart"},
          {"p", "let the log stand still, or follow again", "pause the log"},
          {"Up Down", "a line of the log", ""},
          {"PgUp PgDn", "a page of the log", "scroll"},
          {"Home End", "its oldest line, its newest", ""},
          {"Ctrl-L", "paint the screen anew", ""},
          {"Ctrl-C", "as q; once more ends it at once", ""},
          {"?", "show or hide this", "help"}};
}

void draw_import(const ImportModel& model, Canvas& canvas) {
  if (is_full(canvas.rows(), canvas.columns())) {
    draw_full(model, canvas);
  } else {
    draw_small(canvas, small_lines(model),
               fmt::format("(more from {} x {} on)", full_columns_least, full_rows_least),
               import_keys(), model.log);
  }
  if (model.help) draw_help(canvas, import_keys());
}

int log_rows_of_import(int rows, int columns) {
  if (!is_full(rows, columns)) return 1;
  return std::max(divide(rows, columns).log_rows - 1, 1);
}

}  // namespace drover::ui
