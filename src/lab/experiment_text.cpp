#include "lab/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "text/wrapped_text.h"

namespace drover::lab {
namespace {

using Row = std::vector<std::string>;

// A rate has a title with a slash; anything else has one with the unit's first word: "CPU %".
bool says_its_unit(const Figure& figure) {
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
  return says_its_unit(figure) ? figure.title : figure.title + ", " + figure.unit;
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
