// The charts of a run's page: over time, and the distribution of latencies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "report/page/chart_curves.h"
#include "report/page/run_parts.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr std::size_t columns_max = 300;
constexpr std::size_t columns_of_overlay_max = 160;
constexpr std::size_t columns_of_table_max = 62;
constexpr std::size_t time_ticks_max = 9;
constexpr std::size_t low_panel_intervals = 2;

// An axis reaches as far as its limit if that is not much further than what was measured.
constexpr double limit_within_factor = 12;

std::string label_of(TimeFigure figure, double value) {
  using enum TimeFigure;
  if (figure == p50_ms || figure == p90_ms || figure == p99_ms) return milliseconds_label(value);
  return figure == client_load ? share_text(value) : number_label(value);
}

std::string mean_text(const TimelineColumn& column, TimeFigure figure) {
  const auto& envelope = column.figure(figure);
  return envelope ? label_of(figure, envelope->mean) : "–";
}

std::vector<Panel> time_panels(const Timeline& timeline) {
  using enum TimeFigure;
  const auto axis = [&](TimeFigure one, TimeFigure other, Quantity quantity) {
    return axis_from_zero(std::max(timeline.highest(one), timeline.highest(other)), quantity,
                          low_panel_intervals);
  };
  const auto curve = [&](TimeFigure figure, const char* name, const char* classes) {
    return time_curve(timeline, figure, name, classes, true);
  };
  std::vector<Panel> panels;
  panels.push_back({.title = "Throughput, per s",
                    .keys = {{"all", "ink"}, {"NewOrder", "t0"}},
                    .height = 150,
                    .axis = axis_from_zero(timeline.highest(commits), Quantity::number),
                    .curves = {curve(commits, "All committed per second", "ink"),
                               curve(new_orders, "NewOrder committed per second", "t0")}});
  if (!timeline.kind.has_tpmc) {
    panels[0].keys = {{"all", "ink"}};
    panels[0].curves.pop_back();
  }
  panels.push_back(
      {.title = "Latency",
       .keys = {{"p50", "p50"}, {"p90", "p90"}, {"p99", "p99"}},
       .height = 180,
       .axis = latency_axis({timeline}, {p50_ms, p90_ms, p99_ms}),
       .curves = {curve(p99_ms, "99th percentile", "p99"), curve(p90_ms, "90th percentile", "p90"),
                  curve(p50_ms, "Median", "p50")}});
  if (timeline.has_errors()) {
    panels.push_back({.title = "Errors, per s",
                      .keys = {{"failed", "failed"}, {"retried", "t4"}},
                      .height = 70,
                      .axis = axis(failed, retries, Quantity::number),
                      .curves = {curve(retries, "Retries per second", "t4"),
                                 curve(failed, "Failed per second", "failed")}});
  }
  panels.push_back(
      {.title = "Transactions",
       .keys = {{"in flight", "t2"}, {"waiting", "t3"}},
       .height = 80,
       .axis = axis(in_flight, waiting, Quantity::number),
       .curves = {curve(waiting,
                        timeline.kind.has_warehouses ? "Terminals that wait for a permit"
                                                     : "Clients that wait for a connection",
                        "t3"),
                  curve(in_flight, "Transactions in flight", "t2")}});
  if (timeline.highest(client_load) > 0) {
    constexpr double overloaded = 0.8;
    const char* title = "Load of the busiest worker thread";
    Panel panel{.title = title,
                .height = 70,
                .axis = axis(client_load, client_load, Quantity::share),
                .curves = {curve(client_load, title, "t0")}};
    if (panel.axis.scale.high() > overloaded)
      panel.marks.push_back({.y = overloaded, .label = "80%"});
    panels.push_back(std::move(panel));
  }
  return panels;
}

// Returns a line for each panel.
std::vector<std::string> read_out_lines(const Timeline& timeline, const TimelineColumn& column) {
  using enum TimeFigure;
  const auto mean = [&](TimeFigure figure) { return mean_text(column, figure); };
  std::string rates = fmt::format("{} · all {}/s", time_label(column.start_s), mean(commits));
  if (timeline.kind.has_tpmc) rates += fmt::format(" · NewOrder {}/s", mean(new_orders));
  std::vector<std::string> lines = {
      rates, fmt::format("p50 {} · p90 {} · p99 {}", mean(p50_ms), mean(p90_ms), mean(p99_ms))};
  if (timeline.has_errors())
    lines.push_back(fmt::format("failed {}/s · retried {}/s", mean(failed), mean(retries)));
  lines.push_back(fmt::format("in flight {} · waiting {}", mean(in_flight), mean(waiting)));
  if (timeline.highest(client_load) > 0) lines.push_back("load " + mean(client_load));
  return lines;
}

