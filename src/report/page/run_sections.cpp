// The sections of a run's page below its charts.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/page/run_figures.h"
#include "report/page/run_parts.h"
#include "report/page/run_tables.h"
#include "settings/shown_settings.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

Paragraph about(std::string text) {
  return {only_page(std::move(text)), "about"};
}
Paragraph note(std::string text) {
  return {only_page(std::move(text)), "note"};
}
Paragraph plain(std::string text) {
  return {only_page(std::move(text))};
}

// Says how many rows are left out of a list.
Wording rest_wording(std::size_t total, const char* what) {
  if (total <= shown_rows_max) return {};
  return only_page(fmt::format("{} more {} are in the result file.",
                               text::grouped(total - shown_rows_max), what));
}

TableColumn text_column(const char* title) {
  return {only_page(title), false};
}
TableColumn number_column_of_page(std::string title) {
  return {only_page(std::move(title))};
}

Table deferred_table(const DeferredDelivery& deferred) {
  Table table{
      .caption = only_page("Deferred Deliveries: latency in ms from queueing to completion"),
      .columns = page_columns(
          "Queued", {"Completed", "Failed", "Unfinished", "p50", "p90", "p99", "p90 limit"})};
  std::vector<Cell> cells = {count_wording(deferred.queued), count_wording(deferred.completed),
                             count_wording(deferred.failed), count_wording(deferred.unfinished)};
  for (const double percent : {50, 90, 99})
    cells.emplace_back(bounded_ms_wording(deferred_row(deferred), percent));
  cells.emplace_back(milliseconds_label(deferred.latency_limit_s * 1000));
  table.add(std::move(cells));
  return table;
}

Blocks transaction_blocks(const Result& result) {
  Blocks blocks = {transactions_table(result)};
  std::string latency =
      "Latency runs from the intended start to the answer, retries included. Wait is its part "
      "before a permit and a connection were available. ";
  if (result.is_tpcc()) {
    latency += "Rolled back: on purpose, as the specification requires. ";
  } else if (result.plan.is_open_loop()) {
    blocks.emplace_back(service_times_table(result));
    latency =
        "Latency runs from the intended start to the answer, retries included. Service time runs "
        "from the first statement to the answer. ";
  }
  blocks.emplace_back(note(latency + "Unknown: commits without an answer, a part of Failed."));
  if (Table statements = statements_table(result); !statements.rows.empty() && !result.is_tpcc())
    blocks.emplace_back(std::move(statements));
  if (result.deferred_delivery) blocks.emplace_back(deferred_table(*result.deferred_delivery));
  if (result.delivery_skipped_districts > 0) {
    blocks.emplace_back(
        note(fmt::format("Delivery found no order in {} and skipped {}.",
                         text::counted_grouped(result.delivery_skipped_districts, "district"),
                         result.delivery_skipped_districts == 1 ? "it" : "them")));
  }
  return blocks;
}

bool has_errors(const Result& result) {
  return std::ranges::any_of(result.transactions, [](const TransactionResult& one) {
    return !one.errors_by_class.empty() || !one.errors_by_sqlstate.empty();
  });
}

using Counts = std::map<std::string, std::uint64_t>;

// Appends a table with a row for each class or SQLSTATE and a column for each transaction type.
void append_error_table(Blocks& blocks, const Result& result, std::string caption, const char* head,
                        Counts TransactionResult::* counts) {
  std::set<std::string> names;
  for (const TransactionResult& one : result.transactions) {
    for (const auto& [name, count] : one.*counts) {
      if (count > 0 && names.size() <= shown_rows_max) names.insert(name);
    }
  }
  if (names.empty()) return;
  Table table{.caption = only_page(std::move(caption)), .columns = {text_column(head)}};
  for (const TransactionResult& one : result.transactions)
    table.columns.push_back(number_column_of_page(one.name));
  table.columns.push_back(number_column_of_page("All"));
  for (const std::string& name : names) {
    if (table.rows.size() == shown_rows_max) break;
    std::vector<Cell> cells = {name};
    std::uint64_t total = 0;
    for (const TransactionResult& one : result.transactions) {
      const auto found = (one.*counts).find(name);
      const std::uint64_t count = found == (one.*counts).end() ? 0 : found->second;
      total += count;
      cells.emplace_back(count_wording(count));
    }
    cells.emplace_back(count_wording(total));
    table.add(std::move(cells));
  }
  if (names.size() > shown_rows_max) table.rest = only_page("The others are in the result file.");
  blocks.emplace_back(std::move(table));
}

