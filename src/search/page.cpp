#include "search/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "file/atomic_file.h"
#include "report/document/result_json.h"
#include "report/model/chart.h"
#include "report/page/report.h"

namespace drover::search {
namespace {

using report::Curve;
using report::HtmlWriter;
using report::Panel;

constexpr double panel_height = 120;

// A figure of a run, or nothing where it has none.
using Figure = std::optional<double> (*)(const RecordedRun&);

// What a run says of its load, and the class of its colour.
struct Said {
  const char* word;
  const char* mark;
  const char* classes;
  const char* judgement;
};
constexpr Said holds{"holds", "✓", "t2", "judgement held"};
constexpr Said breaks{"breaks", "✗", "failed", "judgement invalid"};
constexpr Said nothing{"not judged", "?", "t4", "judgement not_judged"};

const Said& said_by(const RecordedRun& run) {
  return run.probe.held ? holds : run.probe.by_client ? nothing : breaks;
}

// Each run is a dot of its own.
Curve dots(const Record& record, const Said& said, Figure figure) {
  Curve curve;
  curve.name = said.word;
  curve.classes = std::string("dots ") + said.classes;
  for (const RecordedRun& run : record.runs) {
    const auto value = figure(run);
    if (&said_by(run) != &said || !value) continue;
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
  for (const Said* said : {&holds, &breaks, &nothing}) {
    Curve curve = dots(record, *said, figure);
    if (said == &nothing && curve.pieces.empty()) continue;
    panel.keys.push_back({said->word, said->classes});
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
          "held "
          "and the smallest load at which a rule was broken.",
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

void write_chart(HtmlWriter& html, const Record& record) {
  const report::Chart chart = chart_of(record);
  const auto figure = html.open("figure");
  html.line("figcaption", {{"id", chart.id + "-title"}}, chart.title);
  html.line("p", {{"id", chart.id + "-text"}, {"class", "about"}}, chart.description);
  report::draw_chart(html, chart);
}

void write_run(HtmlWriter& html, const RecordedRun& run, bool is_of_tpcc, std::size_t number) {
  const auto figure = [&](const std::string& text) { html.line("td.n", text); };
  const Said& said = said_by(run);
  const auto row = html.open("tr");
  html.line("th", {{"scope", "row"}, {"class", "n"}}, fmt::format("{}", number));
  html.line("td", run.probe.confirmation ? "confirmation" : "probe");
  figure(fmt::format("{}", run.probe.load));
  html.line("td", {{"class", said.judgement}}, fmt::format("{} {}", said.mark, said.word));
  figure(fmt::format("{:.0f} s", run.measured_s));
  if (is_of_tpcc) {
    figure(fmt::format("{:.1f}", run.tpmc));
    figure(run.efficiency > 0 ? fmt::format("{:.1f}%", run.efficiency) : "–");
  }
  figure(fmt::format("{:.1f}", run.throughput));
  const std::optional<double> p90_ms = is_of_tpcc ? run.new_order_p90_ms : run.p90_ms;
  figure(p90_ms ? report::milliseconds_label(*p90_ms) : "–");
  figure(fmt::format("{:.0f}%", run.client_load * 100));
  const auto cell = html.open("td.text");
  for (const std::string& rule : run.broken) html.line("div", rule);
  html.line("div.note", run.file);
}

void write_runs(HtmlWriter& html, const Record& record) {
  const auto scroll = html.open(
      "div.scroll", {{"tabindex", "0"}, {"role", "region"}, {"aria-label", "Runs of the search"}});
  const auto table = html.open("table");
  html.line("caption", "Runs of the search, in order");
  {
    const auto head = html.open("thead");
    const auto row = html.open("tr");
    html.line("th", {{"scope", "col"}, {"class", "n"}}, "");
    html.line("th", {{"scope", "col"}}, "Run");
    html.line("th", {{"scope", "col"}, {"class", "n"}}, record.unit);
    html.line("th", {{"scope", "col"}}, "Rules");
    std::vector<const char*> titles = {"Measured", "Transactions/s", "p90", "Client load"};
    if (record.is_of_tpcc()) {
      titles = {"Measured", "tpmC", "Efficiency", "Transactions/s", "NewOrder p90", "Client load"};
    }
    for (const char* title : titles) {
      html.line("th", {{"scope", "col"}, {"class", "n"}}, title);
    }
    html.line("th", {{"scope", "col"}}, "Broken rules, and the result file");
  }
  const auto body = html.open("tbody");
  std::size_t number = 0;
  for (const RecordedRun& run : record.runs) write_run(html, run, record.is_of_tpcc(), ++number);
}

void write_settings(HtmlWriter& html, const Record& record) {
  const auto details = html.open("details");
  html.line("summary", "Settings of the search");
  const auto table = html.open("table");
  html.line("caption", "Options of the search");
  const auto body = html.open("tbody");
  const auto row = [&](std::string_view name, std::string_view value) {
    const auto line = html.open("tr");
    html.line("th", {{"scope", "row"}}, name);
    html.line("td", value);
  };
  row("--find", record.unit);
  row("from, to", fmt::format("{}, {}", record.bounds.low, record.bounds.high));
  row("--tolerance", fmt::format("{:g}%", record.bounds.tolerance * 100));
  for (const auto& [name, value] : record.settings) {
    if (!value.empty()) row(name, value);
  }
}

void write_search_section(HtmlWriter& html, const Record& record) {
  const Found found = found_by(record.probes());
  const auto section = html.open("section", {{"id", "search-answer"}});
  html.line("h2", "The largest " + sought_text(record.unit));
  {
    const auto badge = html.open("p", {{"class", found.found_out() ? "badge good" : "badge bad"}});
    html.line("span.icon", {{"aria-hidden", "true"}}, found.found_out() ? "✓" : "✗");
    html.line("span", answer_text(record));
  }
  write_chart(html, record);
  write_runs(html, record);
  write_settings(html, record);
}

constexpr report::Literal search_style = R"css(
.dots path.line { stroke-width: 9px; stroke-opacity: .75; }
.gap rect { fill: var(--warn-back); } .gap .edge { stroke: none; }
)css";

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
      .style = search_style,
      .write = [&](HtmlWriter& html) { write_search_section(html, record); }};
  file::write_atomically({page, "report"},
                         report::html_report({{deciding.file, result}}, &introduction));
}

}  // namespace drover::search
