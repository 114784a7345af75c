#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/page/html_figures.h"
#include "report/page/summary_parts.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr std::size_t cell_width = 9;
constexpr std::size_t cells_width = 3 * (1 + cell_width);

void append_line(std::string& out, const std::string& name, std::size_t name_width,
                 const std::vector<std::string>& cells) {
  out += fmt::format("{:<{}.{}}", name, name_width, name_width);
  for (const std::string& cell : cells) out += fmt::format(" {:>{}}", cell, cell_width);
  out += "\n";
}

void append_server_events(std::string& out, const Result& result, std::size_t width) {
  constexpr std::size_t shown_most = 8;
  const ServerStats& stats = *result.server_stats;
  const double all = stats.sessions();
  if (all <= 0) {
    out += fmt::format("\n  server      no active session in {}\n",
                       text::counted(stats.samples_measured, "sample"));
    return;
  }
  const std::vector<WaitEvent> shown = stats.longest(shown_most);
  std::vector<std::string> names = {"server, by wait event"};
  for (const WaitEvent& one : shown) names.push_back("  " + printable(one.name));
  names.emplace_back("  all");
  const std::size_t name_width = name_width_of(names, cells_width, width);
  const auto cells_of = [&](double sessions) -> std::vector<std::string> {
    return {fmt::format("{:.2f}", sessions), fmt::format("{:.1f}%", sessions / all * 100),
            text::figure_text(result.ms_per_transaction(sessions))};
  };
  out += "\n";
  append_line(out, names[0], name_width, {"sessions", "share", "ms/tx"});
  for (std::size_t i = 0; i < shown.size(); ++i) {
    append_line(out, names[i + 1], name_width, cells_of(shown[i].sessions));
  }
  append_line(out, names.back(), name_width, cells_of(all));
}

void append_server_statements(std::string& out, const std::vector<ServerStatement>& statements,
                              std::size_t width) {
  constexpr std::size_t shown_most = 5;
  if (statements.empty()) return;
  const std::size_t shown = std::min(statements.size(), shown_most);
  std::vector<std::string> names = {"server, by statement"};
  for (std::size_t i = 0; i < shown; ++i) names.push_back("  " + printable(statements[i].text));
  // They have all the room there is: a text is told from another one by more than its beginning.
  const std::size_t name_width = width > cells_width ? width - cells_width : cells_width;
  out += "\n";
  append_line(out, names[0], name_width, {"calls", "total s", "mean ms"});
  for (std::size_t i = 0; i < shown; ++i) {
    const ServerStatement& one = statements[i];
    append_line(out, names[i + 1], name_width,
                {fmt::format("{}", one.calls), fmt::format("{:.1f}", one.total_ms * 1e-3),
                 text::figure_text(one.mean_ms())});
  }
  if (statements.size() > shown) {
    out += fmt::format("  and {} more: see the result file\n", statements.size() - shown);
  }
}

}  // namespace

void append_server_stats(std::string& out, const Result& result, std::size_t width) {
  if (!result.server_stats) return;
  append_server_events(out, result, width);
  if (result.server_stats->statements) {
    append_server_statements(out, *result.server_stats->statements, width);
  }
}

}  // namespace drover::report