Blocks error_blocks(const Result& result) {
  Blocks blocks = {about("Every attempt that ended in an error, retried attempts included.")};
  append_error_table(blocks, result, "Errors by class", "Class",
                     &TransactionResult::errors_by_class);
  append_error_table(blocks, result, "Errors by SQLSTATE, where the server sent one", "SQLSTATE",
                     &TransactionResult::errors_by_sqlstate);
  return blocks;
}

// Returns the start, end and length of an outage or a stall.
template <typename Span>
std::vector<Cell> span_cells(const Span& span) {
  return {fmt::format("{:.1f} s", span.start_s),
          span.end_s ? fmt::format("{:.1f} s", *span.end_s) : "not ended",
          span.end_s ? text::length_text(*span.end_s - span.start_s) : "–"};
}

Table stalls_table(const Result& result) {
  const std::vector<Stall>& stalls = result.availability.stalls;
  Table table{.caption = only_page(fmt::format(
                  "Stalls, in seconds since the start of the run: {}s waited, the database "
                  "answered nothing, and nothing failed",
                  result.plan.kind().client)),
              .columns = page_columns("From", {"To", "Length"}),
              .rest = rest_wording(stalls.size(), "stalls")};
  for (const Stall& stall : stalls) {
    if (table.rows.size() < shown_rows_max) table.add(span_cells(stall));
  }
  return table;
}

Table outages_table(const std::vector<Outage>& outages) {
  Table table{.caption = only_page("Outages, in seconds since the start of the run"),
              .columns = page_columns("From", {"To", "Length", "Transactions lost"}),
              .rest = rest_wording(outages.size(), "outages")};
  table.columns.push_back(text_column("First error"));
  for (const Outage& outage : outages) {
    if (table.rows.size() == shown_rows_max) break;
    std::vector<Cell> cells = span_cells(outage);
    cells.emplace_back(count_wording(outage.transactions_lost));
    cells.emplace_back(outage.first_error);
    table.add(std::move(cells));
  }
  return table;
}

Blocks availability_blocks(const Result& result) {
  const Availability& availability = result.availability;
  const std::string away = warehouses_away_text(result);
  const std::string interruptions = fmt::format(
      "; {} shorter than {:g} s", text::counted_grouped(availability.interruptions, "interruption"),
      shortest_outage_s);
  Blocks blocks = {plain(fmt::format(
      "{} {} in the whole run. Outages took {} of the measured {}. Stalls took {}, in which {}s "
      "waited and the database answered nothing. {} lost, {} reopened{}.",
      availability.outages.empty() ? "No" : text::grouped(availability.outages.size()),
      text::plural(availability.outages.size(), "outage"),
      text::length_text(availability.unavailable_s), text::length_text(result.summary.time_seconds),
      text::length_text(availability.stalled_s), result.plan.kind().client,
      text::counted_grouped(availability.sessions_lost, "connection"),
      text::grouped(availability.sessions_reopened), away.empty() ? interruptions : ""))};
  if (!away.empty()) blocks.emplace_back(plain(fmt::format("Available for {}.", away)));
  if (availability.sessions_ended_idle > 0) {
    blocks.emplace_back(
        plain(fmt::format("Of these, {} closed while idle, without a failed transaction.",
                          text::counted_grouped(availability.sessions_ended_idle, "connection"))));
  }
  if (availability.sessions_renewed) {
    blocks.emplace_back(plain(
        fmt::format("{} replaced because of their age (--connection-max-age), not counted as lost.",
                    text::counted_grouped(*availability.sessions_renewed, "connection"))));
  }
  if (!availability.stalls.empty()) blocks.emplace_back(stalls_table(result));
  if (!availability.outages.empty()) blocks.emplace_back(outages_table(availability.outages));
  return blocks;
}

Blocks load_host_blocks(const Result& result) {
  return {about("The hosts that generated the load. Cores: CPU cores that Drover used. Busiest "
                "worker: the share of a core that the busiest worker thread used. Timer lag: how "
                "late Drover woke up after a planned instant. Clock offset: the host's clock minus "
                "the coordinator's, with its uncertainty. Start: corrected by the clock offset."),
          load_hosts_table(result)};
}

