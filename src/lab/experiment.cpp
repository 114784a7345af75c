#include "lab/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/median.h"
#include "text/wrapped_text.h"

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

using Row = std::vector<std::string>;

// Returns true if the title shows the unit: a rate has a slash in its title, and other titles
// contain the first word of the unit ("CPU %").
bool title_shows_unit(const Figure& figure) {
  if (figure.unit.empty()) return true;
  if (figure.unit.starts_with("1/")) return figure.title.find('/') != std::string::npos;
  const std::string word = figure.unit.substr(0, figure.unit.find(' '));
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = figure.title.find(word); at != std::string::npos;
       at = figure.title.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(figure.title[at - 1]);
    if (begins && (end == figure.title.size() || !is_letter(figure.title[end]))) return true;
  }
  return false;
}

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text::text_width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - text::text_width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += i == 0 ? row[i] + space : space + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
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

std::string short_number(double value) {
  const double size = std::abs(value);
  const auto with = [](double scaled, const char* suffix) {
    const int decimals = std::abs(scaled) >= 99.95 ? 0 : std::abs(scaled) >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}{}", scaled, decimals, suffix);
  };
  if (size >= 999.5e6) return with(value / 1e9, "G");
  if (size >= 999.5e3) return with(value / 1e6, "M");
  if (size >= 9'999.5) return with(value / 1e3, "k");
  if (size >= 1'000) return fmt::format("{:.0f}", value);
  if (size != 0 && size < 0.00995) return fmt::format("{:.1e}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return with(value, "");
}

std::string spread_text(const Spread& spread) {
  std::string text = short_number(spread.median);
  if (spread.rounds < 2 || spread.median == 0) return text;
  const double half = (spread.high - spread.low) / 2 / std::abs(spread.median);
  return text + fmt::format(" ±{:.0f}%", 100 * half);
}

std::string title_with_unit(const Figure& figure) {
  return title_shows_unit(figure) ? figure.title : figure.title + ", " + figure.unit;
}

Row row_of(const Experiment& experiment, const Cell& cell, const char* missing) {
  Row row = {cell.subject};
  for (const std::int64_t setting : cell.settings) {
    row.push_back(setting == no_setting ? "-" : fmt::format("{}", setting));
  }
  for (std::size_t i = 0; i < experiment.figures.size(); ++i) {
    const auto spread = spread_of(cell, i);
    row.push_back(spread ? spread_text(*spread) : missing);
  }
  return row;
}

std::string cell_name(const Cell& cell) {
  std::string name = cell.subject;
  for (const std::int64_t setting : cell.settings) {
    if (setting != no_setting) name += fmt::format(" {}", setting);
  }
  return name;
}

std::string experiment_text(const Experiment& experiment) {
  Row head = {"subject"};
  for (const Factor& factor : experiment.factors) head.push_back(factor.title);
  for (const Figure& figure : experiment.figures) head.push_back(figure.title);
  std::vector<Row> rows = {head};
  std::string notes;
  for (const Cell& cell : experiment.cells) {
    rows.push_back(row_of(experiment, cell, "-"));
    if (!cell.note.empty()) notes += fmt::format("{}: {}\n", cell_name(cell), cell.note);
  }
  std::string text = aligned(rows);
  if (experiment.interrupted) text += fmt::format("\n{}\n", interrupted_sentence);
  if (!has_spread(experiment))
    text += "\nOne round only, so the spread is unknown. Use --repeat for more rounds.\n";
  if (!notes.empty()) text += "\n" + notes;
  if (!experiment.findings.empty()) text += "\n";
  for (const std::string& finding : experiment.findings) text += finding + "\n";
  text += fmt::format(
      "\nMachine: {} x {}, {}\nProgram: {}\n", experiment.host.cpus,
      experiment.host.cpu_model.empty() ? "unknown processor" : experiment.host.cpu_model,
      experiment.host.os, experiment.tool);
  return text;
}

}  // namespace drover::lab
