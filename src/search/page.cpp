// The report of a search as one page.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "file/atomic_file.h"
#include "report/document/result_json.h"
#include "report/page/report.h"
#include "search/search.h"

namespace drover::search {
namespace {

using report::Curve;
using report::Panel;
using report::Quantity;

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

// Returns a figure of a run, or nothing if the run has none.
using FigureOf = std::optional<double> (*)(const RecordedRun&);

// Adds a panel with a dot for each run, in a colour for each judgement; none without any figure.
void add_panel(report::Chart& chart, const Record& record, const char* title, Quantity quantity,
               FigureOf figure) {
  Panel panel{.title = title, .height = 120};
  double highest = 0;
  bool any = false;
  for (const LoadJudgement* judgement : {&holds, &breaks, &not_judged}) {
    Curve curve{.name = judgement->word, .classes = std::string("dots ") + judgement->colour};
    for (const RecordedRun& run : record.runs) {
      const std::optional<double> value = figure(run);
      if (&judgement_of(run) != judgement || !value) continue;
      curve.pieces.push_back({{.x = static_cast<double>(run.probe.load), .y = *value}});
      curve.pieces.back()[0].low = curve.pieces.back()[0].high = *value;
      highest = std::max(highest, *value);
    }
    any = any || !curve.pieces.empty();
    if (judgement == &not_judged && curve.pieces.empty()) continue;
    panel.keys.push_back({judgement->word, judgement->colour});
    panel.curves.push_back(std::move(curve));
  }
  panel.axis = report::axis_from_zero(highest, quantity);
  if (any) chart.panels.push_back(std::move(panel));
}

report::Chart chart_of(const Record& record) {
  std::int64_t largest = 1;
  for (const RecordedRun& run : record.runs) largest = std::max(largest, run.probe.load);
  const report::Axis loads = report::axis_from_zero(static_cast<double>(largest), Quantity::number);
  report::Chart chart{
      .id = "search",
      .title = fmt::format("Runs of the search by {}", record.unit),
      .description =
          "Each dot is a run. The band is the range between the largest load at which all rules "
          "held and the smallest load at which a rule was broken.",
      .x = loads.scale,
      .x_ticks = loads.ticks,
      .x_title = record.unit == "rate" ? "scheduled transactions per second" : record.unit};
  using Value = std::optional<double>;
  add_panel(chart, record, "Efficiency, %", Quantity::number, [](const RecordedRun& run) {
    return run.efficiency > 0 ? Value(run.efficiency) : std::nullopt;
  });
  add_panel(chart, record, "Transactions per second", Quantity::number,
            [](const RecordedRun& run) { return Value(run.throughput); });
  add_panel(chart, record, "NewOrder p90", Quantity::milliseconds,
            [](const RecordedRun& run) { return run.new_order_p90_ms; });
  add_panel(chart, record, "p90 of all transactions", Quantity::milliseconds,
            [](const RecordedRun& run) { return run.p90_ms; });
  const Answer answer = answer_of(record.probes());
  if (answer.holds && answer.breaks) {
    chart.bands.push_back({.start = static_cast<double>(*answer.holds),
                           .end = static_cast<double>(*answer.breaks),
                           .classes = "gap",
                           .description = "the limit is in this range"});
  }
  return chart;
}

report::Table runs_table(const Record& record) {
  report::Table table{.caption = report::only_page("Runs of the search, in order")};
  const auto column = [&](std::string title, bool is_number = true) {
    table.columns.push_back({report::only_page(std::move(title)), is_number});
  };
  column("No.", false);
  column("Run", false);
  column(record.unit);
  column("Rules", false);
  column("Measured");
  if (record.has_tpmc()) column("tpmC");
  if (record.has_tpmc()) column("Efficiency");
  column("Transactions/s");
  column(record.has_tpmc() ? "NewOrder p90" : "p90");
  column("Client load");
  column("Broken rules, and the result file", false);
  for (const RecordedRun& run : record.runs) {
    const LoadJudgement& judgement = judgement_of(run);
    const std::optional<double> p90_ms = record.has_tpmc() ? run.new_order_p90_ms : run.p90_ms;
    std::vector<report::Cell> cells = {
        std::to_string(table.rows.size() + 1), run.probe.confirmation ? "confirmation" : "probe",
        std::to_string(run.probe.load), fmt::format("{} {}", judgement.mark, judgement.word),
        fmt::format("{:.0f} s", run.measured_s)};
    cells[3].style = judgement.style;
    if (record.has_tpmc()) {
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
    table.add(std::move(cells));
  }
  return table;
}

report::Details settings_of(const Record& record) {
  std::vector<std::pair<std::string, std::string>> settings = {
      {"--find", record.unit},
      {"from, to", fmt::format("{}, {}", record.bounds.low, record.bounds.high)},
      {"--tolerance", fmt::format("{:g}%", record.bounds.tolerance * 100)}};
  std::ranges::copy_if(record.settings, std::back_inserter(settings),
                       [](const auto& one) { return !one.second.empty(); });
  return {report::only_page("Settings of the search"),
          {report::pairs_table("Options of the search", std::move(settings))}};
}

}  // namespace

void write_search_page(const std::filesystem::path& page, const Record& record,
                       const std::filesystem::path& folder) {
  const auto confirmation =
      std::ranges::find_if(record.runs.rbegin(), record.runs.rend(),
                           [](const RecordedRun& run) { return run.probe.confirmation; });
  const RecordedRun& deciding =
      confirmation == record.runs.rend() ? record.runs.back() : *confirmation;
  const bool is_final = answer_of(record.probes()).is_final();
  const std::string sought = sought_text(record.unit);
  const report::Introduction introduction{
      .title = "Search for the largest " + sought,
      .blocks = {report::Section{
          "The largest " + sought,
          {report::Paragraph{report::only_page(answer_text(record)),
                             is_final ? "badge good" : "badge bad", is_final ? "✓" : "✗"},
           report::Figure{.chart = chart_of(record), .hides_title = false}, runs_table(record),
           settings_of(record)},
          "search-answer"}}};
  const report::Result result = report::read_result_file(folder / deciding.file);
  file::write_atomically({page, "report"},
                         report::html_report({{deciding.file, result}}, &introduction));
}

}  // namespace drover::search
