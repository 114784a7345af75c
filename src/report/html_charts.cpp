#include "report/html_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/chart_curves.h"
#include "report/chart_scale.h"
#include "report/html_figures.h"
#include "report/html_style.h"
#include "report/html_table.h"

namespace drover::report {

namespace {

constexpr std::size_t columns_max = 300;
constexpr std::size_t columns_of_overlay_max = 160;
constexpr std::size_t columns_of_table_max = 62;
constexpr std::size_t time_ticks_max = 9;
constexpr std::size_t low_panel_intervals = 2;

// An axis reaches as far as its limit if that is not much further than what was measured.
constexpr double limit_within_factor = 12;

std::vector<Panel> time_panels(const Timeline& timeline) {
  const auto highest = [&](TimeFigure figure) { return timeline.highest(figure); };
  const auto curve = [&](TimeFigure figure, const char* name, const char* classes) {
    return time_curve(timeline, figure, name, classes, true);
  };
  std::vector<Panel> panels;
  panels.push_back({"Throughput, per s",
                    {{"all", "ink"}, {"NewOrder", "t0"}},
                    150,
                    axis_from_zero(highest(TimeFigure::commits), Quantity::number),
                    {curve(TimeFigure::commits, "All committed a second", "ink"),
                     curve(TimeFigure::new_orders, "NewOrder committed a second", "t0")},
                    {}});
  const std::vector<TimeFigure> latencies = {TimeFigure::p50_ms, TimeFigure::p90_ms,
                                             TimeFigure::p99_ms};
  panels.push_back({"Latency",
                    {{"p50", "p50"}, {"p90", "p90"}, {"p99", "p99"}},
                    180,
                    latency_axis({timeline}, latencies),
                    {curve(TimeFigure::p99_ms, "99th percentile", "p99"),
                     curve(TimeFigure::p90_ms, "90th percentile", "p90"),
                     curve(TimeFigure::p50_ms, "Median", "p50")},
                    {}});
  const double errors = std::max(highest(TimeFigure::failed), highest(TimeFigure::retries));
  if (errors > 0) {
    panels.push_back({"Errors, per s",
                      {{"failed", "failed"}, {"retried", "t4"}},
                      70,
                      axis_from_zero(errors, Quantity::number, low_panel_intervals),
                      {curve(TimeFigure::retries, "Retries a second", "t4"),
                       curve(TimeFigure::failed, "Failed a second", "failed")},
                      {}});
  }
  panels.push_back(
      {"Transactions",
       {{"in flight", "t2"}, {"waiting", "t3"}},
       80,
       axis_from_zero(std::max(highest(TimeFigure::in_flight), highest(TimeFigure::waiting)),
                      Quantity::number, low_panel_intervals),
       {curve(TimeFigure::waiting, "Terminals in line for a permit", "t3"),
        curve(TimeFigure::in_flight, "Transactions in flight", "t2")},
       {}});
  if (highest(TimeFigure::client_load) > 0) {
    constexpr double overloaded = 0.8;
    Panel panel{
        "Load of the busiest client thread",
        {},
        70,
        axis_from_zero(highest(TimeFigure::client_load), Quantity::share, low_panel_intervals),
        {curve(TimeFigure::client_load, "Load of the busiest client thread", "t0")},
        {}};
    if (panel.axis.scale.high() > overloaded) panel.marks.push_back({overloaded, {}, "80%"});
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::string mean_text(const TimelineColumn& column, TimeFigure figure) {
  const auto& envelope = column.figure(figure);
  return envelope ? number_label(envelope->mean) : "–";
}

std::string ms_of(const TimelineColumn& column, TimeFigure figure) {
  const auto& envelope = column.figure(figure);
  return envelope ? milliseconds_label(envelope->mean) : "–";
}

// In the order of the panels.
std::vector<std::string> read_out_lines(const TimelineColumn& column, bool errors, bool load) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} · all {}/s · NewOrder {}/s", time_label(column.start_s),
                              mean_text(column, TimeFigure::commits),
                              mean_text(column, TimeFigure::new_orders)));
  lines.push_back(fmt::format("p50 {} · p90 {} · p99 {}", ms_of(column, TimeFigure::p50_ms),
                              ms_of(column, TimeFigure::p90_ms),
                              ms_of(column, TimeFigure::p99_ms)));
  if (errors) {
    lines.push_back(fmt::format("failed {}/s · retried {}/s", mean_text(column, TimeFigure::failed),
                                mean_text(column, TimeFigure::retries)));
  }
  lines.push_back(fmt::format("in flight {} · waiting {}", mean_text(column, TimeFigure::in_flight),
                              mean_text(column, TimeFigure::waiting)));
  const auto& busiest = column.figure(TimeFigure::client_load);
  if (load) lines.push_back("load " + (busiest ? share_text(busiest->mean) : "–"));
  return lines;
}