std::string range_text(const Timeline& timeline, TimeFigure figure) {
  std::optional<double> low;
  std::optional<double> high;
  for (const TimelineColumn& column : timeline.columns) {
    const auto& envelope = column.figure(figure);
    if (column.start_s < 0 || !envelope) continue;
    low = low ? std::min(*low, envelope->low) : envelope->low;
    high = high ? std::max(*high, envelope->high) : envelope->high;
  }
  if (!low) return "is unknown";
  return fmt::format("is between {} and {}", label_of(figure, *low), label_of(figure, *high));
}

std::string describe_time_chart(const Timeline& timeline) {
  const bool is_second = timeline.point_s <= 1;
  const std::string point = is_second ? "second" : fmt::format("{} s", timeline.point_s);
  const std::string a_point = is_second ? "a second" : point;
  std::string text = fmt::format(
      "In the measured interval throughput {} per second, the 90th percentile of {} {}, and the "
      "99th {}. ",
      range_text(timeline, TimeFigure::commits), a_point, range_text(timeline, TimeFigure::p90_ms),
      range_text(timeline, TimeFigure::p99_ms));
  if (!timeline.has_errors()) text += "No transaction failed or was retried. ";
  for (const TimeSpan& outage : timeline.outages) {
    text += fmt::format("{} at {} of {}. ", outage.title(), time_label(outage.start_s),
                        outage.length_text());
    if (text.size() > 600) break;
  }
  if (!timeline.checkpoints.empty())
    text += text::counted(timeline.checkpoints.size(), "checkpoint") + " of the server. ";
  text += timeline.thinned ? fmt::format(
                                 "Each point covers {}: lines are means, shades extend from the "
                                 "smallest {} to the largest.",
                                 text::length_text(timeline.column_s), point)
                           : fmt::format("Each point covers {}.", a_point);
  return text;
}

Legend band_legend(const Timeline& timeline) {
  Legend legend;
  const auto add = [&legend](const char* style, const char* text) {
    legend.push_back({text, style, true});
  };
  if (timeline.start_s < 0) add("warm-up", "warm-up, not measured");
  if (!timeline.outages.empty()) add("outage", "outage or stall of the database");
  if (!timeline.checkpoints.empty()) add("checkpoint", "checkpoint of the server");
  return legend;
}

// A table that the reader opens, with the figures of a chart.
Details table_details(const char* summary, Table table) {
  return {.summary = only_page(summary), .blocks = {std::move(table)}, .style = "no-print"};
}

Table time_table(const Timeline& timeline) {
  constexpr std::array<const char*, time_figure_count> titles = {
      "Committed/s", "NewOrder/s", "p50",       "p90",     "p99",
      "Failed/s",    "Retries/s",  "In flight", "Waiting", "Client load"};  // of each TimeFigure
  Table table{
      .caption = only_page(fmt::format("Means of each {}, from the start of the measured interval",
                                       text::length_text(timeline.column_s))),
      .columns = page_columns("From", {})};
  std::vector<TimeFigure> figures;
  for (std::size_t i = 0; i < time_figure_count; ++i) {
    const auto figure = static_cast<TimeFigure>(i);
    if (figure == TimeFigure::new_orders && !timeline.kind.has_tpmc) continue;
    figures.push_back(figure);
    table.columns.push_back({only_page(titles[i])});
  }
  for (const TimelineColumn& time : timeline.columns) {
    std::vector<Cell> cells = {time_label(time.start_s)};
    for (const TimeFigure figure : figures) cells.emplace_back(mean_text(time, figure));
    table.add(std::move(cells));
  }
  return table;
}

// Returns the style classes of a transaction type: one of the colours t0 to t4, and dashes.
std::string transaction_colour(std::size_t index) {
  constexpr std::size_t colours = 5;
  constexpr std::size_t dashes = 4;
  return fmt::format("t{} d{}", index % colours, index / colours % dashes);
}

struct SpectrumLine {
  std::string name;
  std::string classes;
  const measure::HistogramSnapshot* histogram = nullptr;
  std::optional<double> limit_s;
};

std::vector<SpectrumLine> spectrum_lines(const Result& result) {
  std::vector<SpectrumLine> lines;
  for (std::size_t i = 0; i < result.transactions.size(); ++i) {
    const TransactionResult& one = result.transactions[i];
    if (one.latency.empty()) continue;
    lines.push_back({one.name, transaction_colour(i), &one.latency, one.latency_limit_s});
  }
  if (result.deferred_delivery && !result.deferred_delivery->latency.empty()) {
    lines.push_back({"Deferred Delivery", "t5 d1", &result.deferred_delivery->latency,
                     result.deferred_delivery->latency_limit_s});
  }
  return lines;
}