Blocks server_host_blocks(const Result& result) {
  return {about("Connections were distributed over these server hosts (--balance). Counts and "
                "service times are those of the measured interval; service time runs from the "
                "first statement to the answer. Connections are counted at the end of the run."),
          server_hosts_table(result)};
}

Blocks server_blocks(const Result& result) {
  const ServerStats& stats = *result.server_stats;
  Blocks blocks = {
      about(fmt::format("From {} in the measured interval, of the run's sessions that were in a "
                        "statement or a transaction. CPU: the session runs and waits for nothing. "
                        "Client:ClientRead: the session waits for Drover within a transaction.",
                        text::counted_grouped(stats.samples_measured, "sample")))};
  blocks.emplace_back(stats.wait_events.empty() ? Block(plain("No active session was found."))
                                                : Block(wait_events_table(result, shown_rows_max)));
  if (!stats.statements) return blocks;
  blocks.emplace_back(stats.statements->empty()
                          ? Block(plain("The server recorded no statement of the run."))
                          : Block(server_statements_table(*stats.statements)));
  return blocks;
}

struct JudgementWords {
  Judgement judgement;
  const char* icon;
  const char* word;
};
// In the order of urgency.
constexpr JudgementWords judgement_words[] = {{Judgement::invalid, "✗", "invalid"},
                                              {Judgement::broken, "!", "broken"},
                                              {Judgement::held, "✓", "held"},
                                              {Judgement::not_judged, "–", "not judged"}};

Blocks audit_blocks(const Result& result) {
  if (result.audit.empty())
    return {plain("The result has no audit: an older version of Drover wrote it.")};
  Table table{.caption = only_page("Every rule, broken and invalid rules first"),
              .columns = {text_column("Judgement"), text_column("Rule"), text_column("Clause"),
                          text_column("Figure and limit")},
              .rest = rest_wording(result.audit.size(), "rules"),
              .head_column = 1};
  for (const JudgementWords& words : judgement_words) {
    for (const Verdict& line : result.audit) {
      if (line.judgement != words.judgement || table.rows.size() == shown_rows_max) continue;
      table.add({words.word, line.name, line.clause.empty() ? "–" : line.clause, line.text});
      std::vector<Cell>& cells = table.rows.back().cells;
      cells[0].style = "judgement " + std::string(judgement_name(line.judgement));
      cells[0].icon = words.icon;
      cells[3].style = "text";
    }
  }
  return {about("Broken: the figures are true, but the run did not keep the rule. Invalid: the "
                "figures cannot be trusted. Not judged: the rule does not apply, or the run has "
                "too little data for it."),
          std::move(table)};
}

// Returns the number of each worker, after the name of its host if there are several.
std::vector<std::string> worker_names(const Result& result) {
  const std::size_t count = result.client.workers.size();
  std::vector<std::string> names;
  for (const RankResult& one : result.ranks) {
    for (std::uint64_t i = 0; i < one.threads && names.size() < count && result.is_of_several();
         ++i)
      names.push_back(fmt::format("{} {}", one.name, i + 1));
  }
  while (names.size() < count) names.push_back(text::grouped(names.size() + 1));
  return names;
}

Table workers_table(const Result& result) {
  const ClientCost& client = result.client;
  Table table{
      .caption = only_page(client.run_queue_known
                               ? "Worker threads, shares of the measured interval"
                               : "Worker threads; this kernel does not report waits for a core"),
      .columns = page_columns("Worker", {"Running", "Waiting for a core", "Mean wait per wake-up"}),
      .rest = rest_wording(client.workers.size(), "workers")};
  const std::vector<std::string> names = worker_names(result);
  for (const WorkerHealth& worker : client.workers) {
    if (table.rows.size() == shown_rows_max) break;
    table.add({names[table.rows.size()], share_text(worker.load),
               client.run_queue_known ? share_text(worker.run_queue_share) : "–",
               client.run_queue_known ? fmt::format("{:.3f} ms", worker.wake_up_delay_ms) : "–"});
  }
  return table;
}