std::string range_text(const Timeline& timeline, TimeFigure figure, bool milliseconds) {
  std::optional<double> low;
  std::optional<double> high;
  for (const TimelineColumn& column : timeline.columns) {
    const auto& envelope = column.figure(figure);
    if (column.start_s < 0 || !envelope) continue;
    low = low ? std::min(*low, envelope->low) : envelope->low;
    high = high ? std::max(*high, envelope->high) : envelope->high;
  }
  if (!low) return "is not known";
  const auto text = [&](double value) {
    return milliseconds ? milliseconds_label(value) : number_label(value);
  };
  return fmt::format("lies between {} and {}", text(*low), text(*high));
}

std::string describe_time_chart(const Timeline& timeline) {
  std::string text = fmt::format(
      "While measuring, throughput {} a second, the 90th percentile of a second {}, and the 99th "
      "{}. ",
      range_text(timeline, TimeFigure::commits, false),
      range_text(timeline, TimeFigure::p90_ms, true),
      range_text(timeline, TimeFigure::p99_ms, true));
  const bool errors =
      timeline.highest(TimeFigure::failed) + timeline.highest(TimeFigure::retries) > 0;
  if (!errors) text += "No transaction failed or was tried again. ";
  for (const TimeSpan& outage : timeline.outages) {
    text += fmt::format("{} at {} of {}. ", outage.title(), time_label(outage.start_s),
                        span_text(outage));
    if (text.size() > 600) break;
  }
  if (!timeline.checkpoints.empty()) {
    text += fmt::format("{} {} of the server. ", timeline.checkpoints.size(),
                        timeline.checkpoints.size() == 1 ? "checkpoint" : "checkpoints");
  }
  text += timeline.thinned
              ? fmt::format(
                    "Each point stands for {}: lines are means, shades go from the smallest "
                    "second to the largest.",
                    length_text(timeline.column_s))
              : std::string("Each point is a second.");
  return text;
}

void write_band_legend(HtmlWriter& html, const Timeline& timeline) {
  const auto list = html.open("ul", {{"class", "legend"}});
  const auto entry = [&](const char* style, const char* text) {
    const auto item = html.open("li");
    html.line("span", {{"class", std::string("swatch ") + style}}, "");
    html.text(text);
  };
  if (timeline.start_s < 0) entry("warm-up", "warm-up, not measured");
  if (!timeline.outages.empty()) entry("outage", "outage or stall of the database");
  if (!timeline.checkpoints.empty()) entry("checkpoint", "checkpoint of the server");
}

void write_time_table(HtmlWriter& html, const Result& result) {
  const Timeline timeline = make_timeline(result, columns_of_table_max);
  const auto details = html.open("details", {{"class", "no-print"}});
  html.line("summary", "The same as a table");
  HtmlTable table{fmt::format("Means of every {}, from the start of the measurement",
                              length_text(timeline.column_s)),
                  {{"From"},
                   {"Committed/s", true},
                   {"NewOrder/s", true},
                   {"p50", true},
                   {"p90", true},
                   {"p99", true},
                   {"Failed/s", true},
                   {"Retries/s", true},
                   {"In flight", true},
                   {"Waiting", true},
                   {"Client load", true}},
                  {}};
  for (const TimelineColumn& column : timeline.columns) {
    const auto& load = column.figure(TimeFigure::client_load);
    table.rows.push_back(
        {time_label(column.start_s), mean_text(column, TimeFigure::commits),
         mean_text(column, TimeFigure::new_orders), ms_of(column, TimeFigure::p50_ms),
         ms_of(column, TimeFigure::p90_ms), ms_of(column, TimeFigure::p99_ms),
         mean_text(column, TimeFigure::failed), mean_text(column, TimeFigure::retries),
         mean_text(column, TimeFigure::in_flight), mean_text(column, TimeFigure::waiting),
         load ? share_text(load->mean) : "–"});
  }
  write_table(html, table);
}

