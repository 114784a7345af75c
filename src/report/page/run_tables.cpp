#include "report/page/run_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "report/page/run_figures.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr std::size_t unlimited_width = std::numeric_limits<std::size_t>::max();

// Names of rows below the title of a table are indented in terminals.
Wording indented(Wording name) {
  name.terminal.insert(0, "  ");
  return name;
}

TableColumn name_column(std::string in_terminal, std::string in_markdown, std::string on_page) {
  return {.title = {std::move(in_terminal), std::move(in_markdown), std::move(on_page)},
          .is_number = false};
}

TableColumn number_column(Wording title, std::size_t width = 0) {
  return {.title = std::move(title), .width = width};
}

Wording rate_wording(double count, double seconds) {
  const double rate = seconds > 0 ? count / seconds : 0;
  return {rate < 999.95 ? fmt::format("{:.1f}", rate) : fmt::format("{:.0f}", rate),
          seconds > 0 ? rate_text(rate) : "–"};
}

Wording limit_wording(const TransactionResult& one) {
  const std::optional<bool> held = one.holds_latency_limit();
  return {!held   ? "-"
          : *held ? "ok"
                  : "OVER",
          limit_text(one, " ✓", " ✗ over"), limit_text(one, " ✓ held", " ✗ over")};
}

TableRow transaction_row(Wording name, const TransactionResult& one, double seconds) {
  return {{std::move(name), count_wording(one.ok_count), count_wording(one.user_aborted_count),
           count_wording(one.failed_count), count_wording(one.ambiguous.count()),
           count_wording(one.retry_count), rate_wording(static_cast<double>(one.ok_count), seconds),
           bounded_ms_wording(one, 50), bounded_ms_wording(one, 90), bounded_ms_wording(one, 95),
           bounded_ms_wording(one, 99), bounded_ms_wording(one, 99.9), bounded_ms_wording(one, 100),
           ms_wording(one.wait, 50), ms_wording(one.wait, 99), limit_wording(one)}};
}

Wording all_name() {
  return {"all", "**All**", "All"};
}

void add_percentiles(std::vector<Cell>& cells, const measure::HistogramSnapshot& histogram) {
  for (const double percent : {50.0, 90.0, 95.0, 99.0, 99.9, 100.0})
    cells.emplace_back(ms_wording(histogram, percent));
}

// Counts and latencies of a statement, behind its name.
const std::vector<TableColumn>& statement_columns() {
  static const std::vector<TableColumn> columns = {number_column({"ok", "", "Succeeded"}, 8),
                                                   number_column({"failed", "", "Failed"}, 7),
                                                   number_column({"p50 ms", "", "p50"}, 7),
                                                   number_column({"p90 ms", "", "p90"}, 7),
                                                   number_column({"", "", "p95"}),
                                                   number_column({"p99 ms", "", "p99"}, 7),
                                                   number_column({"", "", "p99.9"}),
                                                   number_column({"max ms", "", "max"}, 7)};
  return columns;
}

std::vector<Cell> statement_cells(std::vector<Cell> names, const StatementResult& statement) {
  names.emplace_back(count_wording(statement.ok_count));
  names.emplace_back(count_wording(statement.failed_count));
  add_percentiles(names, statement.latency);
  return names;
}

std::string signed_ms(double seconds) {
  const double ms = seconds * 1e3;
  return fmt::format("{:+.{}f}", ms, std::abs(ms) < 100 ? 2 : 0);
}

constexpr const char* unknown = "-";

Wording clock_cell(const std::optional<ClockOffset>& clock) {
  if (!clock) return unknown;
  const std::string text =
      fmt::format("{} +- {:.2f}", signed_ms(clock->wall_s), clock->uncertainty_s * 1e3);
  return {text, text, text::replaced(text, " +- ", " ± ")};
}

