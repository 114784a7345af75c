#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "report/page/run_parts.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// "0.85", "31.4", "4,666"
std::string ms_text(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  if (ms < 9.995) return fmt::format("{:.2f}", ms);
  if (ms < 999.95) return fmt::format("{:.1f}", ms);
  return text::grouped(static_cast<std::uint64_t>(std::llround(ms)));
}

// A percentile in milliseconds, 100 for the maximum; a dash if there is none.
Wording ms_wording(const measure::HistogramSnapshot& histogram, double percent) {
  if (histogram.empty()) return {"-", "–"};
  const std::uint64_t ns = histogram.percentile_ns(percent);
  return {plain_ms(ns), ms_text(ns)};
}

// A column of figures, with the function that returns the cell of a row.
template <class Row>
struct FigureColumn {
  Wording title;
  std::function<Wording(const Row&)> cell;
  std::size_t width = 0;  // in terminals
};
template <class Row>
using FigureColumns = std::vector<FigureColumn<Row>>;

template <class Row>
void add_columns(Table& table, const FigureColumns<Row>& columns) {
  for (const FigureColumn<Row>& column : columns)
    table.columns.push_back({.title = column.title, .width = column.width});
}

// Adds a row of names and figures, and returns it.
template <class Row>
TableRow& add_row(Table& table, std::vector<Cell> names, const FigureColumns<Row>& columns,
                  const Row& row) {
  for (const FigureColumn<Row>& column : columns) names.emplace_back(column.cell(row));
  table.add(std::move(names));
  return table.rows.back();
}

TableColumn name_column(std::string in_terminal, std::string in_markdown, std::string on_page) {
  return {.title = {std::move(in_terminal), std::move(in_markdown), std::move(on_page)},
          .is_number = false};
}

// Names of rows below the title of a table are indented in terminals.
Wording indented(Wording name) {
  name.terminal.insert(0, "  ");
  return name;
}

Wording all_name() {
  return {"all", "**All**", "All"};
}

