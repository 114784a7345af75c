#include "report/page/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/compare/metric.h"
#include "report/page/html_figures.h"
#include "report/page/html_table.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// Beside the first one: as many as fit on a page of paper.
constexpr std::size_t results_a_table = 5;

std::string numbered(const std::vector<NamedResult>& results, std::size_t i,
                     std::size_t characters_max = 60) {
  return fmt::format("{} {}", i + 1, shortened(results[i].name, characters_max));
}

// Percent only: whether a difference of single runs is good, bad or chance is not known here.
void write_difference_cell(HtmlWriter& html, const MetricCell& cell) {
  const auto element = html.open("td.n");
  html.text(value_text(cell));
  const std::string change = change_text(cell);
  if (!change.empty()) html.line("span.change", change);
}

void write_difference_table(HtmlWriter& html, const std::vector<NamedResult>& results,
                            const std::vector<MetricRow>& rows, std::size_t first,
                            std::size_t last) {
  const std::string caption =
      last - first == 1 ? fmt::format("Result {}, compared with result 1", last)
                        : fmt::format("Results {} to {}, compared with result 1", first + 1, last);
  const auto frame = open_table_frame(html, caption);
  const auto table = html.open("table");
  html.line("caption", caption);
  std::vector<HtmlColumn> columns = {{"Figure"}, {numbered(results, 0, 24), true}};
  for (std::size_t i = first; i < last; ++i) {
    columns.push_back({numbered(results, i, 24), true});
  }
  write_table_head(html, columns);
  const auto body = html.open("tbody");
  for (const MetricRow& row : rows) {
    const auto line = html.open("tr");
    const std::string unit(row.metric.unit());
    html.line("th", {{"scope", "row"}}, row.metric.name() + (unit.empty() ? "" : ", " + unit));
    write_difference_cell(html, row.cells[0]);
    for (std::size_t i = first; i < last; ++i) write_difference_cell(html, row.cells[i]);
  }
}

void write_switches(HtmlWriter& html, const std::vector<NamedResult>& results) {
  const auto list = html.open("ul.results");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto item = html.open("li");
    const auto label = html.open("label");
    html.leaf("input",
              {{"type", "checkbox"}, {"id", fmt::format("show-{}", i + 1)}, {"checked", ""}});
    {
      const auto swatch =
          html.open("svg", {{"width", "26"}, {"height", "10"}, {"aria-hidden", "true"}});
      html.leaf("line", {{"class", fmt::format("swatch-line r{} d{}", i % 8, i / 8)},
                         {"x1", "1"},
                         {"y1", "5"},
                         {"x2", "25"},
                         {"y2", "5"}});
    }
    html.line("span", numbered(results, i));
  }
}

}  // namespace

void write_results_table(HtmlWriter& html, const std::vector<NamedResult>& results) {
  const auto section = html.open("section", {{"id", "results"}});
  html.line("h2", "Results");
  const std::string caption = "Compared results, in the order of the command line";
  const auto frame = open_table_frame(html, caption);
  const auto table = html.open("table");
  html.line("caption", caption);
  write_table_head(html, {{"Result"},
                          {"Audit"},
                          {headline_figure(results[0].result).name, true},
                          {"Efficiency", true},
                          {"Measured", true},
                          {"Load"},
                          {"Measured from", true}});
  const auto body = html.open("tbody");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i].result;
    const VerdictBadge badge = badge_of(result);
    const auto row = html.open("tr");
    {
      const auto head = html.open("th", {{"scope", "row"}});
      html.line("a", {{"href", fmt::format("#result-{}", i + 1)}}, numbered(results, i));
    }
    html.line("td", {{"class", "text " + badge.style}},
              badge.icon + " " + shortened(badge.sentence, 160));
    const auto [name, figure] = headline_figure(result);
    html.line("td.n",
              name == headline_figure(results[0].result).name ? figure : figure + " " + name);
    html.line("td.n", result.efficiency_is_meaningful() && result.summary.new_orders > 0
                          ? fmt::format("{:.1f}%", result.summary.efficiency)
                          : "n/a");
    html.line("td.n", text::length_text(result.summary.time_seconds));
    html.line(
        "td.text",
        title_of(result) +
            fmt::format(
                ", {}{}", text::counted(result.plan.connections, "connection"),
                result.is_tpcc() && result.plan.no_delays ? ", no keying and think times" : ""));
    html.line("td.n", text::moment_text(result.summary.measure_start_ts));
  }
}

void write_differences(HtmlWriter& html, const std::vector<NamedResult>& results) {
  const auto section = html.open("section", {{"id", "differences"}});
  html.line("h2", "Differences");
  html.line(
      "p.about",
      "Percentages are changes from result 1. A difference between two runs may be chance: drover "
      "compare tests whether it is significant.");
  const std::vector<MetricRow> rows =
      make_metric_table(results, default_metrics(results[0].result));
  // As many in each table, nearly.
  const std::size_t others = results.size() - 1;
  const std::size_t tables = (others + results_a_table - 1) / results_a_table;
  const std::size_t each = (others + tables - 1) / tables;
  for (std::size_t first = 1; first < results.size(); first += each) {
    write_difference_table(html, results, rows, first, std::min(first + each, results.size()));
  }
}

void write_overlays(HtmlWriter& html, const std::vector<NamedResult>& results) {
  const auto section = html.open("section", {{"id", "charts"}});
  html.line("h2", "Charts of all results");
  html.line("p.about no-print",
            "The switches show and hide results. The curve under the pointer is highlighted.");
  write_switches(html, results);
  write_time_overlay(html, results);
  html.line("h3.after-chart", "Latency by percentile");
  write_spectrum_overlay(html, results);
}

}  // namespace drover::report