Wording lost_cell(const RankResult& one) {
  if (one.lost.empty()) return unknown;
  if (!one.lost_at_s) return "lost";
  const auto seconds = static_cast<std::uint64_t>(*one.lost_at_s);
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

struct LoadHostColumn {
  const char* heading;  // in terminals and Markdown
  const char* title;    // on pages
  std::function<Wording(const RankResult&)> cell;
};

std::vector<LoadHostColumn> load_host_figures() {
  using Host = const RankResult&;
  return {{"ok/s", "Committed/s",
           [](Host one) -> Wording {
             if (one.measured_s <= 0) return unknown;
             return rate_text(static_cast<double>(one.ok_count) / one.measured_s);
           }},
          {"failed", "Failed", [](Host one) { return text::grouped(one.failed_count); }},
          {"p99 ms", "p99 ms",
           [](Host one) -> Wording {
             return one.latency.empty() ? unknown : plain_ms(one.latency.percentile_ns(99));
           }},
          {"cores", "Cores",
           [](Host one) -> Wording {
             if (one.measured_s <= 0) return unknown;
             return fmt::format("{:.2f}", one.cpu_seconds / one.measured_s);
           }},
          {"busiest", "Busiest worker",
           [](Host one) { return fmt::format("{:.0f}%", one.busiest_worker_load * 100); }},
          {"lag p99 ms", "Timer lag p99 ms",
           [](Host one) -> Wording {
             return one.timer_lag.empty() ? unknown : plain_ms(one.timer_lag.percentile_ns(99));
           }},
          {"memory", "Memory", [](Host one) { return text::bytes_text(one.peak_rss_bytes); }},
          {"connections", "Connections", [](Host one) { return text::grouped(one.connections); }}};
}

// Columns without a value for any host are left out.
std::vector<LoadHostColumn> load_host_columns(const Result& result) {
  using Host = const RankResult&;
  const auto any = [&result](const auto& has) { return std::ranges::any_of(result.ranks, has); };
  std::vector<LoadHostColumn> columns;
  if (any([](Host one) { return !one.lost.empty(); }))
    columns.push_back({"lost at", "Lost at", lost_cell});
  if (result.is_tpcc()) {
    columns.push_back({"warehouses", "Warehouses", [](Host one) {
                         return fmt::format("{}-{}", one.warehouse_first, one.warehouse_last);
                       }});
  }
  for (LoadHostColumn& column : load_host_figures()) columns.push_back(std::move(column));
  std::optional<double> first;
  for (Host one : result.ranks) {
    if (const auto start = start_of(one)) first = std::min(first.value_or(*start), *start);
  }
  columns.push_back({"start ms", "Start, ms after the first", [first](Host one) -> Wording {
                       const std::optional<double> start = start_of(one);
                       return start ? signed_ms(*start - *first) : unknown;
                     }});
  if (any([](Host one) { return one.clock_at_start.has_value(); })) {
    columns.push_back({"clock ms", "Clock offset at the start, ms",
                       [](Host one) { return clock_cell(one.clock_at_start); }});
  }
  if (any([](Host one) { return one.clock_at_end.has_value(); })) {
    columns.push_back({"clock at end", "Clock offset at the end, ms",
                       [](Host one) { return clock_cell(one.clock_at_end); }});
  }
  return columns;
}

constexpr std::size_t load_hosts_shown_most = 30;

// Returns all hosts, or the most important ones: lost, invalid, then the busiest.
std::vector<const RankResult*> shown_load_hosts(const Result& result) {
  std::vector<const RankResult*> shown;
  for (const RankResult& one : result.ranks) shown.push_back(&one);
  if (shown.size() <= load_hosts_shown_most) return shown;
  std::ranges::sort(shown, {}, [](const RankResult* one) {
    return std::tuple(one->lost.empty(), one->valid, -one->busiest_worker_load, one->rank);
  });
  shown.resize(load_hosts_shown_most);
  return shown;
}

std::vector<Cell> event_cells(Wording name, double sessions, const Result& result) {
  const double all = result.server_stats->sessions();
  const double share = all > 0 ? sessions / all : 0;
  const double ms = result.ms_per_transaction(sessions);
  return {std::move(name), fmt::format("{:.2f}", sessions),
          Wording(fmt::format("{:.1f}%", share * 100), share_text(share)),
          Wording(text::figure_text(ms), text::figure_text(ms), milliseconds_label(ms))};
}

}  // namespace

