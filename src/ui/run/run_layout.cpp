#include "ui/run/run_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "text/plain_text.h"
#include "ui/number_text.h"
#include "ui/run/run_events.h"

namespace drover::ui {
namespace {

constexpr int table_columns = 85;  // of the transactions, in a wide screen

// Which rows are whose.
struct Parts {
  bool wide = false;
  int chart_row = 0;
  int chart_rows = 0;
  int table_row = 0;
  int table_rows = 0;  // transactions; beside them, if it is wide, the client
  int client_row = 0;
  int client_rows = 0;
  int log_row = 0;
};

int worker_rows(const RunModel& model, int most) {
  const std::size_t workers = model.snapshot ? model.snapshot->workers.size() : model.plan.threads;
  return std::clamp(static_cast<int>(workers), 1, most);
}

// Title, phase and figures above, the keys below; between them charts, tables and the log share.
Parts divide(const RunModel& model, int rows, int columns) {
  Parts parts;
  // Five, their heading, and their sum where there is room.
  const int transactions = rows >= 30 ? 7 : 6;
  parts.wide = columns >= wide_columns_least;
  const int gap = rows >= 34 ? 1 : 0;
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
  parts.log_row = gap + (parts.client_rows > 0 ? parts.client_row + parts.client_rows
                                               : parts.table_row + parts.table_rows);
  return parts;
}

std::string share_text(double share) {
  return fmt::format("{:.0f}%", share * 100);
}

Progress progress_of(const RunModel& model) {
  const tpcc::Plan& plan = model.plan;
  const std::string waited = clock_text(model.in_stage);
  if (model.stage == RunStage::asking) {
    if (model.database_away) {
      return {"waiting for the database", 1, {waited, "Ctrl-C ends the wait"}};
    }
    return {"asking the database", 1, {waited, "what it holds of this run"}};
  }
  if (model.stage == RunStage::opening) {
    Progress opening{"opening connections", 0, {waited}};
    if (plan.connections > 0)
      opening.texts.push_back(text::counted_grouped(plan.connections, "connection"));
    return opening;
  }
  const load::Sample second = model.snapshot ? model.snapshot->second : load::Sample{};
  const bool measuring = second.phase != load::Phase::warmup;
  const bool warming = !measuring && plan.warmup > coro::Duration::zero();
  const coro::Duration done = warming ? second.elapsed : second.elapsed - plan.warmup;
  const coro::Duration whole = warming ? plan.warmup : plan.duration;
  const double share = whole.count() > 0 ? seconds_of(done) / seconds_of(whole) : 1;
  std::string left = clock_text(plan.warmup + plan.duration - second.elapsed);
  return {model.quitting ? "ending"
          : warming      ? "warm-up"
                         : "measuring",
          share,
          {fmt::format("{} of {}", clock_text(done), clock_text(whole)), left + " left"}};
}

std::string title_right(const RunModel& model) {
  std::string text = fmt::format(
      "{}, {}",
      text::counted_grouped(static_cast<std::uint64_t>(model.plan.warehouses), "warehouse"),
      text::counted_grouped(model.plan.terminals(), "terminal"));
  if (!model.title.statements.empty()) text += ", " + model.title.statements;
  return text;
}

Phrase figure_phrase(const char* before, std::string figure, const char* after, int rank) {
  return {{{before, Style::normal}, {std::move(figure), Style::strong}, {after, Style::normal}},
          rank};
}

Phrases tpmc_phrases(const Throughput& figures) {
  Phrases phrases = {figure_phrase("tpmC ", count_text(figures.tpmc_now), " now", 0)};
  if (!figures.tpmc_measured) return phrases;
  phrases.push_back(figure_phrase("", count_text(*figures.tpmc_measured), " measured", 2));
  return phrases;
}

Phrases rate_phrases(const Throughput& figures, double p90_ms) {
  return {figure_phrase("", rate_text(figures.per_second), " tx/s", 3),
          figure_phrase("p90 ", latency_text(p90_ms), " ms", 1)};
}

Phrases figures_phrases(const RunModel& model) {
  if (!model.snapshot) return {plain_phrase(title_right(model))};
  const Throughput figures = model.throughput();
  Phrases phrases = tpmc_phrases(figures);
  if (figures.efficiency) {
    phrases.push_back(
        figure_phrase("efficiency ", fmt::format("{:.1f}%", *figures.efficiency), "", 4));
  }
  std::ranges::move(rate_phrases(figures, model.snapshot->second.p90_ms),
                    std::back_inserter(phrases));
  return phrases;
}

void draw_charts(const RunModel& model, Canvas& canvas, const Parts& parts) {
  const bool both = parts.wide && model.charts == ChartChoice::both;
  const int half = canvas.columns() / 2;
  Area area{parts.chart_row, 1, parts.chart_rows, both ? half - 1 : canvas.columns() - 2};
  if (model.charts != ChartChoice::latency) {
    draw_history(canvas, area, model.history, " tpmC", Style::throughput, tpmc_point);
  }
  if (both) area.column = half + 1;
  if (both || model.charts == ChartChoice::latency) {
    draw_history(canvas, area, model.history, " p90 of all transactions, ms", Style::latency,
                 p90_point);
  }
}

// A row of the table of transactions; in a narrow screen without its retries.
std::string row_text(Area area, const std::array<std::string, 8>& cells) {
  constexpr int columns_with_retries = 80;
  std::string text = fmt::format(" {:<11} {:>8} {:>10} {:>8} {:>8} {:>8}", cells[0], cells[1],
                                 cells[2], cells[3], cells[4], cells[5]);
  if (area.columns >= columns_with_retries) text += fmt::format(" {:>7}", cells[6]);
  return text + fmt::format(" {:>6}  ", cells[7]);
}

double milliseconds(const measure::HistogramSnapshot& histogram, double percent) {
  return static_cast<double>(histogram.percentile_ns(percent)) / 1e6;
}

// Whether the 90th percentile is within its limit; none if there is no percentile or no limit.
std::optional<bool> holds(const load::TransactionSnapshot& one, double limit_s) {
  if (one.latency.empty() || limit_s == 0) return std::nullopt;
  return milliseconds(one.latency, 90) <= limit_s * 1000;
}

void draw_transaction(Canvas& canvas, Area area, std::string_view name, double per_second,
                      const load::TransactionSnapshot& one, double limit_s) {
  const auto latency = [&](double percent) {
    return one.committed > 0 ? milliseconds_text(milliseconds(one.latency, percent)) : "-";
  };
  constexpr int verdict_columns = 4;
  const int end =
      canvas.put(area.row, area.column,
                 row_text(area, {std::string(name), rate_text(per_second),
                                 count_text(one.committed), latency(50), latency(90), latency(99),
                                 count_text(one.retries), count_text(one.failed)}),
                 Style::normal, area.columns - verdict_columns);
  const std::optional<bool> held = holds(one, limit_s);
  const std::string verdict = !held ? "-" : *held ? "ok" : "OVER";
  const Style style = !held ? Style::normal : *held ? Style::good : Style::warning;
  const bool room = area.columns >= table_columns && limit_s > 0;
  canvas.put(area.row, end, verdict + (room ? fmt::format(" {:g} s", limit_s) : ""), style,
             area.column + area.columns - end);
}

void draw_transactions(const RunModel& model, Canvas& canvas, Area area) {
  canvas.put(area.row, area.column,
             row_text(area, {"transaction", "ok/s", "ok", "p50 ms", "p90 ms", "p99 ms", "retries",
                             "errors"}) +
                 (area.columns >= table_columns ? "limit" : "p90"),
             Style::heading, area.columns);
  const Rates rates = recent_rates(model.history);
  const LatencyLimits limits = latency_limits_s();
  load::TransactionSnapshot all;
  Area row{area.row, area.column, 1, area.columns};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    ++row.row;
    const std::string_view name = tpcc::transaction_name(tpcc::all_transaction_types[i]);
    if (!model.snapshot) {
      canvas.put(row.row, row.column + 1, name);
      continue;
    }
    const load::TransactionSnapshot& one = model.snapshot->phase()[i];
    draw_transaction(canvas, row, name, rates[i], one, limits[i]);
    all.committed += one.committed;
    all.retries += one.retries;
    all.failed += one.failed;
    all.latency.merge(one.latency);
  }
  ++row.row;
  if (!model.snapshot || row.row >= area.row + area.rows) return;
  draw_transaction(canvas, row, "all", std::accumulate(rates.begin(), rates.end(), 0.0), all, 0);
}

StyledLine connections_line(const RunModel& model, int columns) {
  if (model.plan.connections == 0)
    return {{" no database: transactions are simulated", Style::normal}};
  const load::Snapshot& now = *model.snapshot;
  const load::AvailabilityRecord& record = now.availability;
  StyledLine line = {
      {" connections ", Style::normal},
      {fmt::format("{} of {} open", now.connections_open, model.plan.connections),
       now.connections_open < model.plan.connections ? Style::warning : Style::normal}};
  if (const std::string trouble = trouble_text(now.second); !trouble.empty()) {
    line.push_back({"   " + trouble, Style::warning});
    if (now.second.away > coro::Duration::zero() && !record.outages.empty()) {
      line.push_back({"  " + record.outages.back().first_error, Style::normal});
    }
    return line;
  }
  if (const std::uint64_t stalls = record.stalls.size() + record.stalls_dropped; stalls > 0) {
    line.push_back({"   " + text::counted_grouped(stalls, "stall"), Style::normal});
  }
  const int room = columns - cells_of(line);
  std::string text = "   no outages";
  if (!record.outages.empty()) {
    const load::Outage& last = record.outages.back();
    const coro::Instant end = last.end.value_or(model.taken_at);
    const std::string count =
        "   " + text::counted_grouped(record.outages.size() + record.outages_dropped, "outage");
    const std::string ago = clock_text(model.taken_at - end) + " ago";
    text =
        fmt::format("{}, the last one of {:.1f} s, {}", count, seconds_of(end - last.start), ago);
    if (cells_of(text) > room) text = fmt::format("{}, the last {}", count, ago);
    if (cells_of(text) > room) text = count;
  }
  line.push_back({std::move(text), Style::normal});
  return line;
}

Phrase waiting_phrase(const load::Sample& second, const char* end = "") {
  return plain_phrase(fmt::format("{} in flight, {} waiting{}", count_text(second.in_flight),
                                  count_text(second.waiting), end),
                      1);
}

// One worker in the last second.
struct WorkerRow {
  std::size_t number;  // from 1
  const load::WorkerSnapshot* worker;
  double lag_ms;  // the 99th percentile
};

// The busiest first.
std::vector<WorkerRow> worker_rows_of(const load::Snapshot& snapshot) {
  std::vector<WorkerRow> rows;
  for (const load::WorkerSnapshot& worker : snapshot.workers) {
    rows.push_back({rows.size() + 1, &worker, milliseconds(worker.timer_lag, 99)});
  }
  std::ranges::sort(rows, {},
                    [](const WorkerRow& row) { return std::pair(-row.worker->load, row.number); });
  return rows;
}

Style load_style(double load) {
  return load > RunEvents::load_most ? Style::warning : Style::normal;
}

// As many workers as there are rows, the busiest first, and a line for the rest.
std::vector<StyledLine> client_lines(const RunModel& model, int rows, int columns) {
  if (!model.snapshot) return {};
  const load::Sample& second = model.snapshot->second;
  const std::vector<WorkerRow> workers = worker_rows_of(*model.snapshot);
  double lag_ms = 0;  // of the worst
  for (const WorkerRow& row : workers) lag_ms = std::max(lag_ms, row.lag_ms);
  const std::string lag = milliseconds_text(lag_ms);
  std::vector<StyledLine> lines;
  if (rows <= 3) {  // beside the heading, connections and the process there is room for none
    const std::string all = text::counted_grouped(workers.size(), "worker");
    lines.push_back(fitted(
        {{{{" " + all + ", the busiest at ", Style::normal},
           {share_text(second.busiest_worker_load), load_style(second.busiest_worker_load)}}},
         waiting_phrase(second),
         plain_phrase(fmt::format("timer lag p99 {} ms", lag), 2)},
        columns, 3));
  } else {
    lines.push_back({{fmt::format(" {:<9}{:>6} {:>10} {:>9} {:>14}", "worker", "load", "in flight",
                                  "waiting", "timer lag p99"),
                      Style::heading}});
    const auto room = static_cast<std::size_t>(rows - 3);
    const std::size_t shown = workers.size() > room ? room - 1 : workers.size();
    for (const WorkerRow& row : workers | std::views::take(shown)) {
      const load::WorkerSnapshot& one = *row.worker;
      lines.push_back({{fmt::format(" {:<9}", row.number), Style::normal},
                       {fmt::format("{:>6}", share_text(one.load)), load_style(one.load)},
                       {fmt::format(" {:>10} {:>9} {:>11} ms", count_text(one.in_flight),
                                    count_text(one.waiting), milliseconds_text(row.lag_ms)),
                        Style::normal}});
    }
    if (workers.size() > shown) {
      const std::string rest = fmt::format(" and {} less busy; all:", workers.size() - shown);
      lines.push_back(fitted({plain_phrase(rest), waiting_phrase(second, ","),
                              plain_phrase(fmt::format("lag {} ms", lag), 2)},
                             columns, 1));
    }
  }
  lines.push_back(connections_line(model, columns));
  const auto memory = static_cast<double>(model.snapshot->process.rss_bytes);
  lines.push_back({{fmt::format(" this process {:.2f} cores, {}", model.cores, bytes_text(memory)),
                    Style::normal}});
  return lines;
}

void draw_parts(const RunModel& model, Canvas& canvas, const Parts& parts) {
  draw_charts(model, canvas, parts);
  const int table_width = parts.wide ? table_columns : canvas.columns();
  draw_transactions(model, canvas, {parts.table_row, 0, parts.table_rows, table_width});
  Area client{parts.client_row, 0, parts.client_rows, canvas.columns()};
  if (parts.wide) {
    const int column = std::max(table_columns, canvas.columns() / 2);
    client = {parts.table_row, column, parts.table_rows, canvas.columns() - column};
  }
  draw_lines(canvas, client, client_lines(model, client.rows, client.columns));
}

// What matters most, a line each.
std::vector<Phrases> small_lines(const RunModel& model) {
  std::vector<Phrases> lines;
  if (!model.snapshot) return lines;
  const load::Sample& second = model.snapshot->second;
  const auto warn = [&lines](std::string text) {
    lines.push_back({{{{std::move(text), Style::warning}}}});
  };
  const auto warn_since = [&](const char* what, coro::Duration since) {
    if (since <= coro::Duration::zero()) return;
    warn(what);
    lines.back().push_back(plain_phrase(fmt::format("for {:.1f} s", seconds_of(since)), 1));
  };
  warn_since("DATABASE AWAY", second.away);
  warn_since("NO ANSWER", second.silent);
  const Throughput figures = model.throughput();
  lines.push_back(tpmc_phrases(figures));
  lines.push_back(rate_phrases(figures, second.p90_ms));
  const LatencyLimits limits = latency_limits_s();
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (holds(model.snapshot->phase()[i], limits[i]) != false) continue;
    warn(fmt::format("{}: p90 OVER {:g} s", tpcc::transaction_name(tpcc::all_transaction_types[i]),
                     limits[i]));
  }
  lines.push_back({plain_phrase(count_text(second.in_flight) + " in flight"),
                   plain_phrase(count_text(second.waiting) + " waiting", 1)});
  return lines;
}

}  // namespace

std::vector<KeyHelp> run_keys() {
  return screen_keys({"q", "end the run now, with its result so far", "end the run"},
                     {"t", "switch the charts: throughput, p90 latency", "charts"},
                     {"Ctrl-C", "as q; once more ends it at once, without a result", ""});
}

void draw_run(const RunModel& model, Canvas& canvas) {
  const Parts parts = divide(model, canvas.rows(), canvas.columns());
  draw_screen(
      model, canvas,
      {.title = "Drover: TPC-C on " + model.title.database,
       .title_right = title_right(model),
       .progress = progress_of(model),
       .figures = figures_phrases(model),
       .keys = run_keys(),
       .log_row = parts.log_row},
      [&] { draw_parts(model, canvas, parts); }, [&] { return small_lines(model); });
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
  return log_page(rows, columns, divide(model, rows, columns).log_row);
}

}  // namespace drover::ui