constexpr std::pair<const char*, double> percentiles[] = {
    {"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}};
constexpr std::initializer_list<double> common_percentiles = {50, 90, 99, 100};

// Adds the columns of all percentiles for pages, and of some for terminals and for Markdown.
template <class Row, class WordingOf>
void add_percentiles(FigureColumns<Row>& columns, std::initializer_list<double> in_terminal,
                     std::initializer_list<double> in_markdown, WordingOf wording) {
  for (const auto& [name, percent] : percentiles) {
    const auto title_if = [&](std::initializer_list<double> shown) {
      return std::ranges::find(shown, percent) != shown.end() ? name + std::string(" ms") : "";
    };
    columns.push_back({{title_if(in_terminal), title_if(in_markdown), name},
                       [=, percent = percent](const Row& one) { return wording(one, percent); },
                       7});
  }
}

Wording rate_wording(double count, double seconds) {
  const double rate = seconds > 0 ? count / seconds : 0;
  return {rate < 999.95 ? fmt::format("{:.1f}", rate) : fmt::format("{:.0f}", rate),
          seconds > 0 ? rate_text(rate) : "–"};
}

// Returns the limit of the 90th percentile, and whether it was held.
Wording limit_wording(const TransactionResult& one) {
  const std::optional<bool> held = one.holds_latency_limit();
  const auto document_text = [&](const char* if_held) {
    if (!one.latency_limit_s) return std::string("–");
    const std::string limit = milliseconds_label(*one.latency_limit_s * 1000);
    return !held ? limit : limit + (*held ? if_held : " ✗ over");
  };
  return {!held ? "-" : *held ? "ok" : "OVER", document_text(" ✓"), document_text(" ✓ held")};
}

FigureColumns<TransactionResult> transaction_columns(const Result& result) {
  using Row = const TransactionResult&;
  const auto count = [](std::uint64_t TransactionResult::* counted) {
    return [counted](Row one) { return count_wording(one.*counted); };
  };
  const double seconds = result.summary.time_seconds;
  FigureColumns<TransactionResult> columns = {
      {{"ok", "committed", "Committed"}, count(&TransactionResult::ok_count), 9},
      {{"rolled", "", "Rolled back"}, count(&TransactionResult::user_aborted_count), 7},
      {{"failed", "failed", "Failed"}, count(&TransactionResult::failed_count), 7},
      {only_page("Unknown"), [](Row one) { return count_wording(one.ambiguous.count()); }},
      {{"retries", "retries", "Retries"}, count(&TransactionResult::retry_count), 8},
      {{"ok/s", "committed/s", "Committed/s"},
       [=](Row one) { return rate_wording(static_cast<double>(one.ok_count), seconds); },
       6}};
  add_percentiles(columns, {50, 90, 95, 99, 100}, common_percentiles, bounded_ms_wording);
  columns.push_back({only_page("Wait p50"), [](Row one) { return ms_wording(one.wait, 50); }});
  columns.push_back({only_page("Wait p99"), [](Row one) { return ms_wording(one.wait, 99); }});
  columns.push_back(
      {{result.kind().has_specification ? "limit" : "", "p90 limit"}, limit_wording, 5});
  return columns;
}

FigureColumns<StatementResult> statement_columns() {
  using Row = const StatementResult&;
  FigureColumns<StatementResult> columns = {
      {{"ok", "", "Succeeded"}, [](Row one) { return count_wording(one.ok_count); }, 8},
      {{"failed", "", "Failed"}, [](Row one) { return count_wording(one.failed_count); }, 7}};
  add_percentiles(columns, common_percentiles, {},
                  [](Row one, double percent) { return ms_wording(one.latency, percent); });
  return columns;
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

// Columns without a value for any host are left out.
FigureColumns<RankResult> load_host_columns(const Result& result) {
  using Host = const RankResult&;
  FigureColumns<RankResult> columns;
  const auto add = [&](const char* title, const char* on_page, auto cell) {
    columns.push_back({{title, title, on_page}, cell});
  };
  const auto any = [&result](const auto& has) { return std::ranges::any_of(result.ranks, has); };
  const auto p99 = [](const measure::HistogramSnapshot& histogram) -> Wording {
    return histogram.empty() ? unknown : plain_ms(histogram.percentile_ns(99));
  };
  if (any([](Host one) { return !one.lost.empty(); })) add("lost at", "Lost at", lost_cell);
  if (result.kind().has_warehouses) {
    add("warehouses", "Warehouses",
        [](Host one) { return fmt::format("{}-{}", one.warehouse_first, one.warehouse_last); });
  }
  add("ok/s", "Committed/s", [](Host one) -> Wording {
    if (one.measured_s <= 0) return unknown;
    return rate_text(static_cast<double>(one.ok_count) / one.measured_s);
  });
  add("failed", "Failed", [](Host one) { return text::grouped(one.failed_count); });
  add("p99 ms", "p99 ms", [=](Host one) { return p99(one.latency); });
  add("cores", "Cores", [](Host one) -> Wording {
    if (one.measured_s <= 0) return unknown;
    return fmt::format("{:.2f}", one.cpu_seconds / one.measured_s);
  });
  add("busiest", "Busiest worker",
      [](Host one) { return fmt::format("{:.0f}%", one.busiest_worker_load * 100); });
  add("lag p99 ms", "Timer lag p99 ms", [=](Host one) { return p99(one.timer_lag); });
  add("memory", "Memory", [](Host one) { return text::bytes_text(one.peak_rss_bytes); });
  add("connections", "Connections", [](Host one) { return text::grouped(one.connections); });
  std::optional<double> first;
  for (Host one : result.ranks)
    if (const auto start = start_of(one)) first = std::min(first.value_or(*start), *start);
  add("start ms", "Start, ms after the first", [first](Host one) -> Wording {
    const std::optional<double> start = start_of(one);
    return start ? signed_ms(*start - *first) : unknown;
  });
  if (any([](Host one) { return one.clock_at_start.has_value(); })) {
    add("clock ms", "Clock offset at the start, ms",
        [](Host one) { return clock_cell(one.clock_at_start); });
  }
  if (any([](Host one) { return one.clock_at_end.has_value(); })) {
    add("clock at end", "Clock offset at the end, ms",
        [](Host one) { return clock_cell(one.clock_at_end); });
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

}  // namespace

std::string plain_ms(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  return ms < 999.95 ? ms_text(ns) : fmt::format("{:.0f}", ms);
}

std::string latency_text(std::uint64_t ns) {
  return milliseconds_label(static_cast<double>(ns) * 1e-6);
}

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second)) return "?";
  if (per_second < 999.95) return fmt::format("{:.1f}", per_second);
  if (per_second > 1e15) return fmt::format("{:.3g}", per_second);
  return text::grouped(static_cast<std::uint64_t>(std::llround(per_second)));
}

std::string share_text(double share) {
  const double percent = share * 100;
  if (percent == 0) return "0%";
  return percent < 0.01 ? "<0.01%" : number_label(percent) + "%";
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

Wording count_wording(std::uint64_t count) {
  return {std::to_string(count), text::grouped(count)};
}

Wording bounded_ms_wording(const TransactionResult& one, double percent) {
  Wording text = ms_wording(one.latency, percent);
  if (one.latency.empty() || !is_lower_bound(one.latency, one.pending.unanswered, percent))
    return text;
  return {">" + text.terminal, "≥ " + text.page};
}

std::string settings_without_durability(const Result& result) {
  std::string off;
  if (!result.environment.server) return off;
  const auto& settings = result.environment.server->settings;
  for (const char* name : {"fsync", "synchronous_commit", "full_page_writes"}) {
    const auto found = settings.find(name);
    if (found == settings.end() || found->second != "off") continue;
    off += fmt::format("{}{} = off", off.empty() ? "" : ", ", name);
  }
  return off;
}

std::string disclaimer_of(const Result& result) {
  if (!result.kind().has_specification) return "";
  return "This is not an official TPC result and must not be compared with published ones.";
}

Table transactions_table(const Result& result) {
  const FigureColumns<TransactionResult> columns = transaction_columns(result);
  Table table{.caption = only_page("Counts in the measured interval"),
              .columns = {name_column("transaction", "Transaction", "Transaction")},
              .last_is_total = true,
              .further_parts = {{7, "Latency of committed transactions, and waits, in ms"}}};
  add_columns(table, columns);
  for (const TransactionResult& one : result.transactions)
    add_row(table, {name_wording(one.name)}, columns, one);
  add_row(table, {all_name()}, columns, all_transactions(result));
  if (!result.deferred_delivery) return table;
  TableRow& row = add_row(table, {"deferred"}, columns, deferred_row(*result.deferred_delivery));
  row.in_markdown = row.on_page = false;
  if (const std::uint64_t unfinished = result.deferred_delivery->unfinished; unfinished > 0) {
    table.rest = only_terminal(text::counted(unfinished, "deferred Delivery") +
                               " unfinished at the end of the run");
  }
  return table;
}

Table service_times_table(const Result& result) {
  Table table{.caption = {"", "Service time, from the first statement to the answer:",
                          "Service time of committed transactions, in ms"},
              .columns = {name_column("", "Transaction", "Transaction")},
              .last_is_total = true};
  FigureColumns<TransactionResult> columns;
  add_percentiles(columns, {}, common_percentiles,
                  [](const TransactionResult& one, double percent) {
                    return ms_wording(one.service, percent);
                  });
  add_columns(table, columns);
  for (const TransactionResult& one : result.transactions)
    add_row(table, {name_wording(one.name)}, columns, one);
  add_row(table, {all_name()}, columns, all_transactions(result));
  return table;
}

Table latency_and_service_table(const Result& result) {
  Table table{.columns = {name_column("ms", "", ""),
                          {.title = only_terminal(" "), .is_number = false, .width = 7}}};
  for (const auto& [title, percent] : percentiles) {
    table.columns.push_back(
        {.title = only_terminal(title), .width = 7, .if_room = percent == 95 || percent == 99.9});
  }
  const auto add = [&](const std::string& name, const TransactionResult& one) {
    std::vector<Cell> latency = {name, "latency"};
    std::vector<Cell> service = {"", "service"};
    for (const auto& [title, percent] : percentiles) {
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
  const FigureColumns<StatementResult> columns = statement_columns();
  add_columns(table, columns);
  std::size_t statements = 0;
  for (const TransactionResult& one : result.transactions) {
    for (const StatementResult& statement : one.statements)
      if (++statements <= shown_rows_max)
        add_row(table, {one.name, statement.name}, columns, statement);
  }
  if (statements > shown_rows_max) {
    table.rest = only_page(fmt::format("{} more statements are in the result file.",
                                       text::grouped(statements - shown_rows_max)));
  }
  return table;
}

std::vector<Table> statements_tables(const Result& result) {
  constexpr std::size_t shown_most = 30;
  const FigureColumns<StatementResult> columns = statement_columns();
  std::vector<Table> tables;
  for (const TransactionResult& one : result.transactions) {
    if (one.statements.empty()) continue;
    Table& table = tables.emplace_back();
    table.columns = {name_column("statements of " + one.name, "", "")};
    add_columns(table, columns);
    for (const StatementResult& statement : one.statements)
      if (table.rows.size() < shown_most)
        add_row(table, {indented(statement.name)}, columns, statement);
    if (const std::size_t count = one.statements.size(); count > shown_most)
      table.rest =
          only_terminal(fmt::format("and {} more: see the result file", count - shown_most));
  }
  return tables;
}

Table load_hosts_table(const Result& result) {
  Table table{.caption = {"", "Hosts that generated the load:", "Hosts that generated the load"},
              .columns = {name_column("load hosts", "Host", "Host")}};
  const FigureColumns<RankResult> columns = load_host_columns(result);
  add_columns(table, columns);
  constexpr std::size_t word = std::string_view("host ").size();
  for (const RankResult* one : shown_load_hosts(result)) {
    const std::string name = rank_text(result.ranks, *one).substr(word);
    add_row(table, {indented(name_wording(name))}, columns, *one);
  }
  if (result.ranks.size() > load_hosts_shown_most) {
    table.rest = fmt::format("and {} more hosts: see the result file",
                             result.ranks.size() - load_hosts_shown_most);
  }
  return table;
}

Table server_hosts_table(const Result& result) {
  using Host = const HostResult&;
  const auto ms = [](double percent) {
    return [percent](Host host) { return ms_wording(host.service, percent); };
  };
  const FigureColumns<HostResult> columns = {
      {{"conns", "connections", "Connections"},
       [](Host host) { return count_wording(host.connections); },
       8},
      {{"ok", "committed", "Committed"}, [](Host host) { return count_wording(host.ok_count); }, 8},
      {{"failed", "failed", "Failed"},
       [](Host host) { return count_wording(host.failed_count); },
       6},
      {"p50 ms", ms(50), 7},
      {"p90 ms", ms(90), 7},
      {"p99 ms", ms(99), 7},
      {only_page("max ms"), ms(100)}};
  Table table{.caption = {"", "Server hosts, with service times:", "Server hosts"},
              .columns = {name_column("server hosts", "Server host", "Host")}};
  add_columns(table, columns);
  for (Host host : result.hosts) add_row(table, {indented(name_wording(host.name))}, columns, host);
  return table;
}

Table wait_events_table(const Result& result, std::size_t events_most) {
  const ServerStats& stats = *result.server_stats;
  const double all = stats.sessions();
  const FigureColumns<double> columns = {
      {{"sessions", "sessions", "Sessions"},
       [](const double& sessions) { return fmt::format("{:.2f}", sessions); },
       9},
      {{"share", "share", "Share"},
       [all](const double& sessions) -> Wording {
         const double share = all > 0 ? sessions / all : 0;
         return {fmt::format("{:.1f}%", share * 100), share_text(share)};
       },
       9},
      {{"ms/tx", "ms per transaction", "Time per transaction"},
       [&result](const double& sessions) -> Wording {
         const double ms = result.ms_per_transaction(sessions);
         return {text::figure_text(ms), text::figure_text(ms), milliseconds_label(ms)};
       },
       9}};
  Table table{.caption = {"", "Mean number of server sessions by wait event:",
                          "Mean number of sessions in the server, by wait event"},
              .columns = {name_column("server, by wait event", "Event", "Event")},
              .last_is_total = true};
  add_columns(table, columns);
  for (const WaitEvent& one : stats.longest(events_most))
    add_row(table, {indented(name_wording(one.name))}, columns, one.sessions);
  add_row(table, {indented(all_name())}, columns, all).in_markdown = false;
  return table;
}

Table server_statements_table(const std::vector<ServerStatement>& statements) {
  constexpr std::size_t terminal_rows_most = 5;
  constexpr std::size_t page_characters_max = 300;
  using Row = const ServerStatement&;
  const FigureColumns<ServerStatement> columns = {
      {{"calls", "", "Calls"}, [](Row one) { return count_wording(one.calls); }, 9},
      {{"total s", "", "Total"},
       [](Row one) -> Wording {
         return {fmt::format("{:.1f}", one.total_ms * 1e-3), milliseconds_label(one.total_ms)};
       },
       9},
      {{"mean ms", "", "Mean"},
       [](Row one) -> Wording {
         return {text::figure_text(one.mean_ms()), milliseconds_label(one.mean_ms())};
       },
       9},
      {only_page("Rows"), [](Row one) { return count_wording(one.rows); }}};
  Table table{.caption = only_page("Statements of the whole run, from pg_stat_statements"),
              .columns = {name_column("server, by statement", "", "Statement")},
              // Statements often begin with the same text, so their column has no width limit.
              .name_width_most = std::numeric_limits<std::size_t>::max()};
  add_columns(table, columns);
  for (Row one : statements) {
    if (table.rows.size() == shown_rows_max) break;
    const bool in_terminal = table.rows.size() < terminal_rows_most;
    const Wording name{"  " + one.text, "", shortened(one.text, page_characters_max)};
    add_row(table, {name}, columns, one).in_terminal = in_terminal;
  }
  if (statements.size() > terminal_rows_most) {
    table.rest = only_terminal(
        fmt::format("and {} more: see the result file", statements.size() - terminal_rows_most));
  }
  return table;
}

}  // namespace drover::report
