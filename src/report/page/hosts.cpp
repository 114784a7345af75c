// What was done at each of several hosts: in the summary and in a page.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "report/page/html_figures.h"
#include "report/page/html_parts.h"
#include "report/page/html_table.h"
#include "report/page/summary_parts.h"
#include "text/plain_text.h"

namespace drover::report {

void append_hosts(std::string& out, const Result& result, std::size_t width) {
  constexpr std::size_t width_of_cells = 9 + 9 + 7 + 3 * 8;
  if (result.hosts.empty()) return;
  std::vector<std::string> names = {"server hosts"};
  for (const HostResult& host : result.hosts) names.push_back("  " + printable(host.name));
  const std::size_t name_width = name_width_of(names, width_of_cells, width);
  const auto append = [&](const std::string& name, const std::vector<std::string>& cells) {
    out += fmt::format("{:<{}.{}} {:>8} {:>8} {:>6} {:>7} {:>7} {:>7}\n", name, name_width,
                       name_width, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]);
  };
  out += "\n";
  append(names[0], {"conns", "ok", "failed", "p50 ms", "p90 ms", "p99 ms"});
  for (std::size_t i = 0; i < result.hosts.size(); ++i) {
    const HostResult& host = result.hosts[i];
    std::vector<std::string> cells = {fmt::format("{}", host.connections),
                                      fmt::format("{}", host.ok_count),
                                      fmt::format("{}", host.failed_count)};
    for (const double percent : {50, 90, 99}) {
      cells.push_back(host.service.empty() ? "-" : plain_ms(host.service.percentile_ns(percent)));
    }
    append(names[i + 1], cells);
  }
}

void write_hosts(HtmlWriter& html, const Result& result) {
  html.line(
      "p.about",
      "Connections were distributed over these server hosts (--balance). Counts and service "
      "times are those of the measured interval; service time runs from the first statement to "
      "the answer. Connections are counted at the end of the run.");
  HtmlTable table{"Server hosts",
                  numbers_behind("Host", {"Connections", "Committed", "Failed", "p50 ms", "p90 ms",
                                          "p99 ms", "max ms"}),
                  {}};
  for (const HostResult& host : result.hosts) {
    HtmlRow& row = table.rows.emplace_back(HtmlRow{host.name, text::grouped(host.connections),
                                                   text::grouped(host.ok_count),
                                                   text::grouped(host.failed_count)});
    for (const double percent : {50, 90, 99, 100}) {
      row.push_back(host.service.empty() ? "–" : ms_text(host.service.percentile_ns(percent)));
    }
  }
  write_table(html, table);
}

}  // namespace drover::report
