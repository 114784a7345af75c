// The hosts that made the load together: in the summary, in a page and in Markdown.
#include "report/page/load_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "report/page/html_figures.h"
#include "report/page/html_parts.h"
#include "report/page/html_table.h"
#include "report/page/summary_parts.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr std::size_t shown_most = 30;
constexpr const char* unknown = "-";

std::string signed_ms(double seconds) {
  const double ms = seconds * 1e3;
  return fmt::format("{:+.{}f}", ms, std::abs(ms) < 100 ? 2 : 0);
}

std::string clock_cell(const std::optional<ClockOffset>& clock) {
  if (!clock) return unknown;
  return fmt::format("{} +- {:.2f}", signed_ms(clock->wall_s), clock->uncertainty_s * 1e3);
}

std::string lost_cell(const RankResult& one) {
  if (one.lost.empty()) return unknown;
  if (!one.lost_at_s) return "lost";
  const auto seconds = static_cast<std::uint64_t>(*one.lost_at_s);
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

// The columns of which each is a figure that all hosts have, or some.
std::vector<LoadHostColumn> columns_of(const Result& result) {
  using Rank = const RankResult&;
  const auto any = [&result](const auto& has) { return std::ranges::any_of(result.ranks, has); };
  std::vector<LoadHostColumn> columns;
  if (any([](Rank one) { return !one.lost.empty(); }))
    columns.push_back({"lost at", "Lost at", lost_cell});
  if (result.is_tpcc()) {
    columns.push_back({"warehouses", "Warehouses", [](Rank one) {
                         return fmt::format("{}-{}", one.warehouse_first, one.warehouse_last);
                       }});
  }
  columns.push_back({"ok/s", "Committed/s", [](Rank one) {
                       if (one.measured_s <= 0) return std::string(unknown);
                       return rate_text(static_cast<double>(one.ok_count) / one.measured_s);
                     }});
  columns.push_back({"failed", "Failed", [](Rank one) { return text::grouped(one.failed_count); }});
  columns.push_back({"p99 ms", "p99 ms", [](Rank one) {
                       return one.latency.empty() ? unknown
                                                  : plain_ms(one.latency.percentile_ns(99));
                     }});
  columns.push_back({"cores", "Cores", [](Rank one) {
                       if (one.measured_s <= 0) return std::string(unknown);
                       return fmt::format("{:.2f}", one.cpu_seconds / one.measured_s);
                     }});
  columns.push_back({"busiest", "Busiest worker", [](Rank one) {
                       return fmt::format("{:.0f}%", one.busiest_worker_load * 100);
                     }});
  columns.push_back({"lag p99 ms", "Timer lag p99 ms", [](Rank one) {
                       return one.timer_lag.empty() ? unknown
                                                    : plain_ms(one.timer_lag.percentile_ns(99));
                     }});
  columns.push_back(
      {"memory", "Memory", [](Rank one) { return text::bytes_text(one.peak_rss_bytes); }});
  columns.push_back(
      {"connections", "Connections", [](Rank one) { return text::grouped(one.connections); }});
  std::optional<double> first;
  for (Rank one : result.ranks) {
    if (const auto start = start_of(one)) first = std::min(first.value_or(*start), *start);
  }
  columns.push_back({"start ms", "Start, ms after the first", [first](Rank one) {
                       const std::optional<double> start = start_of(one);
                       return start ? signed_ms(*start - *first) : unknown;
                     }});
  if (any([](Rank one) { return one.clock_at_start.has_value(); })) {
    columns.push_back({"clock ms", "Clock offset at the start, ms",
                       [](Rank one) { return clock_cell(one.clock_at_start); }});
  }
  if (any([](Rank one) { return one.clock_at_end.has_value(); })) {
    columns.push_back({"clock at end", "Clock offset at the end, ms",
                       [](Rank one) { return clock_cell(one.clock_at_end); }});
  }
  return columns;
}

// All, or those that matter most: what is lost, what is not to be trusted, what is busiest.
std::vector<const RankResult*> shown_ranks(const Result& result) {
  std::vector<const RankResult*> shown;
  for (const RankResult& one : result.ranks) shown.push_back(&one);
  if (shown.size() <= shown_most) return shown;
  std::ranges::sort(shown, {}, [](const RankResult* one) {
    return std::tuple(one->lost.empty(), one->valid, -one->busiest_worker_load, one->rank);
  });
  shown.resize(shown_most);
  return shown;
}

std::string host_name(const Result& result, const RankResult& one) {
  constexpr std::string_view word = "host ";
  return rank_text(result.ranks, one).substr(word.size());
}

// What did not fit: of the text, a line.
std::string rest_text(const Result& result) {
  if (result.ranks.size() <= shown_most) return {};
  return fmt::format("and {} more hosts: see the result file", result.ranks.size() - shown_most);
}

}  // namespace

