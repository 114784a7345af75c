#include "ui/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "text/plain_text.h"
#include "ui/number_text.h"

namespace drover::ui {
namespace {

constexpr int table_rows = 10;  // nine tables and the heading

template <class Count>
double share_of(Count done, Count total) {
  return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
}

Progress progress_of(const ImportModel& model) {
  const std::string waited = clock_text(model.in_stage);
  switch (model.stage) {
    case ImportStage::starting:
      return {"connecting", 0, {waited}};
    case ImportStage::waiting:
      return {"waiting for another import to end", 0, {waited}};
    case ImportStage::loading: {
      const tpcc::ImportProgress& load = model.load;
      const auto left = model.time_left();
      return {model.quitting ? "ending" : "loading",
              share_of(load.rows, load.rows_total),
              {fmt::format("{} of {}", load.warehouses,
                           text::counted_grouped(static_cast<std::uint64_t>(load.warehouses_total),
                                                 "warehouse")),
               left ? "about " + clock_text(*left) + " left" : waited}};
    }
    case ImportStage::finishing: {
      const std::size_t done = model.steps_done();
      return {model.quitting ? "ending" : "keys, indexes, statistics",
              share_of(done, model.steps_total),
              {fmt::format("{} of {}", done, text::counted_grouped(model.steps_total, "step")),
               waited}};
    }
  }
  return {};
}

Phrases figures_phrases(const ImportModel& model) {
  const ImportRate rate = model.rate_of_now();
  return {{{{count_text(rate.rows_per_second), Style::strong}, {" rows/s", Style::normal}}, 0},
          {{{bytes_text(rate.bytes_per_second) + "/s", Style::strong}}, 1},
          {{{fmt::format("total {} rows, {}", count_text(static_cast<double>(model.load.rows)),
                         bytes_text(static_cast<double>(model.load.bytes))),
             Style::normal}},
           2}};
}

void draw_rates(const ImportModel& model, Canvas& canvas, Area area, bool rows) {
  const auto mean = [rows](const auto& seconds) {
    double sum = 0;
    for (const ImportRate& rate : seconds) {
      sum += rows ? rate.rows_per_second : rate.bytes_per_second / (1024.0 * 1024.0);
    }
    return ChartPoint{.value = sum / static_cast<double>(seconds.size())};
  };
  draw_history(canvas, area, model.rates, rows ? " rows/s" : " MiB/s",
               rows ? Style::throughput : Style::latency, mean);
}

void draw_tables(const ImportModel& model, Canvas& canvas, Area area) {
  canvas.put(area.row, area.column,
             fmt::format(" {:<11} {:>13} {:>13} {:>5}", "table", "rows", "of", "done"),
             Style::heading, area.columns);
  for (std::size_t i = 0; i < model.load.tables.size(); ++i) {
    const tpcc::TableProgress& table = model.load.tables[i];
    const int row = area.row + 1 + static_cast<int>(i);
    if (row >= area.row + area.rows) return;
    // The number of order lines is an estimate, so a loaded table may differ from its total.
    const bool loaded = model.stage == ImportStage::finishing;
    const double share = loaded ? 1 : share_of(table.rows, table.rows_total);
    const std::string done =
        table.rows_total == 0 ? "-" : fmt::format("{:.0f}%", std::min(share, 1.0) * 100);
    const int end = canvas.put(
        row, area.column,
        fmt::format(" {:<11} {:>13} {:>13} {:>5}  ", tpcc::table_name(tpcc::all_tables[i]),
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

// Draws the steps in progress, and above them the last finished steps that fit.
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
      line.push_back({" running", Style::strong});
      at_work.push_back(std::move(line));
    }
  }
  const int room = std::max(area.rows - 1 - static_cast<int>(at_work.size()), 0);
  if (static_cast<int>(done.size()) > room) done.erase(done.begin(), done.end() - room);
  for (StyledLine& line : at_work) done.push_back(std::move(line));
  draw_lines(canvas, {area.row + 1, area.column, area.rows - 1, area.columns}, done);
}

std::string title_right(const ImportModel& model) {
  std::string text = text::counted_grouped(model.title.connections, "connection") + ", " +
                     text::counted_grouped(model.title.threads, "thread");
  if (model.plan.warehouses > 0) {
    text = fmt::format(
        "{}, seed {}, {}",
        text::counted_grouped(static_cast<std::uint64_t>(model.plan.warehouses), "warehouse"),
        model.plan.population.seed, text);
  }
  return text;
}

}  // namespace

void ImportModel::take_load(const tpcc::ImportProgress& next) {
  const double length = seconds_of(next.elapsed - load.elapsed);
  // The last report of a load may follow the previous one at once.
  if (length > 0.1) {
    rates.add({static_cast<double>(next.rows - load.rows) / length,
               static_cast<double>(next.bytes - load.bytes) / length});
  }
  load = next;
}

void ImportModel::begin_step(std::string_view name, std::size_t number, std::size_t total,
                             coro::Instant when) {
  if (number == 1) steps_total = steps.size() + total;
  steps.push_back({.name = std::string(name), .begin = when, .took = std::nullopt});
}

void ImportModel::end_step(std::string_view name, coro::Duration took) {
  const auto step = std::ranges::find_if(
      steps, [name](const ImportStep& one) { return one.name == name && !one.took; });
  if (step != steps.end()) step->took = took;
}

ImportRate ImportModel::rate_of_now() const {
  ImportRate sum;
  double count = 0;
  for (const ImportRate& rate : rates.samples() | std::views::reverse |
                                    std::views::take(static_cast<std::ptrdiff_t>(rates_of_now))) {
    sum.rows_per_second += rate.rows_per_second;
    sum.bytes_per_second += rate.bytes_per_second;
    ++count;
  }
  if (count == 0) return {};
  return {sum.rows_per_second / count, sum.bytes_per_second / count};
}

std::size_t ImportModel::steps_done() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [](const auto& step) { return step.took.has_value(); }));
}