// Fits the axis to the curves, and to the limits that are near. Returns the limits that are too far
// above the curves.
std::string fit_axis(Panel& panel, const std::vector<SpectrumLine>& lines) {
  double lowest = 0;
  double highest = 0;
  for (const Curve& curve : panel.curves) {
    for (const auto& piece : curve.pieces) {
      for (const CurvePoint& point : piece) {
        if (point.y > 0 && (lowest == 0 || point.y < lowest)) lowest = point.y;
        highest = std::max(highest, point.y);
      }
    }
  }
  std::map<double, std::string> limits;  // the transaction types of each limit in ms
  for (const SpectrumLine& line : lines) {
    if (!line.limit_s || *line.limit_s <= 0) continue;
    std::string& names = limits[*line.limit_s * 1000];
    names += (names.empty() ? "" : ", ") + line.name;
  }
  std::string beyond;
  constexpr double percent_of_limits = 90;
  for (const auto& [ms, names] : limits) {
    if (highest > 0 && ms > highest * limit_within_factor) {
      beyond +=
          fmt::format("{}{} for {}", beyond.empty() ? "" : "; ", milliseconds_label(ms), names);
      continue;
    }
    constexpr double room = 1.5;  // for the label above the line
    highest = std::max(highest, ms * room);
    std::string label = "limit " + milliseconds_label(ms);
    if (limits.size() > 1 && names.find(',') == std::string::npos) label += ", " + names;
    panel.marks.push_back(
        {.y = ms, .x = inverse_of_percent(percent_of_limits), .label = std::move(label)});
  }
  if (lowest == 0) lowest = highest;
  panel.axis = logarithmic_axis(lowest, highest, Quantity::milliseconds);
  return beyond;
}

std::string percent_text(double percent) {
  if (percent < 99) return fmt::format("{:.0f}%", percent);
  if (percent < 99.9) return fmt::format("{:.1f}%", percent);
  return fmt::format("{:.2f}%", percent);
}

std::vector<ReadOut> spectrum_read_outs(const std::vector<SpectrumLine>& lines) {
  constexpr double a_decade = 16;
  constexpr double decades = 4;
  std::vector<ReadOut> read_outs;
  for (double step = 0; step < decades * a_decade; ++step) {
    const double start = std::pow(10.0, step / a_decade);
    const double end = std::pow(10.0, (step + 1) / a_decade);
    const double inverse = std::sqrt(start * end);
    const double percent = (1 - 1 / inverse) * 100;
    ReadOut read_out{.start = start, .end = end, .lines = {percent_text(percent)}};
    for (const SpectrumLine& line : lines) {
      const bool known = inverse <= static_cast<double>(line.histogram->count());
      read_out.lines.push_back(
          line.name + " " + (known ? latency_text(line.histogram->percentile_ns(percent)) : "–"));
    }
    read_outs.push_back(std::move(read_out));
  }
  return read_outs;
}