// The figure around a chart, with its name, its text and what comes after it.
template <typename After>
void write_figure(HtmlWriter& html, const Chart& chart, const char* classes, bool title_is_heading,
                  const After& after) {
  const auto figure = html.open("figure", {{"class", classes}});
  html.line("figcaption", {{"id", chart.id + "-title"}, {"class", title_is_heading ? "vh" : ""}},
            chart.title);
  draw_chart(html, chart);
  after();
  html.line("p", {{"class", "note"}, {"id", chart.id + "-text"}}, chart.description);
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

// Fits the axis to the curves, and to the limits unless these are far away. Returns these.
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
  std::map<double, std::string> limits;  // ms, and whose it is
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
    // With room for the label above it.
    constexpr double room = 1.5;
    highest = std::max(highest, ms * room);
    std::string label = "limit " + milliseconds_label(ms);
    if (limits.size() > 1 && names.find(',') == std::string::npos) label += ", " + names;
    panel.marks.push_back({ms, inverse_of_percent(percent_of_limits), std::move(label)});
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
    ReadOut read_out{start, end, {percent_text(percent)}};
    for (const SpectrumLine& line : lines) {
      const bool known = inverse <= static_cast<double>(line.histogram->count());
      read_out.lines.push_back(
          line.name + " " + (known ? latency_text(line.histogram->percentile_ns(percent)) : "–"));
    }
    read_outs.push_back(std::move(read_out));
  }
  return read_outs;
}

void write_spectrum_table(HtmlWriter& html, const std::vector<SpectrumLine>& lines) {
  const auto details = html.open("details", {{"class", "no-print"}});
  html.line("summary", "The same as a table");
  HtmlTable table{
      "Latency by percentile; – where the sample is too small to have it", {{"Percentile"}}, {}};
  for (const SpectrumLine& line : lines) table.columns.push_back({line.name, true});
  for (const double percent : {50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99}) {
    HtmlRow row = {fmt::format("{:g}%", percent)};
    for (const SpectrumLine& line : lines) {
      const double samples = static_cast<double>(line.histogram->count());
      const bool known = inverse_of_percent(percent) <= samples * (1 + 1e-9);
      row.push_back(known ? latency_text(line.histogram->percentile_ns(percent)) : "–");
    }
    table.rows.push_back(std::move(row));
  }
  write_table(html, table);
}

std::string describe_spectrum(const std::vector<SpectrumLine>& lines, const std::string& beyond) {
  std::string text =
      "How long the slowest took: at 99%, one in a hundred took longer. A curve ends "
      "where its sample is too small for more.";
  if (!beyond.empty()) {
    text += " Limits of the 90th percentile that lie far above the chart: " + beyond + ".";
  } else if (std::ranges::any_of(lines,
                                 [](const auto& line) { return line.limit_s.has_value(); })) {
    text += " The limits apply at 90%.";
  }
  return text;
}

void write_nothing(HtmlWriter& html, const char* what) {
  html.line("p", {{"class", "lead"}}, what);
}

}  // namespace

std::string result_classes(std::size_t index) {
  return fmt::format("r{} d{} of-{}", index % result_colours, index / result_colours, index + 1);
}

void write_time_chart(HtmlWriter& html, const Result& result, const std::string& id, int level) {
  const auto section = html.open("section", {{"id", id + "-time"}});
  write_heading(html, level, "Over time");
  const Timeline timeline = make_timeline(result, columns_max);
  if (timeline.columns.empty()) {
    return write_nothing(html, "The result has no time series.");
  }
  Chart chart{id + "-time-chart",
              "Throughput, latency, errors and load over time",
              describe_time_chart(timeline),
              Scale::linear(timeline.start_s, timeline.end_s),
              time_ticks(timeline.start_s, timeline.end_s, time_ticks_max),
              "time since the start of the measurement",
              time_panels(timeline),
              single_bands(timeline)};
  chart.lanes = (timeline.outages.empty() ? 0 : 1) + (timeline.checkpoints.empty() ? 0 : 1);
  const bool errors =
      timeline.highest(TimeFigure::failed) + timeline.highest(TimeFigure::retries) > 0;
  const bool load = timeline.highest(TimeFigure::client_load) > 0;
  for (const TimelineColumn& column : timeline.columns) {
    chart.read_outs.push_back(
        {column.start_s, column.start_s + timeline.column_s, read_out_lines(column, errors, load)});
  }
  write_figure(html, chart, "time", true, [&] { write_band_legend(html, timeline); });
  write_time_table(html, result);
}