SideBySide client_blocks(const Result& result) {
  const ClientCost& client = result.client;
  const double seconds = result.summary.time_seconds;
  const auto lag = [&](double percent) {
    return client.timer_lag.empty() ? "–" : latency_text(client.timer_lag.percentile_ns(percent));
  };
  return {{{pairs_table(
               "Cost of the load generator",
               {{"CPU time", fmt::format("{:.2f} s", client.cpu_seconds)},
                {"CPU cores used",
                 seconds > 0 ? fmt::format("{:.3f}", client.cpu_seconds / seconds) : "–"},
                {"CPU per transaction", fmt::format("{:.1f} µs", result.cpu_us_per_transaction())},
                {"Peak memory", text::bytes_text(client.peak_rss_bytes)},
                {"Threads", text::grouped(client.threads)},
                {capitalised(std::string(result.plan.kind().client) + "s"),
                 text::grouped(client.terminals)},
                {"Connections", text::grouped(client.connections)},
                {"Timer lag p50", lag(50)},
                {"Timer lag p99", lag(99)},
                {"Timer lag p99.9", lag(99.9)}})},
           {workers_table(result)}}};
}

Paragraph about_writes() {
  return about(
      "Writes of the whole run, warm-up included: as the database acknowledged them, and as the "
      "tables contain them.");
}

Table writes_table(std::string caption) {
  return {.caption = only_page(std::move(caption)),
          .columns = {text_column("Writes"), number_column_of_page("Acknowledged"),
                      number_column_of_page("In the data"), text_column("Agreement")}};
}

std::string cents_text(std::int64_t cents) {
  const std::uint64_t size =
      cents < 0 ? 0 - static_cast<std::uint64_t>(cents) : static_cast<std::uint64_t>(cents);
  return fmt::format("{}{}.{:02}", cents < 0 ? "-" : "", text::grouped(size / 100), size % 100);
}

Table ledger_table(const Ledger& ledger, const std::optional<LedgerInData>& data) {
  const auto agreement = [&](bool same) {
    return !data ? "not read" : same ? "✓ the same" : "✗ differ";
  };
  const bool orders_agree =
      data && data->new_orders == static_cast<std::int64_t>(ledger.new_orders);
  const bool amounts_agree = data && data->payment_cents == ledger.payment_cents;
  const bool delivered = data && data->orders_delivered;
  const bool delivered_agree =
      delivered && *data->orders_delivered == static_cast<std::int64_t>(ledger.orders_delivered);
  Table table =
      writes_table(ledger.exact ? "Committed transactions"
                                : "Committed transactions; the outcome of some commits is "
                                  "unresolved");
  table.add({"New-Orders", text::grouped(ledger.new_orders),
             data ? signed_label(data->new_orders) : "–", agreement(orders_agree)});
  table.add({"Payments, amount", cents_text(ledger.payment_cents),
             data ? cents_text(data->payment_cents) : "–", agreement(amounts_agree)});
  table.add({"Payments", text::grouped(ledger.payments), "–", "–"});
  table.add({"Deliveries, orders", text::grouped(ledger.orders_delivered),
             delivered ? signed_label(*data->orders_delivered) : "–",
             delivered ? agreement(delivered_agree) : "not read"});
  table.add({"Deliveries", text::grouped(ledger.deliveries), "–", "–"});
  return table;
}

Blocks ledger_blocks(const Result& result) {
  Blocks blocks = {about_writes(), ledger_table(result.ledger, result.ledger_in_data)};
  if (result.lost_commits && result.lost_commits->count() > 0) {
    const LostCommits& lost = *result.lost_commits;
    blocks.emplace_back(note(
        fmt::format("The database lost {} that it had acknowledged: {}, {} of {}, {} of {}.{}",
                    text::counted_grouped(lost.count(), "commit"),
                    text::counted_grouped(lost.new_orders, "New-Order"),
                    text::counted_grouped(lost.payments, "Payment"), cents_text(lost.payment_cents),
                    text::counted_grouped(lost.deliveries, "Delivery"),
                    text::counted_grouped(lost.orders_delivered, "order"),
                    lost.complete ? "" : " They do not explain all that is missing.")));
  }
  const Ambiguous ambiguous = all_transactions(result).ambiguous;
  if (ambiguous.count() == 0) return blocks;
  blocks.emplace_back(note(fmt::format(
      "{} without an answer: {} committed, {} not committed, {} unresolved.",
      text::counted_grouped(ambiguous.count(), "commit"), text::grouped(ambiguous.committed),
      text::grouped(ambiguous.not_committed), text::grouped(ambiguous.unresolved))));
  return blocks;
}

std::string agreement_text(const Account& account) {
  const std::optional<bool> agrees = account.agrees();
  if (!agrees) return "not read";
  return *agrees ? "✓ the same" : "✗ differ";
}