std::optional<coro::Duration> ImportModel::time_left() const {
  const double rate = rate_of_now().rows_per_second;
  if (rate <= 0 || load.rows_total <= 0) return std::nullopt;
  const double rows = static_cast<double>(std::max<std::int64_t>(load.rows_total - load.rows, 0));
  constexpr double longest_s = 1e8;  // three years
  return coro::Duration(static_cast<std::int64_t>(std::min(rows / rate, longest_s) * 1e9));
}

std::vector<KeyHelp> import_keys() {
  return screen_keys({"q", "end the import now; the same command continues it", "end"},
                     {"t", "switch the chart: rows, bytes", "chart"},
                     {"Ctrl-C", "same as q; a second Ctrl-C ends it at once", ""});
}

int draw_import(const ImportModel& model, Canvas& canvas) {
  const auto rates = [&model](bool rows) {
    return [&model, rows](Canvas& to, Area area) { draw_rates(model, to, area, rows); };
  };
  const auto steps = [&model](Canvas& to, Area area) { draw_steps(model, to, area); };
  const tpcc::ImportProgress& load = model.load;
  Phrases small = figures_phrases(model);
  small.pop_back();
  small.push_back(
      plain_phrase(fmt::format("total {} rows", count_text(static_cast<double>(load.rows))), 2));
  small.push_back(plain_phrase(bytes_text(static_cast<double>(load.bytes)), 2));
  Dashboard dashboard{.title = "Drover: import into " + model.title.database,
                      .title_right = title_right(model),
                      .progress = progress_of(model),
                      .figures = figures_phrases(model),
                      .charts = {rates(true), rates(false)},
                      .chart_percent = 50,
                      .table = [&](Canvas& to, Area area) { draw_tables(model, to, area); },
                      .table_rows = table_rows,
                      .side = steps,
                      .small = {std::move(small)},
                      .keys = import_keys()};
  // A narrow screen shows the steps in place of the charts, which no longer change.
  if (canvas.columns() < wide_columns_least && model.stage == ImportStage::finishing) {
    dashboard.charts = {
        [steps](Canvas& to, Area area) { steps(to, {area.row, 0, area.rows, to.columns()}); }};
  }
  return draw_dashboard(model, dashboard, canvas);
}

}  // namespace drover::ui