Table transactions_table(const Result& result) {
  Table table{
      .caption = only_page("Counts in the measured interval"),
      .columns = {name_column("transaction", "Transaction", "Transaction"),
                  number_column({"ok", "committed", "Committed"}, 9),
                  number_column({"rolled", "", "Rolled back"}, 7),
                  number_column({"failed", "failed", "Failed"}, 7),
                  number_column(only_page("Unknown")),
                  number_column({"retries", "retries", "Retries"}, 8),
                  number_column({"ok/s", "committed/s", "Committed/s"}, 6),
                  number_column({"p50 ms", "p50 ms", "p50"}, 7),
                  number_column({"p90 ms", "p90 ms", "p90"}, 7),
                  number_column({"p95 ms", "", "p95"}, 7),
                  number_column({"p99 ms", "p99 ms", "p99"}, 7), number_column(only_page("p99.9")),
                  number_column({"max ms", "max ms", "max"}, 7),
                  number_column(only_page("Wait p50")), number_column(only_page("Wait p99")),
                  number_column({result.is_tpcc() ? "limit" : "", "p90 limit"}, 5)},
      .last_is_total = true,
      .further_parts = {{7, "Latency of committed transactions, and waits, in ms"}}};
  const double seconds = result.summary.time_seconds;
  for (const TransactionResult& one : result.transactions)
    table.rows.push_back(transaction_row(name_wording(one.name), one, seconds));
  table.rows.push_back(transaction_row(all_name(), all_transactions(result), seconds));
  if (!result.deferred_delivery) return table;
  table.rows.push_back(
      transaction_row("deferred", deferred_row(*result.deferred_delivery), seconds));
  table.rows.back().in_markdown = table.rows.back().on_page = false;
  if (const std::uint64_t unfinished = result.deferred_delivery->unfinished; unfinished > 0) {
    table.rest = only_terminal(text::counted(unfinished, "deferred Delivery") +
                               " unfinished at the end of the run");
  }
  return table;
}

Table service_times_table(const Result& result) {
  Table table{
      .caption = {"", "Service time, from the first statement to the answer:",
                  "Service time of committed transactions, in ms"},
      .columns = {name_column("", "Transaction", "Transaction"),
                  number_column({"", "p50 ms", "p50"}), number_column({"", "p90 ms", "p90"}),
                  number_column(only_page("p95")), number_column({"", "p99 ms", "p99"}),
                  number_column(only_page("p99.9")), number_column({"", "max ms", "max"})},
      .last_is_total = true};
  const auto add = [&table](Wording name, const TransactionResult& one) {
    std::vector<Cell> cells = {std::move(name)};
    add_percentiles(cells, one.service);
    table.add(std::move(cells));
  };
  for (const TransactionResult& one : result.transactions) add(name_wording(one.name), one);
  add(all_name(), all_transactions(result));
  return table;
}

