#include "ui/run_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ui/chart.h"
#include "ui/number_text.h"

namespace drover::ui {
namespace {

constexpr int full_rows_least = 20;
constexpr int full_columns_least = 72;
constexpr int wide_columns_least = 140;
constexpr int table_columns = 84;  // of the transactions, in a wide screen

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
  std::string time;
};

Progress progress_of(const RunModel& model) {
  const load::Plan& plan = model.plan;
  const std::string waited = clock_text(model.in_stage);
  if (model.stage == RunStage::asking) {
    if (model.database_away) {
      return {"waiting for the database", 1, waited + "  (Ctrl-C ends the wait)"};
    }
    return {"asking the database", 1, waited + "  what it holds of this run"};
  }
  if (model.stage == RunStage::opening) {
    return {"opening connections", 0,
            plan.connections == 0
                ? waited
                : fmt::format("{}  {}", waited, counted(plan.connections, "connection"))};
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
          share, fmt::format("{} of {}, {} left", clock_text(done), clock_text(whole), left)};
}

void draw_progress(const RunModel& model, Canvas& canvas, int row) {
  const Progress progress = progress_of(model);
  const int time_columns = cells_of(progress.time) + 2;
  const int begin = canvas.put(row, 1, progress.phase, Style::strong) + 2;
  const int bar = std::min(canvas.columns() - begin - time_columns - 1, 100);
  if (bar < 8) {
    canvas.put(row, begin, progress.time);
    return;
  }
  draw_bar(canvas, row, begin, bar, progress.share);
  canvas.put(row, begin + bar + 2, progress.time);
}

StyledLine figures_line(const RunFigures& figures) {
  StyledLine line = {{" tpmC ", Style::normal},
                     {count_text(figures.tpmc_now), Style::strong},
                     {" now", Style::normal}};
  const auto add = [&line](std::string before, std::string figure, std::string after) {
    line.push_back({"   " + std::move(before), Style::normal});
    line.push_back({std::move(figure), Style::strong});
    line.push_back({std::move(after), Style::normal});
  };
  if (figures.tpmc_measured) add("", count_text(*figures.tpmc_measured), " measured");
  if (figures.efficiency) {
    add("efficiency ", fmt::format("{:.1f}%", *figures.efficiency), "");
  }
  add("", rate_text(figures.transactions_per_second), " tx/s");
  add("p90 ", milliseconds_text(figures.p90_ms), " ms");
  return line;
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

void draw_transaction(Canvas& canvas, Area area, const TransactionFigures& one) {
  const auto latency = [&](double ms) {
    return one.committed > 0 ? milliseconds_text(ms) : std::string("-");
  };
  const int end =
      canvas.put(area.row, area.column,
                 fmt::format(" {:<11} {:>8} {:>10} {:>8} {:>8} {:>8} {:>7} {:>6}  ", one.name,
                             rate_text(one.per_second), count_text(one.committed),
                             latency(one.p50_ms), latency(one.p90_ms), latency(one.p99_ms),
                             count_text(one.retries), count_text(one.errors)),
                 Style::normal, area.columns);
  const std::string verdict = !one.holds ? "-" : *one.holds ? "ok" : "OVER";
  const Style style = !one.holds ? Style::normal : *one.holds ? Style::good : Style::warning;
  const bool room = area.columns >= table_columns && one.limit_s > 0;
  canvas.put(area.row, end, verdict + (room ? fmt::format(" {:g} s", one.limit_s) : ""), style,
             area.column + area.columns - end);
}

void draw_transactions(const RunModel& model, Canvas& canvas, Area area) {
  canvas.put(area.row, area.column,
             fmt::format(" {:<11} {:>8} {:>10} {:>8} {:>8} {:>8} {:>7} {:>6}  {}", "transaction",
                         "ok/s", "ok", "p50 ms", "p90 ms", "p99 ms", "retries", "errors",
                         area.columns >= table_columns ? "limit" : "p90"),
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

StyledLine connections_line(const RunModel& model, const RunFigures& figures) {
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
  if (figures.outages.empty()) {
    line.push_back({"   no outages", Style::normal});
    return line;
  }
  const OutageFigures& last = figures.outages.front();
  line.push_back({fmt::format("   {}, the last one of {:.1f} s, {} ago",
                              counted(figures.outage_count, "outage"), seconds_of(last.lasted),
                              clock_text(last.ended_ago)),
                  Style::normal});
  return line;
}

// Of the workers as many as there are rows: the busiest first, and a line for the rest.
std::vector<StyledLine> client_lines(const RunModel& model, int rows) {
  if (!model.figures) return {};
  const RunFigures& figures = *model.figures;
  std::vector<StyledLine> lines;
  const int workers = static_cast<int>(figures.workers.size());
  const int room = rows - 3;  // without the heading, connections and the process
  const Style busy = figures.busiest_load > RunEvents::load_most ? Style::warning : Style::normal;
  if (room < 1) {
    lines.push_back({{fmt::format(" {}, the busiest at ",
                                  counted(static_cast<std::uint64_t>(workers), "worker")),
                      Style::normal},
                     {share_text(figures.busiest_load), busy},
                     {fmt::format("   {} in flight, {} waiting   timer lag p99 {} ms",
                                  count_text(figures.in_flight), count_text(figures.waiting),
                                  milliseconds_text(figures.lag_p99_ms)),
                      Style::normal}});
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
      lines.push_back(
          {{fmt::format(" and {} less busy; all: {} in flight, {} waiting, lag {} ms",
                        workers - shown, count_text(figures.in_flight), count_text(figures.waiting),
                        milliseconds_text(figures.lag_p99_ms)),
            Style::normal}});
    }
  }
  lines.push_back(connections_line(model, figures));
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
    draw_line(canvas, 2, 0, canvas.columns(), figures_line(*model.figures));
  } else {
    canvas.put(2, 1, title_right(model));
  }
  draw_charts(model, canvas, parts);
  const int table_width = parts.wide ? table_columns : canvas.columns();
  draw_transactions(model, canvas, {parts.table_row, 0, parts.table_rows, table_width});
  if (parts.wide) {
    const int column = std::max(table_columns, canvas.columns() / 2);
    draw_lines(canvas, {parts.table_row, column, parts.table_rows, canvas.columns() - column},
               client_lines(model, parts.table_rows));
  } else {
    draw_lines(canvas, {parts.client_row, 0, parts.client_rows, canvas.columns()},
               client_lines(model, parts.client_rows));
  }
  draw_log(canvas, {parts.log_row, 1, parts.log_rows, canvas.columns() - 1}, model.log);
  draw_keys(canvas, canvas.rows() - 1, run_keys());
}

// What matters most, a line each.
void draw_small(const RunModel& model, Canvas& canvas) {
  const Progress progress = progress_of(model);
  std::vector<StyledLine> lines;
  lines.push_back({{progress.phase, Style::strong}, {" " + progress.time, Style::normal}});
  if (model.figures) {
    const RunFigures& figures = *model.figures;
    if (figures.away > coro::Duration::zero()) {
      lines.push_back(
          {{fmt::format("DATABASE AWAY for {:.1f} s", seconds_of(figures.away)), Style::warning}});
    }
    lines.push_back(
        {{fmt::format(
              "tpmC {} now{}", count_text(figures.tpmc_now),
              figures.tpmc_measured ? fmt::format(", {}", count_text(*figures.tpmc_measured)) : ""),
          Style::normal}});
    lines.push_back({{fmt::format("p90 {} ms, {} tx/s", milliseconds_text(figures.p90_ms),
                                  rate_text(figures.transactions_per_second)),
                      Style::normal}});
    for (const TransactionFigures& one : figures.transactions) {
      if (one.holds != false) continue;
      lines.push_back(
          {{fmt::format("{}: p90 OVER {:g} s", one.name, one.limit_s), Style::warning}});
    }
    lines.push_back({{fmt::format("{} in flight, {} waiting", count_text(figures.in_flight),
                                  count_text(figures.waiting)),
                      Style::normal}});
  }
  lines.push_back(
      {{fmt::format("(more from {} x {} on)", full_columns_least, full_rows_least), Style::faint}});
  const int log_rows = canvas.rows() - static_cast<int>(lines.size());
  draw_lines(canvas, canvas.whole(), lines);
  if (log_rows >= 3) {
    draw_log(canvas, {canvas.rows() - log_rows, 0, log_rows, canvas.columns()}, model.log);
  }
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
    draw_small(model, canvas);
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
