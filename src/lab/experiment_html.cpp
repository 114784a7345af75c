#include "lab/experiment_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/experiment_text.h"
#include "lab/heat_map.h"
#include "report/html_style.h"
#include "report/html_table.h"
#include "report/html_writer.h"
#include "report/svg_chart.h"

namespace drover::lab {
namespace {

using report::HtmlWriter;

constexpr const char* policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

// One curve for each subject and setting of the other factors: the factor across is along the axis.
struct Line {
  std::string name;
  std::vector<report::CurvePoint> points;
};

std::string line_name(const Experiment& experiment, const Picture& picture, const Cell& cell) {
  std::string name = cell.subject;
  for (std::size_t i = 0; i < experiment.factors.size(); ++i) {
    if (i == picture.across) continue;
    std::set<std::int64_t> values;
    for (const Cell& other : experiment.cells) values.insert(other.settings[i]);
    values.erase(no_setting);
    if (values.size() < 2 || cell.settings[i] == no_setting) continue;
    name += ", " + counted(cell.settings[i], experiment.factors[i].title);
  }
  return name;
}

std::vector<Line> lines_of(const Experiment& experiment, const Picture& picture) {
  std::vector<Line> lines;
  for (const Cell& cell : experiment.cells) {
    const auto spread = spread_of(cell, picture.figure);
    if (!spread) continue;
    const std::string name = line_name(experiment, picture, cell);
    auto line = std::ranges::find(lines, name, &Line::name);
    if (line == lines.end()) line = lines.insert(lines.end(), Line{name, {}});
    line->points.push_back({static_cast<double>(cell.settings[picture.across]), spread->low,
                            spread->median, spread->high});
  }
  for (Line& line : lines) std::ranges::sort(line.points, {}, &report::CurvePoint::x);
  return lines;
}

std::string colour(std::size_t line) {
  return fmt::format("r{} d{}", line % report::result_colours, line / report::result_colours % 3);
}

// Every value that was measured is a tick; of many the wide screen alone shows each.
std::vector<report::Tick> ticks_of(const std::set<double>& values) {
  std::vector<report::Tick> ticks;
  std::size_t i = 0;
  const std::size_t step = (values.size() + 8) / 9;
  for (const double value : values) {
    if (i++ % step == 0) {
      ticks.push_back({value, report::number_label(value), ticks.size() % 2 == 1});
    }
  }
  return ticks;
}

report::Chart chart_of(const Experiment& experiment, const Picture& picture, std::size_t number) {
  const std::vector<Line> lines = lines_of(experiment, picture);
  std::set<double> across;
  double highest = 0;
  double lowest = 0;
  for (const Line& line : lines) {
    for (const auto& point : line.points) {
      across.insert(point.x);
      highest = std::max(highest, point.high);
      if (point.low > 0 && (lowest == 0 || point.low < lowest)) lowest = point.low;
    }
  }
  const Figure& figure = experiment.figures[picture.figure];
  const double first = across.empty() ? 0 : *across.begin();
  const double last = across.empty() ? 1 : *across.rbegin();
  report::Panel panel{
      .title = title_with_unit(figure),
      .keys = {},
      .height = 300,
      .axis = picture.logarithmic
                  ? report::logarithmic_axis(lowest, highest, report::Quantity::number)
                  : report::axis_from_zero(highest, report::Quantity::number),
      .curves = {},
      .marks = {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    panel.keys.push_back({lines[i].name, colour(i)});
    panel.curves.push_back({lines[i].name, colour(i), {lines[i].points}, true});
  }
  report::Chart chart{
      .id = fmt::format("picture-{}", number),
      .title = picture.title,
      .description = fmt::format("{} over {}; the line joins the medians of the rounds, the band "
                                 "is from the lowest to the highest.",
                                 figure.title, experiment.factors[picture.across].title),
      .x = first > 0 ? report::Scale::logarithmic(first, last) : report::Scale::linear(first, last),
      .x_ticks = ticks_of(across),
      .x_title = experiment.factors[picture.across].title};
  chart.panels.push_back(std::move(panel));
  return chart;
}

void write_picture(HtmlWriter& html, const Experiment& experiment, const Picture& picture,
                   std::size_t number) {
  const auto section = html.open("section");
  html.line("h2", picture.title);
  const auto figure = html.open("figure");
  if (picture.kind == Picture::Kind::map) {
    draw_heat_map(html, experiment, picture);
    return;
  }
  const report::Chart chart = chart_of(experiment, picture, number);
  html.line("figcaption", {{"id", chart.id + "-title"}, {"class", "vh"}}, chart.title);
  report::draw_chart(html, chart);
  html.line("p", {{"class", "note"}, {"id", chart.id + "-text"}}, chart.description);
}

void write_cells(HtmlWriter& html, const Experiment& experiment) {
  const auto section = html.open("section");
  html.line("h2", "Figures");
  report::HtmlTable table;
  table.caption = has_spread(experiment)
                      ? "Medians of the rounds; ± is half of what the rounds spread over"
                      : "Of one round: how far it would spread is not known";
  table.columns.push_back({"Subject"});
  for (const Factor& factor : experiment.factors) table.columns.push_back({factor.title, true});
  for (const Figure& figure : experiment.figures) {
    table.columns.push_back({title_with_unit(figure), true});
  }
  for (const Cell& cell : experiment.cells) {
    report::HtmlRow row = {cell.subject};
    for (const std::int64_t setting : cell.settings) row.push_back(setting_text(setting));
    for (std::size_t i = 0; i < experiment.figures.size(); ++i) {
      const auto spread = spread_of(cell, i);
      row.push_back(spread ? spread_text(*spread) : "–");
    }
    table.rows.push_back(std::move(row));
  }
  report::write_table(html, table);
  for (const Cell& cell : experiment.cells) {
    if (cell.note.empty()) continue;
    html.line("p", {{"class", "note"}}, fmt::format("{}: {}", cell_name(cell), cell.note));
  }
}

void write_list(HtmlWriter& html, const char* title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  const auto section = html.open("section");
  html.line("h2", title);
  const auto list = html.open("ul");
  for (const std::string& sentence : sentences) html.line("li", sentence);
}

void write_head(HtmlWriter& html, const std::string& title) {
  const auto head = html.open("head");
  html.leaf("meta", {{"charset", "utf-8"}});
  html.leaf("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
  html.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.leaf("link", {{"rel", "icon"}, {"href", "data:,"}});
  html.line("title", title);
  html.style_sheet(report::report_style);
  html.style_sheet(heat_map_style);
}

void write_origin(HtmlWriter& html, const Experiment& experiment) {
  const auto section = html.open("section");
  html.line("h2", "Where and how");
  report::write_pairs(
      html, "The machine and the program",
      {{"Command", experiment.command},
       {"Begun", experiment.started_at},
       {"Processors", fmt::format("{} of {}", experiment.host.cpus, experiment.host.cpu_model)},
       {"System", experiment.host.os},
       {"Host", experiment.host.hostname},
       {"Program", experiment.tool}});
}

}  // namespace

std::string experiment_html(const Experiment& experiment) {
  HtmlWriter html;
  {
    const std::string title = fmt::format("Lab: {} – Drover", experiment.name);
    const auto document = html.open("html", {{"lang", "en"}});
    write_head(html, title);
    const auto body = html.open("body");
    {
      const auto header = html.open("header");
      html.line("h1", fmt::format("Lab: {}", experiment.name));
      html.line("p", {{"class", "lead"}}, experiment.question);
    }
    const auto main = html.open("main");
    if (experiment.interrupted) html.line("p", {}, interrupted_sentence);
    write_list(html, "What it comes to", experiment.findings);
    for (std::size_t i = 0; i < experiment.pictures.size(); ++i) {
      write_picture(html, experiment, experiment.pictures[i], i + 1);
    }
    write_cells(html, experiment);
    write_list(html, "How it is measured", experiment.method);
    std::vector<std::string> published;
    for (const Published& one : experiment.published) {
      published.push_back(one.source + ": " + one.text);
    }
    write_list(html, "What others published of it", published);
    write_origin(html, experiment);
  }
  return html.take();
}

}  // namespace drover::lab
