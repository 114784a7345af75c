#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/compare/metric.h"
#include "report/model/chart.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::report {
namespace {

constexpr double change_shown_as_factor = 9;
// Room for a sentence with its remedy at the end.
constexpr std::size_t audit_bytes_most = 2'000;

std::string row_name(const Metric& metric) {
  if (metric.unit().empty()) return metric.name();
  return fmt::format("{} {}", metric.name(), metric.unit());
}

std::optional<double> change_between(const std::optional<double>& first,
                                     const std::optional<double>& value) {
  if (!first || !value || *first == 0) return std::nullopt;
  const double change = *value / *first - 1;
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

}  // namespace

std::string end_of_name(std::string name, std::size_t width) {
  if (text::text_width(name) <= width) return name;
  constexpr std::string_view mark = "..";
  while (!name.empty() && text::text_width(name) + mark.size() > width) {
    name.erase(0, text::first_character(name).bytes);
  }
  return std::string(mark) + name;
}

std::vector<MetricRow> make_metric_table(const std::vector<NamedResult>& results,
                                         const std::vector<Metric>& metrics) {
  std::vector<MetricRow> rows;
  for (const Metric& metric : metrics) {
    MetricRow row{metric, {}};
    bool any = false;
    for (const NamedResult& one : results) {
      MetricCell cell;
      cell.value = metric.value(one.result);
      if (!row.cells.empty()) cell.change = change_between(row.cells.front().value, cell.value);
      any = any || cell.value;
      row.cells.push_back(cell);
    }
    if (any) rows.push_back(std::move(row));
  }
  return rows;
}

std::string value_text(const MetricCell& cell) {
  return cell.value ? number_text(*cell.value) : "n/a";
}

std::string change_text(const MetricCell& cell) {
  if (!cell.change) return {};
  if (*cell.change >= change_shown_as_factor) return "x" + text::figure_text(*cell.change + 1);
  return fmt::format("{:+.1f}%", *cell.change * 100);
}

std::string metric_table_text(const std::vector<NamedResult>& results,
                              const std::vector<MetricRow>& rows, std::size_t width) {
  constexpr std::size_t names_width = 25;
  constexpr std::size_t first_columns = 37;  // with the first result
  constexpr std::size_t columns_a_result = 21;
  const std::size_t results_a_block = (width - first_columns) / columns_a_result;
  const std::size_t name_bytes = width - 10;
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += fmt::format("{:>3}  {}\n", i + 1, text::shown(results[i].name, name_bytes));
    const std::string audit =
        text::shown(summarise(results[i].result.audit).sentence, audit_bytes_most);
    for (const std::string& line : text::wrapped_lines(audit, width - 5)) {
      out += fmt::format("     {}\n", line);
    }
  }
  for (std::size_t first = 1; first == 1 || first < results.size(); first += results_a_block) {
    const std::size_t last = std::min(first + results_a_block, results.size());
    out += fmt::format("\n{:<{}} {:>11}", "", names_width, "1");
    for (std::size_t i = first; i < last; ++i) out += fmt::format(" {:>10} {:>9}", i + 1, "");
    out += "\n";
    for (const MetricRow& row : rows) {
      out += fmt::format("{:<{}} {:>11}", end_of_name(row_name(row.metric), names_width),
                         names_width, value_text(row.cells[0]));
      for (std::size_t i = first; i < last; ++i) {
        out += fmt::format(" {:>10} {:>9}", value_text(row.cells[i]), change_text(row.cells[i]));
      }
      out += "\n";
    }
  }
  if (results.size() > 1) {
    out +=
        "\nPercentages are changes from result 1.\n'drover compare' tests whether they are "
        "significant.\n";
  }
  return out;
}

}  // namespace drover::report