// The counterpart of the ledger for YCSB and scripts.
Blocks account_blocks(const Result& result) {
  Blocks blocks = {about_writes()};
  if (result.accounts.empty()) {
    blocks.emplace_back(plain("The run's writes were not counted in the data."));
  } else {
    Table table = writes_table("Committed writes");
    for (const Account& account : result.accounts) {
      if (table.rows.size() == shown_rows_max) break;
      table.add({account.name +
                     (account.unresolved == 0 ? "" : "; the outcome of some commits is unresolved"),
                 text::grouped(account.counted),
                 account.in_data ? signed_label(*account.in_data) : "–", agreement_text(account)});
    }
    blocks.emplace_back(std::move(table));
  }
  if (!result.verification) return blocks;
  const Verification& verified = *result.verification;
  const bool is_right = verified.wrong == 0 && verified.not_found == 0;
  blocks.emplace_back(
      Paragraph{only_page(fmt::format("{} read and verified: {} wrong, {} not found.",
                                      text::counted_grouped(verified.values, "value"),
                                      text::grouped(verified.wrong),
                                      text::counted_grouped(verified.not_found, "row"))),
                is_right ? "note" : "warn"});
  if (!is_right && !verified.first_wrong.empty())
    blocks.emplace_back(Paragraph{only_page("First wrong value: " + verified.first_wrong), "warn"});
  return blocks;
}

SideBySide settings_blocks(const Result& result) {
  std::vector<std::pair<std::string, std::string>> load;
  for (auto& [label, text] : settings::settings_of_load(result.plan)) {
    if (label == "Measured")
      text = fmt::format("{} of {}", text::length_text(result.summary.time_seconds), text);
    load.emplace_back(label, text);
    if (label == "Warm-up")
      load.emplace_back("Measured from", text::moment_text(result.summary.measure_start_ts));
  }
  std::vector<std::pair<std::string, std::string>> database;
  for (auto& [label, text] : settings::settings_of_database(result.plan))
    database.emplace_back(label, text);
  return {{{pairs_table("Load", std::move(load))}, {pairs_table("Database", std::move(database))}}};
}

SideBySide environment_blocks(const Result& result) {
  const measure::Host& client = result.environment.client;
  Table machine = pairs_table("Client", {{"Host", client.hostname},
                                         {"System", client.os},
                                         {"CPU cores", text::grouped(client.cpus)},
                                         {"Model", client.cpu_model},
                                         {"Tool", result.tool.name + " " + result.tool.version},
                                         {"Commit", result.tool.commit},
                                         {"Compiler", result.tool.compiler}});
  if (!result.environment.server)
    return {{{std::move(machine)}, {plain("No server: transactions were simulated.")}}};
  const Server& server = *result.environment.server;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Kind", server.kind}, {"Version", server.version.empty() ? "not reported" : server.version}};
  for (const auto& [name, value] : server.settings) {
    if (facts.size() > shown_rows_max) break;
    facts.emplace_back(name, value);
  }
  Table shown = pairs_table("Server, and its settings as printed by SHOW", std::move(facts));
  shown.rest = rest_wording(server.settings.size(), "settings");
  return {{{std::move(machine)}, {std::move(shown)}}};
}

}  // namespace

Blocks detail_sections(const Result& result, const std::string& id) {
  Blocks sections;
  const auto add = [&](const char* heading, Blocks blocks, const char* anchor = nullptr) {
    sections.emplace_back(
        Section{heading, std::move(blocks), anchor == nullptr ? "" : id + "-" + anchor});
  };
  add("Transactions", transaction_blocks(result), "transactions");
  if (has_errors(result)) add("Errors", error_blocks(result));
  add("Availability", availability_blocks(result), "availability");
  if (result.is_of_several())
    add("Hosts that generated the load", load_host_blocks(result), "load-hosts");
  if (!result.hosts.empty()) add("Server hosts", server_host_blocks(result), "hosts");
  if (result.server_stats) add("Server activity", server_blocks(result), "server");
  add("Audit", audit_blocks(result), "audit");
  add("The load generator", {client_blocks(result)}, "client");
  add("Ledger", result.is_tpcc() ? ledger_blocks(result) : account_blocks(result));
  add("Settings of the run", {settings_blocks(result)}, "plan");
  add("Environment", {environment_blocks(result)});
  return sections;
}

}  // namespace drover::report