LoadHostTable load_host_table(const Result& result) {
  LoadHostTable table;
  table.columns = columns_of(result);
  for (const RankResult* one : shown_ranks(result)) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(host_name(result, *one));
    for (const LoadHostColumn& column : table.columns) row.push_back(column.cell(*one));
  }
  table.rest = rest_text(result);
  return table;
}

// As many columns beside the name as there is room for, and the others below.
void append_load_hosts(std::string& out, const Result& result, std::size_t width) {
  if (!result.is_of_several()) return;
  const LoadHostTable table = load_host_table(result);
  std::vector<std::string> names = {"load hosts"};
  for (const auto& row : table.rows) names.push_back("  " + printable(row[0]));
  const std::size_t name_width = name_width_of(names, width / 2, width);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t widest = std::string_view(table.columns[i].heading).size();
    for (const auto& row : table.rows) widest = std::max(widest, row[i + 1].size());
    widths.push_back(widest);
  }
  for (std::size_t first = 0, last = 0; first < widths.size(); first = last) {
    std::size_t used = name_width;
    while (last < widths.size() && (last == first || used + 1 + widths[last] <= width))
      used += 1 + widths[last++];
    out += "\n";
    for (std::size_t line = 0; line < names.size(); ++line) {
      out += fmt::format("{:<{}.{}}", names[line], name_width, name_width);
      for (std::size_t i = first; i < last; ++i) {
        const std::string& cell =
            line == 0 ? std::string(table.columns[i].heading) : table.rows[line - 1][i + 1];
        out += fmt::format(" {:>{}}", cell, widths[i]);
      }
      out += "\n";
    }
  }
  if (!table.rest.empty()) out += fmt::format("  {}\n", table.rest);
}

void append_part(std::string& out, const Result& result) {
  // Else the audit says it.
  if (result.incomplete && result.audit.empty())
    append_wrapped(out, "  INCOMPLETE  ", *result.incomplete);
  if (!result.is_part()) return;
  const RankResult& one = result.ranks.front();
  append_wrapped(
      out, "  part        ",
      fmt::format("{}, {}: one part of a run on several hosts. 'drover merge' combines the parts",
                  one.name, part_text(one)));
}

void write_load_hosts(HtmlWriter& html, const Result& result) {
  html.line(
      "p.about",
      "The hosts that generated the load. Cores: CPU cores that Drover used. Busiest worker: the "
      "share "
      "of a core that the busiest worker thread used. Timer lag: how late Drover woke up after a "
      "planned instant. Clock offset: the host's clock minus the coordinator's, with its "
      "uncertainty. Start: corrected by the clock offset.");
  const LoadHostTable known = load_host_table(result);
  std::vector<HtmlColumn> columns = {{"Host"}};
  for (const LoadHostColumn& column : known.columns) columns.push_back({column.caption, true});
  HtmlTable table{"Hosts that generated the load", std::move(columns), {}};
  for (const std::vector<std::string>& row : known.rows) {
    HtmlRow& cells = table.rows.emplace_back();
    for (const std::string& cell : row) cells.push_back(text::replaced(cell, " +- ", " ± "));
  }
  write_table(html, table);
  if (!known.rest.empty()) html.line("p.note", known.rest);
}

}  // namespace drover::report
