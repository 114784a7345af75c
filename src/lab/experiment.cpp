#include "lab/experiment.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/median.h"

namespace drover::lab {
namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const Experiment& experiment, const Cell& cell) {
  Json json = Json::object();
  for (std::size_t i = 0; i < experiment.factors.size(); ++i) {
    const std::int64_t setting = cell.settings.at(i);
    if (setting != no_setting) json[experiment.factors[i].name] = setting;
  }
  return json;
}

Json round_json(const Experiment& experiment, const std::vector<double>& round) {
  Json json = Json::object();
  for (std::size_t i = 0; i < experiment.figures.size() && i < round.size(); ++i) {
    if (std::isfinite(round[i])) json[experiment.figures[i].name] = round[i];
  }
  return json;
}

Json cell_json(const Experiment& experiment, const Cell& cell) {
  Json json = {{"subject", cell.subject}, {"settings", settings_json(experiment, cell)}};
  json["median"] = Json::object();
  for (std::size_t i = 0; i < experiment.figures.size(); ++i) {
    if (const auto spread = spread_of(cell, i)) {
      json["median"][experiment.figures[i].name] = spread->median;
    }
  }
  json["rounds"] = Json::array();
  for (const auto& round : cell.rounds) json["rounds"].push_back(round_json(experiment, round));
  if (!cell.note.empty()) json["note"] = cell.note;
  return json;
}

}  // namespace

std::optional<Spread> spread_of(const Cell& cell, std::size_t figure) {
  std::vector<double> values;
  for (const std::vector<double>& round : cell.rounds) {
    if (figure < round.size() && std::isfinite(round[figure])) values.push_back(round[figure]);
  }
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(values);
  return Spread{measure::median_of(values), low, high, values.size()};
}

bool has_spread(const Experiment& experiment) {
  return std::ranges::any_of(experiment.cells,
                             [](const Cell& cell) { return cell.rounds.size() > 1; });
}

std::string experiment_json(const Experiment& experiment) {
  Json json = {{"schema_version", experiment_schema_version},
               {"experiment", experiment.name},
               {"question", experiment.question},
               {"method", experiment.method},
               {"command", experiment.command},
               {"started_at", experiment.started_at},
               {"tool", experiment.tool},
               {"host",
                {{"hostname", experiment.host.hostname},
                 {"os", experiment.host.os},
                 {"cpus", experiment.host.cpus},
                 {"cpu_model", experiment.host.cpu_model}}},
               {"round_seconds", experiment.round_seconds}};
  json["factors"] = Json::array();
  for (const Factor& factor : experiment.factors) {
    json["factors"].push_back({{"name", factor.name}, {"title", factor.title}});
  }
  json["figures"] = Json::array();
  for (const Figure& figure : experiment.figures) {
    json["figures"].push_back(
        {{"name", figure.name}, {"title", figure.title}, {"unit", figure.unit}});
  }
  json["cells"] = Json::array();
  for (const Cell& cell : experiment.cells) json["cells"].push_back(cell_json(experiment, cell));
  json["findings"] = experiment.findings;
  json["interrupted"] = experiment.interrupted;
  json["published"] = Json::array();
  for (const Published& one : experiment.published) {
    json["published"].push_back({{"source", one.source}, {"text", one.text}});
  }
  return json.dump(2) + "\n";
}

}  // namespace drover::lab
