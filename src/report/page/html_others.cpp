#include <fmt/format.h>

#include <algorithm>

#include "report/page/html_figures.h"
#include "report/page/html_parts.h"
#include "report/page/html_table.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr std::size_t statement_rows_max = 200;

// Those that a row has behind its name and counts.
HtmlRow with_percentiles(HtmlRow row, const measure::HistogramSnapshot& histogram) {
  for (const double percent : {50.0, 90.0, 95.0, 99.0, 99.9, 100.0}) {
    row.push_back(histogram.empty() ? "–" : ms_text(histogram.percentile_ns(percent)));
  }
  return row;
}

std::string agreement_text(const Account& account) {
  const std::optional<bool> agrees = account.agrees();
  if (!agrees) return "not read";
  return *agrees ? "✓ the same" : "✗ differ";
}

void write_verification(HtmlWriter& html, const Verification& verified) {
  const std::string text =
      fmt::format("{} read and verified: {} wrong, {} not found.",
                  text::counted_grouped(verified.values, "value"), text::grouped(verified.wrong),
                  text::counted_grouped(verified.not_found, "row"));
  if (verified.wrong == 0 && verified.not_found == 0) return html.line("p.note", text);
  html.line("p.warn", text);
  if (!verified.first_wrong.empty())
    html.line("p.warn", "First wrong value: " + verified.first_wrong);
}

}  // namespace

void write_service_times(HtmlWriter& html, const Result& result) {
  if (!result.plan.is_open_loop()) {
    return html.line(
        "p.note",
        "Latency runs from the intended start to the answer, retries included. Wait is "
        "its part before a permit and a connection were available. Unknown: commits "
        "without an answer, a part of Failed.");
  }
  HtmlTable table{"Service time of committed transactions, in ms",
                  numbers_behind("Transaction", {"p50", "p90", "p95", "p99", "p99.9", "max"}),
                  {},
                  true};
  for (const TransactionResult& one : result.transactions) {
    table.rows.push_back(with_percentiles({one.name}, one.service));
  }
  table.rows.push_back(with_percentiles({"All"}, all_transactions(result).service));
  write_table(html, table);
  html.line(
      "p.note",
      "Latency runs from the intended start to the answer, retries included. Service time runs "
      "from the first statement to the answer. Unknown: commits without an answer, a part "
      "of Failed.");
}

void write_statements(HtmlWriter& html, const Result& result) {
  HtmlTable table{"Statements, retried attempts included; latency in ms",
                  {{"Transaction"},
                   {"Statement"},
                   {"Succeeded", true},
                   {"Failed", true},
                   {"p50", true},
                   {"p90", true},
                   {"p95", true},
                   {"p99", true},
                   {"p99.9", true},
                   {"max", true}},
                  {}};
  std::size_t statements = 0;
  for (const TransactionResult& one : result.transactions) {
    for (const StatementResult& statement : one.statements) {
      if (++statements > statement_rows_max) continue;
      table.rows.push_back(
          with_percentiles({one.name, statement.name, text::grouped(statement.ok_count),
                            text::grouped(statement.failed_count)},
                           statement.latency));
    }
  }
  if (statements == 0) return;
  write_table(html, table);
  if (statements <= statement_rows_max) return;
  html.line("p.note", fmt::format("{} more statements are in the result file.",
                                  text::grouped(statements - statement_rows_max)));
}

void write_accounts(HtmlWriter& html, const Result& result) {
  html.line(
      "p.about",
      "Writes of the whole run, warm-up included: as the database acknowledged them, and as the "
      "tables contain them.");
  if (result.accounts.empty()) {
    html.line("p", "The run's writes were not counted in the data.");
  } else {
    HtmlTable table{"Committed writes",
                    {{"Writes"}, {"Acknowledged", true}, {"In the data", true}, {"Agreement"}},
                    {}};
    for (const Account& account : result.accounts) {
      if (table.rows.size() == shown_rows_max) break;
      table.rows.push_back(
          {account.name +
               (account.unresolved == 0 ? "" : "; the outcome of some commits is unresolved"),
           text::grouped(account.counted), account.in_data ? signed_label(*account.in_data) : "–",
           agreement_text(account)});
    }
    write_table(html, table);
  }
  if (result.verification) write_verification(html, *result.verification);
}

}  // namespace drover::report
