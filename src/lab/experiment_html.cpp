// The page of an experiment: one self-contained file with its pictures, its table, how it was
// measured and on what. Looks as the reports do, opens without a network, and nothing in it runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lab/experiment.h"
#include "report/model/chart.h"
#include "report/model/html_writer.h"
#include "report/page/html_table.h"
#include "report/page/report.h"
#include "text/plain_text.h"

namespace drover::lab {
namespace {

using report::HtmlWriter;

constexpr const char* policy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

// One curve for each subject and setting of the other factors: the first one is along the axis.
struct Line {
  std::string name;
  std::vector<report::CurvePoint> points;
};

std::string line_name(const Experiment& experiment, const Cell& cell) {
  std::string name = cell.subject;
  for (std::size_t i = 1; i < experiment.factors.size(); ++i) {
    std::set<std::int64_t> values;
    for (const Cell& other : experiment.cells) values.insert(other.settings[i]);
    values.erase(no_setting);
    if (values.size() < 2 || cell.settings[i] == no_setting) continue;
    name += ", " + text::counted_of_plural(cell.settings[i], experiment.factors[i].title);
  }
  return name;
}

std::vector<Line> lines_of(const Experiment& experiment, const Picture& picture) {
  std::vector<Line> lines;
  for (const Cell& cell : experiment.cells) {
    const auto spread = spread_of(cell, picture.figure);
    if (!spread) continue;
    const std::string name = line_name(experiment, cell);
    auto line = std::ranges::find(lines, name, &Line::name);
    if (line == lines.end()) line = lines.insert(lines.end(), Line{name, {}});
    line->points.push_back(
        {static_cast<double>(cell.settings[0]), spread->low, spread->median, spread->high});
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
      .height = 300,
      .axis = picture.logarithmic
                  ? report::logarithmic_axis(lowest, highest, report::Quantity::number)
                  : report::axis_from_zero(highest, report::Quantity::number)};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    panel.keys.push_back({lines[i].name, colour(i)});
    panel.curves.push_back({lines[i].name, colour(i), {lines[i].points}, true});
  }
  return {
      .id = fmt::format("picture-{}", number),
      .title = picture.title,
      .description = fmt::format("{} by {}. The line shows the medians of the rounds, the band the "
                                 "range from the lowest to the highest round.",
                                 figure.title, experiment.factors[0].title),
      .x = first > 0 ? report::Scale::logarithmic(first, last) : report::Scale::linear(first, last),
      .x_ticks = ticks_of(across),
      .x_title = experiment.factors[0].title,
      .panels = {std::move(panel)}};
}

// A map is a table whose cells are shaded by their value, so that it can be read by eyes, by a
// screen reader and on paper alike. A ratio around 1 is shaded away from 1 in two hues, everything else from its lowest value to its
// highest in one. The figure's unit says which: a ratio's is "x".
constexpr report::Literal heat_map_style = R"css(
.map td { text-align: center; min-width: 4.5em; }
.map .h1 { background: rgba(10, 95, 180, .08); } .map .h2 { background: rgba(10, 95, 180, .2); }
.map .h3 { background: rgba(10, 95, 180, .34); } .map .h4 { background: rgba(10, 95, 180, .5); }
.map .l1 { background: rgba(204, 85, 0, .08); } .map .l2 { background: rgba(204, 85, 0, .2); }
.map .l3 { background: rgba(204, 85, 0, .34); } .map .l4 { background: rgba(204, 85, 0, .5); }
)css";

struct Map {
  std::set<std::int64_t> across;
  std::set<std::int64_t> upwards;
  std::map<std::pair<std::int64_t, std::int64_t>, Spread> values;
  double low = 0;
  double high = 0;
};

Map map_of(const Experiment& experiment, const Picture& picture) {
  Map map;
  for (const Cell& cell : experiment.cells) {
    if (cell.subject != picture.subject) continue;
    const auto spread = spread_of(cell, picture.figure);
    if (!spread) continue;
    const std::int64_t across = cell.settings[0];
    const std::int64_t upwards = cell.settings[1];
    map.low = map.values.empty() ? spread->median : std::min(map.low, spread->median);
    map.high = map.values.empty() ? spread->median : std::max(map.high, spread->median);
    map.across.insert(across);
    map.upwards.insert(upwards);
    map.values[{across, upwards}] = *spread;
  }
  return map;
}