Table latency_and_service_table(const Result& result) {
  Table table{.columns = {name_column("ms", "", ""),
                          {.title = only_terminal(" "), .is_number = false, .width = 7}}};
  constexpr std::pair<const char*, double> percents[] = {
      {"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}};
  for (const auto& [title, percent] : percents) {
    table.columns.push_back(
        {.title = only_terminal(title), .width = 7, .if_room = percent == 95 || percent == 99.9});
  }
  const auto add = [&](const std::string& name, const TransactionResult& one) {
    std::vector<Cell> latency = {name, "latency"};
    std::vector<Cell> service = {"", "service"};
    for (const auto& [title, percent] : percents) {
      latency.emplace_back(bounded_ms_wording(one, percent));
      service.emplace_back(ms_wording(one.service, percent));
    }
    table.add(std::move(latency));
    table.add(std::move(service));
  };
  for (const TransactionResult& one : result.transactions) add(one.name, one);
  add("all", all_transactions(result));
  return table;
}

Table statements_table(const Result& result) {
  Table table{.caption = only_page("Statements, retried attempts included; latency in ms"),
              .columns = {name_column("", "", "Transaction"), name_column("", "", "Statement")}};
  table.columns.insert(table.columns.end(), statement_columns().begin(), statement_columns().end());
  std::size_t statements = 0;
  for (const TransactionResult& one : result.transactions) {
    for (const StatementResult& statement : one.statements) {
      if (++statements <= shown_rows_max)
        table.add(statement_cells({one.name, statement.name}, statement));
    }
  }
  if (statements > shown_rows_max) {
    table.rest = only_page(fmt::format("{} more statements are in the result file.",
                                       text::grouped(statements - shown_rows_max)));
  }
  return table;
}

std::vector<Table> statements_tables(const Result& result) {
  constexpr std::size_t shown_most = 30;
  std::vector<Table> tables;
  for (const TransactionResult& one : result.transactions) {
    if (one.statements.empty()) continue;
    Table& table = tables.emplace_back();
    table.columns = {name_column("statements of " + one.name, "", "")};
    table.columns.insert(table.columns.end(), statement_columns().begin(),
                         statement_columns().end());
    for (const StatementResult& statement : one.statements) {
      if (table.rows.size() < shown_most)
        table.add(statement_cells({indented(statement.name)}, statement));
    }
    if (const std::size_t count = one.statements.size(); count > shown_most)
      table.rest =
          only_terminal(fmt::format("and {} more: see the result file", count - shown_most));
  }
  return tables;
}

Table load_hosts_table(const Result& result) {
  Table table{.caption = {"", "Hosts that generated the load:", "Hosts that generated the load"},
              .columns = {name_column("load hosts", "Host", "Host")}};
  const std::vector<LoadHostColumn> columns = load_host_columns(result);
  for (const LoadHostColumn& column : columns)
    table.columns.push_back(number_column({column.heading, column.heading, column.title}));
  constexpr std::size_t word = std::string_view("host ").size();
  for (const RankResult* one : shown_load_hosts(result)) {
    std::vector<Cell> cells = {indented(name_wording(rank_text(result.ranks, *one).substr(word)))};
    for (const LoadHostColumn& column : columns) cells.emplace_back(column.cell(*one));
    table.add(std::move(cells));
  }
  if (result.ranks.size() > load_hosts_shown_most) {
    table.rest = fmt::format("and {} more hosts: see the result file",
                             result.ranks.size() - load_hosts_shown_most);
  }
  return table;
}

Table server_hosts_table(const Result& result) {
  Table table{.caption = {"", "Server hosts, with service times:", "Server hosts"},
              .columns = {name_column("server hosts", "Server host", "Host"),
                          number_column({"conns", "connections", "Connections"}, 8),
                          number_column({"ok", "committed", "Committed"}, 8),
                          number_column({"failed", "failed", "Failed"}, 6),
                          number_column("p50 ms", 7), number_column("p90 ms", 7),
                          number_column("p99 ms", 7), number_column(only_page("max ms"))}};
  for (const HostResult& host : result.hosts) {
    std::vector<Cell> cells = {indented(name_wording(host.name)), count_wording(host.connections),
                               count_wording(host.ok_count), count_wording(host.failed_count)};
    for (const double percent : {50, 90, 99, 100})
      cells.emplace_back(ms_wording(host.service, percent));
    table.add(std::move(cells));
  }
  return table;
}

Table wait_events_table(const Result& result, std::size_t events_most) {
  const ServerStats& stats = *result.server_stats;
  Table table{
      .caption = {"", "Mean number of server sessions by wait event:",
                  "Mean number of sessions in the server, by wait event"},
      .columns = {name_column("server, by wait event", "Event", "Event"),
                  number_column({"sessions", "sessions", "Sessions"}, 9),
                  number_column({"share", "share", "Share"}, 9),
                  number_column({"ms/tx", "ms per transaction", "Time per transaction"}, 9)},
      .last_is_total = true};
  for (const WaitEvent& one : stats.longest(events_most))
    table.add(event_cells(indented(name_wording(one.name)), one.sessions, result));
  table.rows.push_back(
      {.cells = event_cells(indented(all_name()), stats.sessions(), result), .in_markdown = false});
  return table;
}

Table server_statements_table(const std::vector<ServerStatement>& statements) {
  constexpr std::size_t terminal_rows_most = 5;
  constexpr std::size_t page_characters_max = 300;
  Table table{
      .caption = only_page("Statements of the whole run, from pg_stat_statements"),
      .columns = {name_column("server, by statement", "", "Statement"),
                  number_column({"calls", "", "Calls"}, 9),
                  number_column({"total s", "", "Total"}, 9),
                  number_column({"mean ms", "", "Mean"}, 9), number_column(only_page("Rows"))},
      // Statements often begin with the same text, so their column has no width limit.
      .name_width_most = unlimited_width};
  for (const ServerStatement& one : statements) {
    if (table.rows.size() == shown_rows_max) break;
    table.rows.push_back(
        {.cells = {Wording("  " + one.text, "", shortened(one.text, page_characters_max)),
                   count_wording(one.calls),
                   Wording(fmt::format("{:.1f}", one.total_ms * 1e-3),
                           milliseconds_label(one.total_ms)),
                   Wording(text::figure_text(one.mean_ms()), milliseconds_label(one.mean_ms())),
                   count_wording(one.rows)},
         .in_terminal = table.rows.size() < terminal_rows_most});
  }
  if (statements.size() > terminal_rows_most) {
    table.rest = only_terminal(
        fmt::format("and {} more: see the result file", statements.size() - terminal_rows_most));
  }
  return table;
}

}  // namespace drover::report
