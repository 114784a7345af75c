#include "search/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "file/atomic_file.h"
#include "report/document/result_json.h"
#include "report/model/chart.h"
#include "report/page/report.h"

namespace drover::search {
namespace {

using report::Curve;
using report::Panel;

constexpr double panel_height = 120;

// Returns a figure of a run, or nothing if the run has none.
using Figure = std::optional<double> (*)(const RecordedRun&);

// The judgement of a run about its load, and its style classes in charts and tables.
struct LoadJudgement {
  const char* word;
  const char* mark;
  const char* colour;
  const char* style;
};
constexpr LoadJudgement holds{"holds", "✓", "t2", "judgement held"};
constexpr LoadJudgement breaks{"breaks", "✗", "failed", "judgement invalid"};
constexpr LoadJudgement not_judged{"not judged", "?", "t4", "judgement not_judged"};

const LoadJudgement& judgement_of(const RecordedRun& run) {
  return run.probe.held ? holds : run.probe.by_client ? not_judged : breaks;
}

// Returns a dot for each run with this judgement.
Curve dots(const Record& record, const LoadJudgement& judgement, Figure figure) {
  Curve curve;
  curve.name = judgement.word;
  curve.classes = std::string("dots ") + judgement.colour;
  for (const RecordedRun& run : record.runs) {
    const auto value = figure(run);
    if (&judgement_of(run) != &judgement || !value) continue;
    const auto x = static_cast<double>(run.probe.load);
    curve.pieces.push_back({{.x = x, .low = *value, .y = *value, .high = *value}});
  }
  return curve;
}

std::optional<Panel> panel_of(const Record& record, const char* title, Figure figure,
                              report::Quantity quantity) {
  double highest = 0;
  bool any = false;
  for (const RecordedRun& run : record.runs) {
    const auto value = figure(run);
    any = any || value.has_value();
    highest = std::max(highest, value.value_or(0));
  }
  if (!any) return std::nullopt;
  Panel panel;
  panel.title = title;
  panel.height = panel_height;
  panel.axis = report::axis_from_zero(highest, quantity);
  for (const LoadJudgement* judgement : {&holds, &breaks, &not_judged}) {
    Curve curve = dots(record, *judgement, figure);
    if (judgement == &not_judged && curve.pieces.empty()) continue;
    panel.keys.push_back({judgement->word, judgement->colour});
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

report::Chart chart_of(const Record& record) {
  double largest = 1;
  for (const RecordedRun& run : record.runs) {
    largest = std::max(largest, static_cast<double>(run.probe.load));
  }
  const report::Axis loads = report::axis_from_zero(largest, report::Quantity::number);
  report::Chart chart{
      .id = "search",
      .title = fmt::format("Runs of the search by {}", record.unit),
      .description =
          "Each dot is a run. The band is the range between the largest load at which all rules "
          "held and the smallest load at which a rule was broken.",
      .x = loads.scale,
      .x_ticks = loads.ticks,
      .x_title = record.unit == "rate" ? "scheduled transactions per second" : record.unit};
  const auto add = [&](const char* title, report::Quantity quantity, Figure figure) {
    if (auto panel = panel_of(record, title, figure, quantity))
      chart.panels.push_back(std::move(*panel));
  };
  using Value = std::optional<double>;
  add("Efficiency, %", report::Quantity::number, [](const RecordedRun& run) {
    return run.efficiency > 0 ? Value(run.efficiency) : std::nullopt;
  });
  add("Transactions per second", report::Quantity::number,
      [](const RecordedRun& run) -> Value { return run.throughput; });
  add("NewOrder p90", report::Quantity::milliseconds,
      [](const RecordedRun& run) { return run.new_order_p90_ms; });
  add("p90 of all transactions", report::Quantity::milliseconds,
      [](const RecordedRun& run) { return run.p90_ms; });
  const Found found = found_by(record.probes());
  if (found.holds && found.breaks) {
    chart.bands.push_back({.start = static_cast<double>(*found.holds),
                           .end = static_cast<double>(*found.breaks),
                           .classes = "gap",
                           .description = "the limit is in this range"});
  }
  return chart;
}

std::vector<report::Cell> cells_of(const RecordedRun& run, bool is_of_tpcc, std::size_t number) {
  const LoadJudgement& judgement = judgement_of(run);
  const std::optional<double> p90_ms = is_of_tpcc ? run.new_order_p90_ms : run.p90_ms;
  std::vector<report::Cell> cells = {
      fmt::format("{}", number), run.probe.confirmation ? "confirmation" : "probe",
      fmt::format("{}", run.probe.load), fmt::format("{} {}", judgement.mark, judgement.word),
      fmt::format("{:.0f} s", run.measured_s)};
  cells[3].style = judgement.style;
  if (is_of_tpcc) {
    cells.emplace_back(fmt::format("{:.1f}", run.tpmc));
    cells.emplace_back(run.efficiency > 0 ? fmt::format("{:.1f}%", run.efficiency) : "–");
  }
  cells.emplace_back(fmt::format("{:.1f}", run.throughput));
  cells.emplace_back(p90_ms ? report::milliseconds_label(*p90_ms) : "–");
  cells.emplace_back(fmt::format("{:.0f}%", run.client_load * 100));
  report::Cell& broken = cells.emplace_back("");
  broken.style = "text";
  for (const std::string& rule : run.broken) broken.parts.push_back({"div", rule});
  broken.parts.push_back({"div.note", run.file});
  return cells;
}

report::Table runs_table(const Record& record) {
  std::vector<std::string> titles = {"Measured", "Transactions/s", "p90", "Client load"};
  if (record.is_of_tpcc())
    titles = {"Measured", "tpmC", "Efficiency", "Transactions/s", "NewOrder p90", "Client load"};
  titles.insert(titles.begin(), {"Run", record.unit, "Rules"});
  titles.emplace_back("Broken rules, and the result file");
  report::Table table{.caption = report::only_page("Runs of the search, in order"),
                      .columns = report::page_columns("No.", titles)};
  table.columns[1].is_number = table.columns[3].is_number = false;
  table.columns.back().is_number = false;
  for (const RecordedRun& run : record.runs)
    table.add(cells_of(run, record.is_of_tpcc(), table.rows.size() + 1));
  return table;
}

report::Details settings_of(const Record& record) {
  std::vector<std::pair<std::string, std::string>> settings = {
      {"--find", record.unit},
      {"from, to", fmt::format("{}, {}", record.bounds.low, record.bounds.high)},
      {"--tolerance", fmt::format("{:g}%", record.bounds.tolerance * 100)}};
  for (const auto& [name, value] : record.settings) {
    if (!value.empty()) settings.emplace_back(name, value);
  }
  return {report::only_page("Settings of the search"),
          {report::pairs_table("Options of the search", std::move(settings))}};
}

report::Section answer_section(const Record& record) {
  const bool found_out = found_by(record.probes()).found_out();
  return {"The largest " + sought_text(record.unit),
          {report::Paragraph{report::only_page(answer_text(record)),
                             found_out ? "badge good" : "badge bad", found_out ? "✓" : "✗"},
           report::Figure{.chart = chart_of(record), .hides_title = false}, runs_table(record),
           settings_of(record)},
          "search-answer"};
}

const RecordedRun& deciding_run(const Record& record) {
  const auto confirmation =
      std::ranges::find_if(record.runs.rbegin(), record.runs.rend(),
                           [](const auto& run) { return run.probe.confirmation; });
  return confirmation == record.runs.rend() ? record.runs.back() : *confirmation;
}

}  // namespace

void write_search_page(const std::filesystem::path& page, const Record& record,
                       const std::filesystem::path& folder) {
  const RecordedRun& deciding = deciding_run(record);
  const report::Result result = report::read_result_file(folder / deciding.file);
  const report::Introduction introduction{
      .title = "Search for the largest " + sought_text(record.unit),
      .blocks = {answer_section(record)}};
  file::write_atomically({page, "report"},
                         report::html_report({{deciding.file, result}}, &introduction));
}

}  // namespace drover::search