std::string shade(const Map& map, double value, bool is_ratio) {
  const auto step = [](double share) {
    return std::clamp(static_cast<int>(std::ceil(share * 4)), 0, 4);
  };
  if (!is_ratio) {
    return map.high > map.low ? fmt::format("h{}", step((value - map.low) / (map.high - map.low)))
                              : "h1";
  }
  // A tenth away from 1 at least stands for the full colour: noise should not shine.
  const double reach = std::max({map.high - 1, 1 - map.low, 0.1});
  return value >= 1 ? fmt::format("h{}", step((value - 1) / reach))
                    : fmt::format("l{}", step((1 - value) / reach));
}

void draw_heat_map(HtmlWriter& html, const Experiment& experiment, const Picture& picture) {
  const Map map = map_of(experiment, picture);
  const Figure& figure = experiment.figures[picture.figure];
  const std::string caption =
      fmt::format("{} of {}: a column per number of {}, a row per number of {}", figure.title,
                  picture.subject, experiment.factors[0].title, experiment.factors[1].title);
  const auto frame = report::open_table_frame(html, caption);
  const auto table = html.open("table.map");
  html.line("caption", caption);
  std::vector<report::HtmlColumn> columns = {{experiment.factors[1].title}};
  for (const std::int64_t across : map.across) columns.push_back({fmt::format("{}", across), true});
  report::write_table_head(html, columns);
  const auto body = html.open("tbody");
  for (const std::int64_t upwards : map.upwards) {
    const auto row = html.open("tr");
    html.line("th", {{"scope", "row"}}, fmt::format("{}", upwards));
    for (const std::int64_t across : map.across) {
      const auto found = map.values.find({across, upwards});
      if (found == map.values.end()) {
        html.line("td", "–");
        continue;
      }
      html.line("td", {{"class", shade(map, found->second.median, figure.unit == "x")}},
                spread_text(found->second));
    }
  }
}

void write_picture(HtmlWriter& html, const Experiment& experiment, const Picture& picture,
                   std::size_t number) {
  const auto section = html.open("section");
  html.line("h2", picture.title);
  const auto figure = html.open("figure");
  if (!picture.subject.empty()) {
    draw_heat_map(html, experiment, picture);
    return;
  }
  const report::Chart chart = chart_of(experiment, picture, number);
  html.line("figcaption", {{"id", chart.id + "-title"}, {"class", "vh"}}, chart.title);
  report::draw_chart(html, chart);
  html.line("p.note", {{"id", chart.id + "-text"}}, chart.description);
}

void write_cells(HtmlWriter& html, const Experiment& experiment) {
  const auto section = html.open("section");
  html.line("h2", "Figures");
  report::HtmlTable table;
  table.caption =
      has_spread(experiment)
          ? "Medians of the rounds. ±: half the range from the lowest to the highest round"
          : "One round only, so the spread is unknown";
  table.columns.push_back({"Subject"});
  for (const Factor& factor : experiment.factors) table.columns.push_back({factor.title, true});
  for (const Figure& figure : experiment.figures) {
    table.columns.push_back({title_with_unit(figure), true});
  }
  for (const Cell& cell : experiment.cells) {
    table.rows.push_back(row_of(experiment, cell, "–"));
  }
  report::write_table(html, table);
  for (const Cell& cell : experiment.cells) {
    if (cell.note.empty()) continue;
    html.line("p.note", fmt::format("{}: {}", cell_name(cell), cell.note));
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
  html.style_sheet(report::report_style());
  html.style_sheet(heat_map_style);
}

void write_origin(HtmlWriter& html, const Experiment& experiment) {
  const auto section = html.open("section");
  html.line("h2", "Machine and command");
  report::write_pairs(
      html, "Machine, program and command",
      {{"Command", experiment.command},
       {"Started", experiment.started_at},
       {"Processors", fmt::format("{} x {}", experiment.host.cpus, experiment.host.cpu_model)},
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
      html.line("p.lead", experiment.question);
    }
    const auto main = html.open("main");
    if (experiment.interrupted) html.line("p", {}, interrupted_sentence);
    write_list(html, "Findings", experiment.findings);
    for (std::size_t i = 0; i < experiment.pictures.size(); ++i) {
      write_picture(html, experiment, experiment.pictures[i], i + 1);
    }
    write_cells(html, experiment);
    write_list(html, "Method", experiment.method);
    std::vector<std::string> published;
    for (const Published& one : experiment.published) {
      published.push_back(one.source + ": " + one.text);
    }
    write_list(html, "Published figures of other programs", published);
    write_origin(html, experiment);
  }
  return html.take();
}

}  // namespace drover::lab
