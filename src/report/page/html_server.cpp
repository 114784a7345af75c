#include <fmt/format.h>

#include <algorithm>

#include "report/model/chart.h"
#include "report/page/html_figures.h"
#include "report/page/html_parts.h"
#include "report/page/html_table.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr std::size_t statement_characters_max = 300;

HtmlRow event_row(const std::string& name, double sessions, const Result& result) {
  const double all = result.server_stats->sessions();
  return {name, fmt::format("{:.2f}", sessions), share_text(all > 0 ? sessions / all : 0),
          milliseconds_label(result.ms_per_transaction(sessions))};
}

void write_wait_events(HtmlWriter& html, const Result& result) {
  const ServerStats& stats = *result.server_stats;
  html.line("p.about",
            fmt::format("From {} in the measured interval, of the run's sessions that were in a "
                        "statement or a transaction. CPU: the session runs and waits for nothing. "
                        "Client:ClientRead: the session waits for Drover within a transaction.",
                        text::counted_grouped(stats.samples_measured, "sample")));
  if (stats.wait_events.empty()) return html.line("p", "No active session was found.");
  HtmlTable table{"Mean number of sessions in the server, by wait event",
                  numbers_behind("Event", {"Sessions", "Share", "Time per transaction"}),
                  {},
                  true};
  for (const WaitEvent& one : stats.longest(shown_rows_max)) {
    table.rows.push_back(event_row(one.name, one.sessions, result));
  }
  table.rows.push_back(event_row("All", stats.sessions(), result));
  write_table(html, table);
}

void write_statement_costs(HtmlWriter& html, const std::vector<ServerStatement>& statements) {
  if (statements.empty()) return html.line("p", "The server recorded no statement of the run.");
  HtmlTable table{"Statements of the whole run, from pg_stat_statements",
                  numbers_behind("Statement", {"Calls", "Total", "Mean", "Rows"}),
                  {}};
  for (const ServerStatement& one : statements) {
    if (table.rows.size() == shown_rows_max) break;
    table.rows.push_back({shortened(one.text, statement_characters_max), text::grouped(one.calls),
                          milliseconds_label(one.total_ms), milliseconds_label(one.mean_ms()),
                          text::grouped(one.rows)});
  }
  write_table(html, table);
}

}  // namespace

void write_server_stats(HtmlWriter& html, const Result& result) {
  write_wait_events(html, result);
  if (result.server_stats->statements)
    write_statement_costs(html, *result.server_stats->statements);
}

}  // namespace drover::report
