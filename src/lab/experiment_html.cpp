// The HTML page of an experiment: findings, charts, table, method, machine and command.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lab/experiment.h"
#include "report/model/model.h"
#include "text/plain_text.h"

namespace drover::lab {
namespace {

using report::Blocks;
using report::only_page;
using report::Section;

// A curve over the first factor, for one subject and one setting of the remaining factors.
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

// Returns at most nine ticks at measured values. Narrow screens leave out every second one.
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

// A map is a table whose cells are shaded by their value, so that screen readers and paper show it,
// too. Ratios, whose unit is "x", have one hue above 1 and another below 1. Other figures are
// shaded from their lowest value to their highest in one hue.
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
  // The full colour stands for a ratio that is at least 0.1 away from 1, so that noise stays pale.
  const double reach = std::max({map.high - 1, 1 - map.low, 0.1});
  return value >= 1 ? fmt::format("h{}", step((value - 1) / reach))
                    : fmt::format("l{}", step((1 - value) / reach));
}

report::Table heat_map(const Experiment& experiment, const Picture& picture) {
  const Map map = map_of(experiment, picture);
  const Figure& figure = experiment.figures[picture.figure];
  report::Table table{
      .caption = only_page(
          fmt::format("{} of {}: a column per number of {}, a row per number of {}", figure.title,
                      picture.subject, experiment.factors[0].title, experiment.factors[1].title)),
      .columns = {{only_page(experiment.factors[1].title), false}},
      .style = "map"};
  for (const std::int64_t across : map.across)
    table.columns.push_back({only_page(fmt::format("{}", across))});
  for (const std::int64_t upwards : map.upwards) {
    std::vector<report::Cell> cells = {fmt::format("{}", upwards)};
    for (const std::int64_t across : map.across) {
      const auto found = map.values.find({across, upwards});
      const bool known = found != map.values.end();
      report::Cell& cell = cells.emplace_back(known ? spread_text(found->second) : "–");
      if (known) cell.style = shade(map, found->second.median, figure.unit == "x");
    }
    table.add(std::move(cells));
  }
  return table;
}

Section picture_section(const Experiment& experiment, const Picture& picture, std::size_t number) {
  if (!picture.subject.empty()) return {picture.title, {heat_map(experiment, picture)}};
  return {picture.title, {report::Figure{.chart = chart_of(experiment, picture, number)}}};
}

Section figures_section(const Experiment& experiment) {
  report::Table table{
      .caption = only_page(
          has_spread(experiment)
              ? "Medians of the rounds. ±: half the range from the lowest to the highest round"
              : "One round only, so the spread is unknown"),
      .columns = {{only_page("Subject"), false}}};
  for (const Factor& factor : experiment.factors)
    table.columns.push_back({only_page(factor.title)});
  for (const Figure& figure : experiment.figures)
    table.columns.push_back({only_page(title_with_unit(figure))});
  Blocks notes;
  for (const Cell& cell : experiment.cells) {
    const std::vector<std::string> texts = row_of(experiment, cell, "–");
    table.add({texts.begin(), texts.end()});
    if (cell.note.empty()) continue;
    notes.emplace_back(
        report::Paragraph{only_page(fmt::format("{}: {}", cell_name(cell), cell.note)), "note"});
  }
  Section section{"Figures", {std::move(table)}};
  report::append(section.blocks, std::move(notes));
  return section;
}

void append_list(Blocks& content, const char* title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  content.emplace_back(
      Section{title, {report::Items{.items = {sentences.begin(), sentences.end()}}}});
}

Section origin_section(const Experiment& experiment) {
  return {
      "Machine and command",
      {report::pairs_table(
          "Machine, program and command",
          {{"Command", experiment.command},
           {"Started", experiment.started_at},
           {"Processors", fmt::format("{} x {}", experiment.host.cpus, experiment.host.cpu_model)},
           {"System", experiment.host.os},
           {"Host", experiment.host.hostname},
           {"Program", experiment.tool}})}};
}

}  // namespace

std::string experiment_html(const Experiment& experiment) {
  const std::string title = fmt::format("Lab: {}", experiment.name);
  report::Page page{
      .title = title + " – Drover",
      .header = {report::Heading{1, title}, report::Paragraph{experiment.question, "lead"}},
      .style = heat_map_style};
  Blocks& content = page.content;
  if (experiment.interrupted)
    content.emplace_back(report::Paragraph{std::string(interrupted_sentence)});
  append_list(content, "Findings", experiment.findings);
  for (std::size_t i = 0; i < experiment.pictures.size(); ++i)
    content.emplace_back(picture_section(experiment, experiment.pictures[i], i + 1));
  content.emplace_back(figures_section(experiment));
  append_list(content, "Method", experiment.method);
  std::vector<std::string> published;
  for (const Published& one : experiment.published)
    published.push_back(one.source + ": " + one.text);
  append_list(content, "Published figures of other programs", published);
  content.emplace_back(origin_section(experiment));
  return report::render_page(page);
}

}  // namespace drover::lab
