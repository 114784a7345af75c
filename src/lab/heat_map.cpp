#include "lab/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lab/experiment_text.h"
#include "report/html_table.h"

namespace drover::lab {
namespace {

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
    const std::int64_t across = cell.settings[picture.across];
    const std::int64_t upwards = cell.settings[picture.upwards];
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

}  // namespace

void draw_heat_map(report::HtmlWriter& html, const Experiment& experiment, const Picture& picture) {
  const Map map = map_of(experiment, picture);
  const Figure& figure = experiment.figures[picture.figure];
  const std::string caption = fmt::format("{} of {}: {} across, {} downwards", figure.title,
                                          picture.subject, experiment.factors[picture.across].title,
                                          experiment.factors[picture.upwards].title);
  const auto frame = report::open_table_frame(html, caption);
  const auto table = html.open("table", {{"class", "map"}});
  html.line("caption", caption);
  std::vector<report::HtmlColumn> columns = {{experiment.factors[picture.upwards].title}};
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

}  // namespace drover::lab
