#include "ui/run_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "ui/chart.h"
#include "ui/number_text.h"

namespace drover::ui {
namespace {

constexpr int full_rows_least = 20;
constexpr int full_columns_least = 72;
constexpr int wide_columns_least = 140;
constexpr int table_columns = 85;  // of the transactions, in a wide screen

// Which rows are whose.
struct Parts {
  bool wide = false;
  bool airy = false;  // with empty lines between
  int chart_row = 0;
  int chart_rows = 0;
  int table_row = 0;
  int table_rows = 0;  // transactions; beside them, if it is wide, the client
  int client_row = 0;
  int client_rows = 0;
  int log_row = 0;
  int log_rows = 0;  // with its heading
};

int worker_rows(const RunModel& model, int most) {
  const int workers = model.figures ? static_cast<int>(model.figures->workers.size())
                                    : static_cast<int>(model.plan.threads);
  return std::clamp(workers, 1, most);
}

// Title, phase and figures above, the keys below; between them charts, tables and the log share.
Parts divide(const RunModel& model, int rows, int columns) {
  Parts parts;
  // Five, their heading, and their sum where there is room.
  const int transactions = rows >= 30 ? 7 : 6;
  parts.wide = columns >= wide_columns_least;
  parts.airy = rows >= 34;
  const int gap = parts.airy ? 1 : 0;
  const int top = 3 + gap;
  parts.table_rows = transactions;
  parts.client_rows = 3;
  if (parts.wide) {
    parts.table_rows = std::max(transactions, 5 + worker_rows(model, rows >= 40 ? 8 : 2));
    parts.client_rows = 0;
  } else if (rows >= 30) {
    parts.client_rows = 3 + worker_rows(model, rows >= 40 ? 8 : 3);
  }
  const int tables = parts.table_rows + parts.client_rows + (parts.client_rows > 0 ? 2 : 1) * gap;
  const int rest = rows - 1 - top - tables;  // for charts and log
  parts.chart_rows = std::clamp(rest * 3 / 5, 4, 14);
  parts.chart_row = top;
  parts.table_row = top + parts.chart_rows + gap;
  parts.client_row = parts.table_row + parts.table_rows + gap;
  const int client_end = parts.client_rows > 0 ? parts.client_row + parts.client_rows
                                               : parts.table_row + parts.table_rows;
  parts.log_row = client_end + (parts.client_rows > 0 || parts.airy ? gap : 0);
  parts.log_rows = std::max(rows - 1 - parts.log_row, 0);
  return parts;
}

bool is_full(int rows, int columns) {
  return rows >= full_rows_least && columns >= full_columns_least;
}

std::string share_text(double share) {
  return fmt::format("{:.0f}%", share * 100);
}

// "measuring", how far, how long still.
struct Progress {
  std::string phase;
  double share = 0;
  std::vector<std::string> times;
};

Progress progress_of(const RunModel& model) {
  const load::Plan& plan = model.plan;
  const std::string waited = clock_text(model.in_stage);
  if (model.stage == RunStage::asking) {
    if (model.database_away) {
      return {"waiting for the database", 1, {waited, "Ctrl-C ends the wait"}};
    }
    return {"asking the database", 1, {waited, "what it holds of this run"}};
  }
  if (model.stage == RunStage::opening) {
    Progress opening{"opening connections", 0, {waited}};
    if (plan.connections > 0) opening.times.push_back(counted(plan.connections, "connection"));
    return opening;
  }
  const bool measuring = model.figures && model.figures->phase != load::Phase::warmup;
  const bool warming = !measuring && plan.warmup > coro::Duration::zero();
  const coro::Duration elapsed = model.figures ? model.figures->elapsed : coro::Duration::zero();
  const coro::Duration done = warming ? elapsed : elapsed - plan.warmup;
  const coro::Duration whole = warming ? plan.warmup : plan.duration;
  const double share = whole.count() > 0 ? seconds_of(done) / seconds_of(whole) : 1;
  std::string left = clock_text(plan.warmup + plan.duration - elapsed);
  return {model.quitting ? "ending"
          : warming      ? "warm-up"
                         : "measuring",
          share,
          {fmt::format("{} of {}", clock_text(done), clock_text(whole)), left + " left"}};
}

void draw_progress(const RunModel& model, Canvas& canvas, int row) {
  const Progress progress = progress_of(model);
  const std::string time = fmt::format("{}", fmt::join(progress.times, ", "));
  const int time_columns = cells_of(time) + 2;
  const int begin = canvas.put(row, 1, progress.phase, Style::strong) + 2;
  const int bar = std::min(canvas.columns() - begin - time_columns - 1, 100);
  if (bar < 8) {
    canvas.put(row, begin, time);
    return;
  }
  draw_bar(canvas, row, begin, bar, progress.share);
  canvas.put(row, begin + bar + 2, time);
}

Phrase figure_phrase(const char* before, std::string figure, const char* after, int rank) {
  return {{{before, Style::normal}, {std::move(figure), Style::strong}, {after, Style::normal}},
          rank};
}

Phrases tpmc_phrases(const RunFigures& figures) {
  Phrases phrases = {figure_phrase("tpmC ", count_text(figures.tpmc_now), " now", 0)};
  if (!figures.tpmc_measured) return phrases;
  phrases.push_back(figure_phrase("", count_text(*figures.tpmc_measured), " measured", 2));
  return phrases;
}

Phrases rate_phrases(const RunFigures& figures) {
  return {figure_phrase("", rate_text(figures.transactions_per_second), " tx/s", 3),
          figure_phrase("p90 ", latency_text(figures.p90_ms), " ms", 1)};
}

Phrases figures_phrases(const RunFigures& figures) {
  Phrases phrases = tpmc_phrases(figures);
  if (figures.efficiency) {
    phrases.push_back(
        figure_phrase("efficiency ", fmt::format("{:.1f}%", *figures.efficiency), "", 4));
  }
  for (Phrase& phrase : rate_phrases(figures)) phrases.push_back(std::move(phrase));
  return phrases;
}

void draw_charts(const RunModel& model, Canvas& canvas, const Parts& parts) {
  const bool both = parts.wide && model.charts == ChartChoice::both;
  const int width = both ? canvas.columns() / 2 - 1 : canvas.columns() - 2;
  const std::size_t points = chart_points(width, canvas.unicode());
  const ChartSpan span = chart_span(points, model.history.size());
  const auto draw = [&](bool throughput, int column) {
    Chart chart;
    chart.span = span.text;
    if (throughput) {
      chart.title = " tpmC";
      chart.points =
          stretched(model.history.tpmc_points(points, span.seconds_each), span.points_each);
    } else {
      chart.title = " p90 of all transactions, ms";
      chart.points =
          stretched(model.history.p90_points(points, span.seconds_each), span.points_each);
      chart.style = Style::latency;
    }
    draw_chart(canvas, {parts.chart_row, column, parts.chart_rows, width}, chart);
  };
  if (both || model.charts != ChartChoice::latency) draw(true, 1);
  if (both) draw(false, canvas.columns() / 2 + 1);
  if (!both && model.charts == ChartChoice::latency) draw(false, 1);
}

// A row of the table of transactions; in a narrow screen without its retries.
std::string row_text(Area area, const std::array<std::string, 8>& cells) {
  constexpr int columns_with_retries = 80;
  std::string text = fmt::format(" {:<11} {:>8} {:>10} {:>8} {:>8} {:>8}", cells[0], cells[1],
                                 cells[2], cells[3], cells[4], cells[5]);
  if (area.columns >= columns_with_retries) text += fmt::format(" {:>7}", cells[6]);
  return text + fmt::format(" {:>6}  ", cells[7]);
}

void draw_transaction(Canvas& canvas, Area area, const TransactionFigures& one) {
  const auto latency = [&](double ms) {
    return one.committed > 0 ? milliseconds_text(ms) : std::string("-");
  };
  constexpr int verdict_columns = 4;
  const int end = canvas.put(
      area.row, area.column,
      row_text(area, {std::string(one.name), rate_text(one.per_second), count_text(one.committed),
                      latency(one.p50_ms), latency(one.p90_ms), latency(one.p99_ms),
                      count_text(one.retries), count_text(one.errors)}),
      Style::normal, area.columns - verdict_columns);
  const std::string verdict = !one.holds ? "-" : *one.holds ? "ok" : "OVER";
  const Style style = !one.holds ? Style::normal : *one.holds ? Style::good : Style::warning;
  const bool room = area.columns >= table_columns && one.limit_s > 0;
  canvas.put(area.row, end, verdict + (room ? fmt::format(" {:g} s", one.limit_s) : ""), style,
             area.column + area.columns - end);
}

void draw_transactions(const RunModel& model, Canvas& canvas, Area area) {
  canvas.put(area.row, area.column,
             row_text(area, {"transaction", "ok/s", "ok", "p50 ms", "p90 ms", "p99 ms", "retries",
                             "errors"}) +
                 (area.columns >= table_columns ? "limit" : "p90"),
             Style::heading, area.columns);
  for (int i = 0; i < static_cast<int>(tpcc::transaction_type_count); ++i) {
    const auto type = static_cast<std::size_t>(i);
    if (model.figures) {
      draw_transaction(canvas, {area.row + 1 + i, area.column, 1, area.columns},
                       model.figures->transactions[type]);
    } else {
      canvas.put(area.row + 1 + i, area.column + 1,
                 tpcc::transaction_name(tpcc::all_transaction_types[type]));
    }
  }
  constexpr int rows_with_sum = 7;
  if (model.figures && area.rows >= rows_with_sum) {
    draw_transaction(canvas, {area.row + rows_with_sum - 1, area.column, 1, area.columns},
                     model.figures->all);
  }
}

StyledLine connections_line(const RunModel& model, const RunFigures& figures, int columns) {
  if (model.plan.connections == 0)
    return {{" no database: transactions are simulated", Style::normal}};
  StyledLine line = {
      {" connections ", Style::normal},
      {fmt::format("{} of {} open", figures.connections_open, figures.connections),
       figures.connections_open < figures.connections ? Style::warning : Style::normal}};
  if (figures.away > coro::Duration::zero()) {
    line.push_back(
        {fmt::format("   DATABASE AWAY for {:.1f} s", seconds_of(figures.away)), Style::warning});
    if (!figures.outages.empty())
      line.push_back({"  " + figures.outages.front().error, Style::normal});
    return line;
  }
  if (figures.silent > coro::Duration::zero()) {
    line.push_back(
        {fmt::format("   NO ANSWER for {:.1f} s", seconds_of(figures.silent)), Style::warning});
    return line;
  }
  if (figures.stall_count > 0) {
    line.push_back({"   " + counted(figures.stall_count, "stall"), Style::normal});
  }
  const int room = columns - cells_of(line);
  std::string text = "   no outages";
  if (!figures.outages.empty()) {
    const OutageFigures& last = figures.outages.front();
    const std::string count = "   " + counted(figures.outage_count, "outage");
    const std::string ago = clock_text(last.ended_ago) + " ago";
    text = fmt::format("{}, the last one of {:.1f} s, {}", count, seconds_of(last.lasted), ago);
    if (cells_of(text) > room) text = fmt::format("{}, the last {}", count, ago);
    if (cells_of(text) > room) text = count;
  }
  line.push_back({std::move(text), Style::normal});
  return line;
}

Phrase plain_phrase(std::string text, int rank = 0) {
  return {{{std::move(text), Style::normal}}, rank};
}

Phrases waiting_phrases(const RunFigures& figures) {
  return {plain_phrase(fmt::format("{} in flight, {} waiting", count_text(figures.in_flight),
                                   count_text(figures.waiting)),
                       1)};
}

// Of the workers as many as there are rows: the busiest first, and a line for the rest.
std::vector<StyledLine> client_lines(const RunModel& model, int rows, int columns) {
  if (!model.figures) return {};
  const RunFigures& figures = *model.figures;
  std::vector<StyledLine> lines;
  const int workers = static_cast<int>(figures.workers.size());
  const int room = rows - 3;  // without the heading, connections and the process
  const Style busy = figures.busiest_load > RunEvents::load_most ? Style::warning : Style::normal;
  if (room < 1) {
    Phrases phrases = waiting_phrases(figures);
    const std::string all = counted(static_cast<std::uint64_t>(workers), "worker");
    phrases.insert(phrases.begin(), {{{" " + all + ", the busiest at ", Style::normal},
                                      {share_text(figures.busiest_load), busy}}});
    phrases.push_back(
        plain_phrase(fmt::format("timer lag p99 {} ms", milliseconds_text(figures.lag_p99_ms)), 2));
    lines.push_back(fitted(std::move(phrases), columns, 3));
  } else {
    lines.push_back({{fmt::format(" {:<9}{:>6} {:>10} {:>9} {:>14}", "worker", "load", "in flight",
                                  "waiting", "timer lag p99"),
                      Style::heading}});
    const int shown = workers > room ? room - 1 : workers;
    for (int i = 0; i < shown; ++i) {
      const WorkerFigures& one = figures.workers[static_cast<std::size_t>(i)];
      lines.push_back({{fmt::format(" {:<9}", one.number), Style::normal},
                       {fmt::format("{:>6}", share_text(one.load)),
                        one.load > RunEvents::load_most ? Style::warning : Style::normal},
                       {fmt::format(" {:>10} {:>9} {:>11} ms", count_text(one.in_flight),
                                    count_text(one.waiting), milliseconds_text(one.lag_p99_ms)),
                        Style::normal}});
    }
    if (workers > shown) {
      Phrases phrases = waiting_phrases(figures);
      phrases.front().spans.front().text += ",";
      phrases.insert(phrases.begin(),
                     plain_phrase(fmt::format(" and {} less busy; all:", workers - shown)));
      phrases.push_back(
          plain_phrase(fmt::format("lag {} ms", milliseconds_text(figures.lag_p99_ms)), 2));
      lines.push_back(fitted(std::move(phrases), columns, 1));
    }
  }
  lines.push_back(connections_line(model, figures, columns));
  lines.push_back({{fmt::format(" this process {:.2f} cores, {}", figures.cores,
                                bytes_text(figures.memory_bytes)),
                    Style::normal}});
  return lines;
}

std::string title_right(const RunModel& model) {
  std::string text =
      fmt::format("{}, {}", counted(static_cast<std::uint64_t>(model.plan.warehouses), "warehouse"),
                  counted(model.plan.terminals(), "terminal"));
  if (!model.title.statements.empty()) text += ", " + model.title.statements;
  return text;
}

void draw_full(const RunModel& model, Canvas& canvas) {
  const Parts parts = divide(model, canvas.rows(), canvas.columns());
  draw_title(canvas, "Drover: TPC-C on " + model.title.database, title_right(model));
  draw_progress(model, canvas, 1);
  if (model.figures) {
    draw_line(canvas, 2, 1, canvas.columns() - 1,
              fitted(figures_phrases(*model.figures), canvas.columns() - 1, 3));
  } else {
    canvas.put(2, 1, title_right(model));
  }
  draw_charts(model, canvas, parts);
  const int table_width = parts.wide ? table_columns : canvas.columns();
  draw_transactions(model, canvas, {parts.table_row, 0, parts.table_rows, table_width});
  if (parts.wide) {
    const int column = std::max(table_columns, canvas.columns() / 2);
    draw_lines(canvas, {parts.table_row, column, parts.table_rows, canvas.columns() - column},
               client_lines(model, parts.table_rows, canvas.columns() - column));
  } else {
    draw_lines(canvas, {parts.client_row, 0, parts.client_rows, canvas.columns()},
               client_lines(model, parts.client_rows, canvas.columns()));
  }
  draw_log(canvas, {parts.log_row, 1, parts.log_rows, canvas.columns() - 1}, model.log);
  draw_keys(canvas, canvas.rows() - 1, run_keys());
}

// What matters most, a line each.
std::vector<Phrases> small_lines(const RunModel& model) {
  const Progress progress = progress_of(model);
  Phrases first = {{{{progress.phase, Style::strong}}}};
  for (const std::string& time : progress.times) first.push_back(plain_phrase(time, 1));
  std::vector<Phrases> lines = {std::move(first)};
  if (!model.figures) return lines;
  const RunFigures& figures = *model.figures;
  const auto warn = [&lines](std::string text) {
    lines.push_back({{{{std::move(text), Style::warning}}}});
  };
  if (figures.away > coro::Duration::zero()) {
    warn("DATABASE AWAY");
    lines.back().push_back(plain_phrase(fmt::format("for {:.1f} s", seconds_of(figures.away)), 1));
  }
  if (figures.silent > coro::Duration::zero()) {
    warn("NO ANSWER");
    lines.back().push_back(
        plain_phrase(fmt::format("for {:.1f} s", seconds_of(figures.silent)), 1));
  }
  lines.push_back(tpmc_phrases(figures));
  lines.push_back(rate_phrases(figures));
  for (const TransactionFigures& one : figures.transactions) {
    if (one.holds == false) warn(fmt::format("{}: p90 OVER {:g} s", one.name, one.limit_s));
  }
  lines.push_back({plain_phrase(count_text(figures.in_flight) + " in flight"),
                   plain_phrase(count_text(figures.waiting) + " waiting", 1)});
  return lines;
}

}  // namespace

std::vector<KeyHelp> run_keys() {
  return {{"q", "end the run now, with its result so far", "end the run"},
          {"t", "switch the charts: throughput, p90 latency", "charts"},
          {"p", "let the log stand still, or follow again", "pause the log"},
          {"Up Down", "a line of the log", ""},
          {"PgUp PgDn", "a page of the log", "scroll"},
          {"Home End", "its oldest line, its newest", ""},
          {"Ctrl-L", "paint the screen anew", ""},
          {"Ctrl-C", "as q; once more ends it at once, without a result", ""},
          {"?", "show or hide this", "help"}};
}

void draw_run(const RunModel& model, Canvas& canvas) {
  if (is_full(canvas.rows(), canvas.columns())) {
    draw_full(model, canvas);
  } else {
    draw_small(canvas, small_lines(model),
               fmt::format("(more from {} x {} on)", full_columns_least, full_rows_least),
               run_keys(), model.log);
  }
  if (model.help) draw_help(canvas, run_keys());
}

ChartChoice next_charts(ChartChoice charts, int columns) {
  if (charts == ChartChoice::latency) {
    return columns >= wide_columns_least ? ChartChoice::both : ChartChoice::throughput;
  }
  // In a narrow screen "both" looks like the throughput.
  if (charts == ChartChoice::both && columns >= wide_columns_least) return ChartChoice::throughput;
  return ChartChoice::latency;
}

int log_rows_of_run(const RunModel& model, int rows, int columns) {
  if (!is_full(rows, columns)) return 1;
  return std::max(divide(model, rows, columns).log_rows - 1, 1);
}

}  // namespace drover::ui