void write_spectrum_chart(HtmlWriter& html, const Result& result, const std::string& id,
                          int level) {
  const auto section = html.open("section", {{"id", id + "-latency"}});
  write_heading(html, level, "Latency distribution");
  const std::vector<SpectrumLine> lines = spectrum_lines(result);
  if (lines.empty()) return write_nothing(html, "No transaction was committed.");
  Panel panel{"Latency", {}, 300, {Scale::linear(0, 1), {}}, {}, {}};
  for (const SpectrumLine& line : lines) {
    panel.curves.push_back(spectrum_curve(*line.histogram, line.name, line.classes));
  }
  const std::string beyond = fit_axis(panel, lines);
  Chart chart{id + "-latency-chart",
              "Latency by percentile",
              describe_spectrum(lines, beyond),
              spectrum_scale(),
              spectrum_ticks(),
              "percentile of the transactions",
              {},
              {}};
  chart.panels.push_back(std::move(panel));
  chart.read_outs = spectrum_read_outs(lines);
  chart.read_outs_stacked = true;
  chart.stacked_classes = {"ink"};
  for (const SpectrumLine& line : lines) chart.stacked_classes.push_back(line.classes);
  const auto legend = [&] {
    const auto list = html.open("ul", {{"class", "legend"}});
    for (const SpectrumLine& line : lines) {
      const auto item = html.open("li");
      html.line("span", {{"class", line.classes}, {"aria-hidden", "true"}}, "■ ");
      html.text(line.name);
    }
  };
  write_figure(html, chart, "spectrum", true, legend);
  write_spectrum_table(html, lines);
}

void write_time_overlay(HtmlWriter& html, const std::vector<NamedResult>& results) {
  std::vector<Timeline> timelines;
  for (const NamedResult& one : results) {
    timelines.push_back(make_timeline(one.result, columns_of_overlay_max));
  }
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
  if (end <= start) return write_nothing(html, "The results have no time series.");
  Chart chart{
      "all-time-chart",
      "Throughput and latency over time",
      thinned ? "A curve a result. Lines are means of some seconds each; each result's own part of "
                "this report shows its extremes."
              : "A curve a result; each of its points is a second.",
      Scale::linear(start, end),
      time_ticks(start, end, time_ticks_max),
      "time since the start of the measurement",
      {},
      {}};
  chart.panels = {
      {"Throughput, all committed per s",
       {},
       170,
       axis_from_zero(commits, Quantity::number),
       {},
       {}},
      {"Latency, 90th percentile", {}, 170, latency_axis(timelines, {TimeFigure::p90_ms}), {}, {}},
      {"Latency, 99th percentile", {}, 170, latency_axis(timelines, {TimeFigure::p99_ms}), {}, {}}};
  if (start < 0) chart.bands.push_back({start, 0, "warm-up", "", "Warm-up, not measured", 0});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Timeline& timeline = timelines[i];
    const std::string classes = result_classes(i);
    const std::string name = fmt::format("{} {}", i + 1, shortened(results[i].name, 100));
    const std::array figures = {TimeFigure::commits, TimeFigure::p90_ms, TimeFigure::p99_ms};
    for (std::size_t panel = 0; panel < figures.size(); ++panel) {
      chart.panels[panel].curves.push_back(
          time_curve(timeline, figures[panel], name, classes, false));
    }
    for (const TimeSpan& outage : timeline.outages) {
      chart.bands.push_back(
          {outage.start_s, outage.end_s, "event " + classes,
           fmt::format("{} {}", outage.name, length_text(outage.end_s - outage.start_s)),
           fmt::format("{} of {}, of {}", outage.title(), span_text(outage), name), chart.lanes,
           true, true});
    }
    if (!timeline.outages.empty()) ++chart.lanes;
  }
  write_figure(html, chart, "time", false, [&] {
    if (start < 0 || chart.lanes > 0) {
      html.line("p", {{"class", "note"}},
                chart.lanes > 0
                    ? "Blocks above the curves are outages and stalls, in the colour of their "
                      "result; the shade is the warm-up."
                    : "The shade is the warm-up.");
    }
  });
}

void write_spectrum_overlay(HtmlWriter& html, const std::vector<NamedResult>& results) {
  std::vector<std::string> names;
  for (const NamedResult& one : results) {
    for (const TransactionResult& transaction : one.result.transactions) {
      if (std::ranges::find(names, transaction.name) == names.end()) {
        names.push_back(transaction.name);
      }
    }
  }
  constexpr std::size_t charts_max = 32;
  if (names.size() > charts_max) names.resize(charts_max);
  const auto grid = html.open("div", {{"class", "multiples"}});
  for (std::size_t n = 0; n < names.size(); ++n) {
    Panel panel{"", {}, 170, {Scale::linear(0, 1), {}}, {}, {}};
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
    Chart chart{fmt::format("all-latency-{}", n + 1),
                names[n],
                beyond.empty() ? "Latency by percentile, a curve a result."
                               : "Latency by percentile. Its limit, " + beyond + ", is far above.",
                spectrum_scale(),
                spectrum_ticks(),
                "percentile",
                {},
                {}};
    chart.panels.push_back(std::move(panel));
    write_figure(html, chart, "small", false, [] {});
  }
}

}  // namespace drover::report