Table spectrum_table(const std::vector<SpectrumLine>& lines) {
  Table table{.caption = only_page("Latency by percentile; –: the sample is too small"),
              .columns = page_columns("Percentile", {})};
  for (const SpectrumLine& line : lines) table.columns.push_back({only_page(line.name)});
  for (const double percent : {50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99}) {
    std::vector<Cell> cells = {fmt::format("{:g}%", percent)};
    for (const SpectrumLine& line : lines) {
      const double samples = static_cast<double>(line.histogram->count());
      const bool known = inverse_of_percent(percent) <= samples * (1 + 1e-9);
      cells.emplace_back(known ? latency_text(line.histogram->percentile_ns(percent)) : "–");
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string describe_spectrum(const std::vector<SpectrumLine>& lines, const std::string& beyond) {
  std::string text =
      "Latency by percentile: at 99%, one transaction in a hundred took longer. A curve ends where "
      "the sample is too small for higher percentiles.";
  if (!beyond.empty())
    text += " Limits of the 90th percentile far above the chart: " + beyond + ".";
  else if (std::ranges::any_of(lines, [](const auto& line) { return line.limit_s.has_value(); }))
    text += " The limits apply at 90%.";
  return text;
}

Chart spectrum_chart(std::string id, std::string title, std::string description, Panel panel) {
  return {.id = std::move(id),
          .title = std::move(title),
          .description = std::move(description),
          .x = Scale::logarithmic(1, spectrum_inverse_max),
          .x_ticks = {{1, "0%"},
                      {2, "50%", true},
                      {10, "90%"},
                      {100, "99%"},
                      {1'000, "99.9%", true},
                      {10'000, "99.99%"}},
          .x_title = "percentile",
          .panels = {std::move(panel)}};
}

Paragraph nothing_to_draw(const char* reason) {
  return {only_page(reason), "lead"};
}

// Returns the style classes of a result's curves: colour, dashes, and of-K for its switch.
std::string result_classes(std::size_t index) {
  return fmt::format("r{} d{} of-{}", index % result_colours, index / result_colours, index + 1);
}

// Appends a result's outages and stalls in a lane of its own.
void append_outages(Chart& chart, const Timeline& timeline, const std::string& name,
                    const std::string& classes) {
  for (const TimeSpan& outage : timeline.outages) {
    chart.bands.push_back(
        {.start = outage.start_s,
         .end = outage.end_s,
         .classes = "event " + classes,
         .label =
             fmt::format("{} {}", outage.name, text::length_text(outage.end_s - outage.start_s)),
         .description = fmt::format("{} of {}, of {}", outage.title(), outage.length_text(), name),
         .lane = chart.lanes,
         .block_in_lane = true,
         .edge_in_lane = true});
  }
  if (!timeline.outages.empty()) ++chart.lanes;
}

Block time_overlay(const std::vector<NamedResult>& results) {
  std::vector<Timeline> timelines;
  for (const NamedResult& one : results)
    timelines.push_back(make_timeline(one.result, columns_of_overlay_max));
  double start = 0;
  double end = 0;
  double commits = 0;
  bool thinned = false;
  for (const Timeline& timeline : timelines) {
    thinned = thinned || timeline.thinned;
    start = std::min(start, timeline.start_s);
    end = std::max(end, timeline.end_s);
    commits = std::max(commits, timeline.highest(TimeFigure::commits));
  }
  if (end <= start) return nothing_to_draw("The results have no time series.");
  Chart chart{.id = "all-time-chart",
              .title = "Throughput and latency over time",
              .description = thinned
                                 ? "One curve per result. Lines are means over several seconds; "
                                   "the section of each result shows its extremes."
                                 : "One curve per result; each point covers one second.",
              .x = Scale::linear(start, end),
              .x_ticks = time_ticks(start, end, time_ticks_max),
              .x_title = "time since the start of the measured interval"};
  constexpr std::array figures = {TimeFigure::commits, TimeFigure::p90_ms, TimeFigure::p99_ms};
  chart.panels = {{.title = "Throughput, committed per s",
                   .height = 170,
                   .axis = axis_from_zero(commits, Quantity::number)},
                  {.title = "Latency, 90th percentile",
                   .height = 170,
                   .axis = latency_axis(timelines, {TimeFigure::p90_ms})},
                  {.title = "Latency, 99th percentile",
                   .height = 170,
                   .axis = latency_axis(timelines, {TimeFigure::p99_ms})}};
  if (start < 0) {
    chart.bands.push_back(
        {.start = start, .end = 0, .classes = "warm-up", .description = "Warm-up, not measured"});
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Timeline& timeline = timelines[i];
    const std::string classes = result_classes(i);
    const std::string name = fmt::format("{} {}", i + 1, shortened(results[i].name, 100));
    for (std::size_t panel = 0; panel < figures.size(); ++panel) {
      chart.panels[panel].curves.push_back(
          time_curve(timeline, figures[panel], name, classes, false));
    }
    append_outages(chart, timeline, name, classes);
  }
  std::string note;
  if (chart.lanes > 0) {
    note =
        "Blocks above the curves are outages and stalls, in the colour of their result. The shaded "
        "time is the warm-up.";
  } else if (start < 0) {
    note = "The shaded time is the warm-up.";
  }
  return Figure{
      .chart = std::move(chart), .style = "time", .hides_title = false, .note = std::move(note)};
}

// Returns a small chart for each transaction type.
SideBySide latency_overlay(const std::vector<NamedResult>& results) {
  SideBySide charts{.parts = {}, .selector = "div.multiples"};
  std::vector<std::string> names;
  for (const NamedResult& one : results) {
    for (const TransactionResult& transaction : one.result.transactions)
      if (std::ranges::find(names, transaction.name) == names.end())
        names.push_back(transaction.name);
  }
  constexpr std::size_t charts_max = 32;
  if (names.size() > charts_max) names.resize(charts_max);
  for (std::size_t n = 0; n < names.size(); ++n) {
    Panel panel{.height = 170};
    std::vector<SpectrumLine> limits;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const TransactionResult* one = results[i].result.find_transaction(names[n]);
      if (one == nullptr || one->latency.empty()) continue;
      const std::string title = fmt::format("{} {}", i + 1, shortened(results[i].name, 100));
      panel.curves.push_back(spectrum_curve(one->latency, title, result_classes(i)));
      if (limits.empty()) limits.push_back({names[n], "", &one->latency, one->latency_limit_s});
    }
    if (panel.curves.empty()) continue;
    const std::string beyond = fit_axis(panel, limits);
    Chart chart = spectrum_chart(fmt::format("all-latency-{}", n + 1), names[n],
                                 beyond.empty() ? "Latency by percentile, one curve per result."
                                                : "Latency by percentile. The limit, " + beyond +
                                                      ", is far above the chart.",
                                 std::move(panel));
    charts.parts.push_back(
        {Figure{.chart = std::move(chart), .style = "small", .hides_title = false}});
  }
  return charts;
}

}  // namespace

Section time_section(const Result& result, const std::string& id) {
  Section section{.heading = "Over time", .blocks = {}, .id = id + "-time"};
  const Timeline timeline = make_timeline(result, columns_max);
  if (timeline.columns.empty()) {
    section.blocks = {nothing_to_draw("The result has no time series.")};
    return section;
  }
  const WaitEventStack stack = make_wait_event_stack(result, timeline);
  Chart chart{.id = id + "-time-chart",
              .title = "Throughput, latency, errors and load over time",
              .description = describe_time_chart(timeline),
              .x = Scale::linear(timeline.start_s, timeline.end_s),
              .x_ticks = time_ticks(timeline.start_s, timeline.end_s, time_ticks_max),
              .x_title = "time since the start of the measured interval",
              .panels = time_panels(timeline),
              .bands = single_bands(timeline)};
  chart.lanes = (timeline.outages.empty() ? 0 : 1) + (timeline.checkpoints.empty() ? 0 : 1);
  for (const TimelineColumn& column : timeline.columns) {
    chart.read_outs.push_back({.start = column.start_s,
                               .end = column.start_s + timeline.column_s,
                               .lines = read_out_lines(timeline, column)});
  }
  if (!stack.events.empty()) add_stack_panel(stack, timeline, chart);
  const Timeline rows = make_timeline(result, columns_of_table_max);
  section.blocks = {Figure{.chart = std::move(chart),
                           .style = "time",
                           .legends = {band_legend(timeline), stack_legend(stack)}},
                    table_details("Show as a table", time_table(rows))};
  if (const WaitEventStack stacked = make_wait_event_stack(result, rows); !stacked.events.empty()) {
    section.blocks.emplace_back(
        table_details("Show the sessions in the server as a table", stack_table(stacked, rows)));
  }
  return section;
}

Section latency_section(const Result& result, const std::string& id) {
  Section section{.heading = "Latency distribution", .blocks = {}, .id = id + "-latency"};
  const std::vector<SpectrumLine> lines = spectrum_lines(result);
  if (lines.empty()) {
    section.blocks = {nothing_to_draw("No transaction was committed.")};
    return section;
  }
  Panel panel{.title = "Latency", .height = 300};
  for (const SpectrumLine& line : lines)
    panel.curves.push_back(spectrum_curve(*line.histogram, line.name, line.classes));
  const std::string beyond = fit_axis(panel, lines);
  Chart chart = spectrum_chart(id + "-latency-chart", "Latency by percentile",
                               describe_spectrum(lines, beyond), std::move(panel));
  chart.x_title = "percentile of the transactions";
  chart.read_outs = spectrum_read_outs(lines);
  chart.read_outs_stacked = true;
  chart.stacked_classes = {"ink"};
  Legend legend;
  for (const SpectrumLine& line : lines) {
    chart.stacked_classes.push_back(line.classes);
    legend.push_back({line.name, line.classes});
  }
  section.blocks = {
      Figure{.chart = std::move(chart), .style = "spectrum", .legends = {std::move(legend)}},
      table_details("Show as a table", spectrum_table(lines))};
  return section;
}

Section overlay_section(const std::vector<NamedResult>& results) {
  Switches switches;
  for (std::size_t i = 0; i < results.size(); ++i)
    switches.names.push_back(fmt::format("{} {}", i + 1, shortened(results[i].name, 60)));
  return {"Charts of all results",
          {Paragraph{only_page("The switches show and hide results. The curve under the pointer is "
                               "highlighted."),
                     "about no-print"},
           std::move(switches), time_overlay(results),
           Heading{3, only_page("Latency by percentile")}, latency_overlay(results)},
          "charts"};
}

}  // namespace drover::report
