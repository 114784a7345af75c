// The sections of a run's page below its charts.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/page/run_parts.h"
#include "settings/shown_settings.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// Paragraphs of a page: formatted texts in a style.
Paragraph about(std::string text) {
  return {only_page(std::move(text)), "about"};
}
template <class... Arguments>
Paragraph note(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {only_page(fmt::format(text, std::forward<Arguments>(arguments)...)), "note"};
}
template <class... Arguments>
Paragraph plain(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return {only_page(fmt::format(text, std::forward<Arguments>(arguments)...))};
}

TableColumn text_column(const char* title) {
  return {only_page(title), false};
}

// Adds a row for each item, up to a limit, and a note on the items that are left out.
template <class Items, class CellsOf>
void add_rows(Table& table, const Items& items, const char* what, CellsOf cells_of) {
  const std::size_t rows_most = table.rows.size() + shown_rows_max;
  for (const auto& item : items)
    if (table.rows.size() < rows_most) table.add(cells_of(item));
  if (items.size() <= shown_rows_max) return;
  table.rest = only_page(fmt::format("{} more {} are in the result file.",
                                     text::grouped(items.size() - shown_rows_max), what));
}

Table deferred_table(const DeferredDelivery& deferred) {
  Table table{
      .caption = only_page("Deferred Deliveries: latency in ms from queueing to completion"),
      .columns = page_columns(
          "Queued", {"Completed", "Failed", "Unfinished", "p50", "p90", "p99", "p90 limit"})};
  const TransactionResult row = deferred_row(deferred);
  table.add({count_wording(deferred.queued), count_wording(deferred.completed),
             count_wording(deferred.failed), count_wording(deferred.unfinished),
             bounded_ms_wording(row, 50), bounded_ms_wording(row, 90), bounded_ms_wording(row, 99),
             milliseconds_label(deferred.latency_limit_s * 1000)});
  return table;
}

Blocks transaction_blocks(const Result& result) {
  Blocks blocks = {transactions_table(result)};
  const bool has_service_times = result.plan.is_open_loop();
  if (has_service_times) blocks.emplace_back(service_times_table(result));
  blocks.emplace_back(note(
      "Latency runs from the intended start to the answer, retries included. {} {}Unknown: commits "
      "without an answer, a part of Failed.",
      has_service_times ? "Service time runs from the first statement to the answer."
                        : "Wait is its part before a permit and a connection were available.",
      result.kind().has_specification ? "Rolled back: on purpose, as the specification requires. "
                                      : ""));
  if (Table statements = statements_table(result);
      !statements.rows.empty() && !result.kind().has_specification)
    blocks.emplace_back(std::move(statements));
  if (result.deferred_delivery) blocks.emplace_back(deferred_table(*result.deferred_delivery));
  if (result.delivery_skipped_districts > 0) {
    blocks.emplace_back(note("Delivery found no order in {} and skipped {}.",
                             text::counted_grouped(result.delivery_skipped_districts, "district"),
                             result.delivery_skipped_districts == 1 ? "it" : "them"));
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
  Table table{.caption = only_page(std::move(caption)), .columns = {text_column(head)}};
  for (const TransactionResult& one : result.transactions) {
    table.columns.push_back({only_page(one.name)});
    for (const auto& [name, count] : one.*counts)
      if (count > 0 && names.size() <= shown_rows_max) names.insert(name);
  }
  table.columns.push_back({only_page("All")});
  if (names.empty()) return;
  add_rows(table, names, "", [&](const std::string& name) {
    std::vector<Cell> cells = {name};
    std::uint64_t total = 0;
    for (const TransactionResult& one : result.transactions) {
      const auto found = (one.*counts).find(name);
      const std::uint64_t count = found == (one.*counts).end() ? 0 : found->second;
      total += count;
      cells.emplace_back(count_wording(count));
    }
    cells.emplace_back(count_wording(total));
    return cells;
  });
  if (names.size() > shown_rows_max) table.rest = only_page("The others are in the result file.");
  blocks.emplace_back(std::move(table));
}

// Returns the start, end and length of an outage or a stall.
std::vector<Cell> span_cells(double start_s, const std::optional<double>& end_s) {
  return {fmt::format("{:.1f} s", start_s), end_s ? fmt::format("{:.1f} s", *end_s) : "not ended",
          end_s ? text::length_text(*end_s - start_s) : "–"};
}

Table stalls_table(const Result& result) {
  Table table{.caption = only_page(fmt::format(
                  "Stalls, in seconds since the start of the run: {}s waited, the database "
                  "answered nothing, and nothing failed",
                  result.plan.kind().client)),
              .columns = page_columns("From", {"To", "Length"})};
  add_rows(table, result.availability.stalls, "stalls",
           [](const Stall& stall) { return span_cells(stall.start_s, stall.end_s); });
  return table;
}

Table outages_table(const Result& result) {
  Table table{.caption = only_page("Outages, in seconds since the start of the run"),
              .columns = page_columns("From", {"To", "Length", "Transactions lost"})};
  table.columns.push_back(text_column("First error"));
  add_rows(table, result.availability.outages, "outages", [](const Outage& outage) {
    std::vector<Cell> cells = span_cells(outage.start_s, outage.end_s);
    cells.emplace_back(count_wording(outage.transactions_lost));
    cells.emplace_back(outage.first_error);
    return cells;
  });
  return table;
}

Blocks availability_blocks(const Result& result) {
  const Availability& availability = result.availability;
  const std::string away = warehouses_away_text(result);
  const std::string interruptions = fmt::format(
      "; {} shorter than {:g} s", text::counted_grouped(availability.interruptions, "interruption"),
      shortest_outage_s);
  Blocks blocks = {plain(
      "{} {} in the whole run. Outages took {} of the measured {}. Stalls took {}, in which {}s "
      "waited and the database answered nothing. {} lost, {} reopened{}.",
      availability.outages.empty() ? "No" : text::grouped(availability.outages.size()),
      text::plural(availability.outages.size(), "outage"),
      text::length_text(availability.unavailable_s), text::length_text(result.summary.time_seconds),
      text::length_text(availability.stalled_s), result.plan.kind().client,
      text::counted_grouped(availability.sessions_lost, "connection"),
      text::grouped(availability.sessions_reopened), away.empty() ? interruptions : "")};
  if (!away.empty()) blocks.emplace_back(plain("Available for {}.", away));
  if (availability.sessions_ended_idle > 0) {
    blocks.emplace_back(
        plain("Of these, {} closed while idle, without a failed transaction.",
              text::counted_grouped(availability.sessions_ended_idle, "connection")));
  }
  if (availability.sessions_renewed) {
    blocks.emplace_back(
        plain("{} replaced because of their age (--connection-max-age), not counted as lost.",
              text::counted_grouped(*availability.sessions_renewed, "connection")));
  }
  if (!availability.stalls.empty()) blocks.emplace_back(stalls_table(result));
  if (!availability.outages.empty()) blocks.emplace_back(outages_table(result));
  return blocks;
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
// The most urgent judgement is the first.
constexpr JudgementWords judgement_words[] = {{Judgement::invalid, "✗", "invalid"},
                                              {Judgement::broken, "!", "broken"},
                                              {Judgement::held, "✓", "held"},
                                              {Judgement::not_judged, "–", "not judged"}};

Blocks audit_blocks(const Result& result) {
  if (result.audit.empty())
    return {plain("The result has no audit: an older version of Drover wrote it.")};
  std::vector<std::pair<const JudgementWords*, const Verdict*>> verdicts;
  for (const JudgementWords& words : judgement_words) {
    for (const Verdict& verdict : result.audit)
      if (verdict.judgement == words.judgement) verdicts.emplace_back(&words, &verdict);
  }
  Table table{.caption = only_page("Every rule, broken and invalid rules first"),
              .columns = {text_column("Judgement"), text_column("Rule"), text_column("Clause"),
                          text_column("Figure and limit")},
              .head_column = 1};
  add_rows(table, verdicts, "rules", [](const auto& entry) {
    const auto [words, verdict] = entry;
    std::vector<Cell> cells = {words->word, verdict->name,
                               verdict->clause.empty() ? "–" : verdict->clause, verdict->text};
    cells[0].style = "judgement " + std::string(judgement_name(verdict->judgement));
    cells[0].icon = words->icon;
    cells[3].style = "text";
    return cells;
  });
  return {about("Broken: the figures are true, but the run did not keep the rule. Invalid: the "
                "figures cannot be trusted. Not judged: the rule does not apply, or the run has "
                "too little data for it."),
          std::move(table)};
}

// Returns the number of each worker, after the name of its host if there are several.
std::vector<std::string> worker_names(const Result& result) {
  const std::size_t count = result.client.workers.size();
  std::vector<std::string> names;
  for (const RankResult& one : result.ranks)
    for (std::uint64_t i = 0; i < one.threads && names.size() < count && result.is_of_several();
         ++i)
      names.push_back(fmt::format("{} {}", one.name, i + 1));
  while (names.size() < count) names.push_back(text::grouped(names.size() + 1));
  return names;
}

Table workers_table(const Result& result) {
  const ClientCost& client = result.client;
  const bool known = client.run_queue_known;
  Table table{
      .caption = only_page(known ? "Worker threads, shares of the measured interval"
                                 : "Worker threads; this kernel does not report waits for a core"),
      .columns =
          page_columns("Worker", {"Running", "Waiting for a core", "Mean wait per wake-up"})};
  const std::vector<std::string> names = worker_names(result);
  add_rows(table, client.workers, "workers", [&](const WorkerHealth& worker) -> std::vector<Cell> {
    return {names[table.rows.size()], share_text(worker.load),
            known ? share_text(worker.run_queue_share) : "–",
            known ? fmt::format("{:.3f} ms", worker.wake_up_delay_ms) : "–"};
  });
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

Table writes_table(std::string caption) {
  return {.caption = only_page(std::move(caption)),
          .columns = {text_column("Writes"),
                      {only_page("Acknowledged")},
                      {only_page("In the data")},
                      text_column("Agreement")}};
}

const char* agreement_text(const std::optional<bool>& agrees) {
  return !agrees ? "not read" : *agrees ? "✓ the same" : "✗ differ";
}

// "-1,234"; "–" for a count that was not read.
std::string in_data_text(const std::optional<std::int64_t>& count) {
  if (!count) return "–";
  return *count >= 0 ? text::grouped(static_cast<std::uint64_t>(*count))
                     : "-" + text::grouped(0 - static_cast<std::uint64_t>(*count));
}

std::string cents_text(std::int64_t cents) {
  const std::uint64_t size =
      cents < 0 ? 0 - static_cast<std::uint64_t>(cents) : static_cast<std::uint64_t>(cents);
  return fmt::format("{}{}.{:02}", cents < 0 ? "-" : "", text::grouped(size / 100), size % 100);
}

Table ledger_table(const Ledger& ledger, const std::optional<LedgerInData>& data) {
  Table table =
      writes_table(ledger.exact ? "Committed transactions"
                                : "Committed transactions; the outcome of some commits is "
                                  "unresolved");
  const auto add = [&table](const char* name, std::uint64_t counted,
                            const std::optional<std::int64_t>& read) {
    std::optional<bool> agrees;
    if (read) agrees = *read == static_cast<std::int64_t>(counted);
    table.add({name, text::grouped(counted), in_data_text(read), agreement_text(agrees)});
  };
  const auto add_unread = [&table](const char* name, std::uint64_t counted) {
    table.add({name, text::grouped(counted), "–", "–"});
  };
  add("New-Orders", ledger.new_orders, data ? std::optional(data->new_orders) : std::nullopt);
  std::optional<bool> amounts_agree;
  if (data) amounts_agree = data->payment_cents == ledger.payment_cents;
  table.add({"Payments, amount", cents_text(ledger.payment_cents),
             data ? cents_text(data->payment_cents) : "–", agreement_text(amounts_agree)});
  add_unread("Payments", ledger.payments);
  add("Deliveries, orders", ledger.orders_delivered, data ? data->orders_delivered : std::nullopt);
  add_unread("Deliveries", ledger.deliveries);
  return table;
}

Blocks ledger_blocks(const Result& result) {
  Blocks blocks = {ledger_table(result.ledger, result.ledger_in_data)};
  if (result.lost_commits && result.lost_commits->count() > 0) {
    const LostCommits& lost = *result.lost_commits;
    blocks.emplace_back(
        note("The database lost {} that it had acknowledged: {}, {} of {}, {} of {}.{}",
             text::counted_grouped(lost.count(), "commit"),
             text::counted_grouped(lost.new_orders, "New-Order"),
             text::counted_grouped(lost.payments, "Payment"), cents_text(lost.payment_cents),
             text::counted_grouped(lost.deliveries, "Delivery"),
             text::counted_grouped(lost.orders_delivered, "order"),
             lost.complete ? "" : " They do not explain all that is missing."));
  }
  const auto ambiguous = all_transactions(result).ambiguous;
  if (ambiguous.count() == 0) return blocks;
  blocks.emplace_back(
      note("{} without an answer: {} committed, {} not committed, {} unresolved.",
           text::counted_grouped(ambiguous.count(), "commit"), text::grouped(ambiguous.committed),
           text::grouped(ambiguous.not_committed), text::grouped(ambiguous.unresolved)));
  return blocks;
}

// The counterpart of the ledger for YCSB and scripts.
Blocks account_blocks(const Result& result) {
  Blocks blocks;
  if (result.accounts.empty()) {
    blocks.emplace_back(plain("The run's writes were not counted in the data."));
  } else {
    Table table = writes_table("Committed writes");
    add_rows(table, result.accounts, "writes", [](const Account& account) -> std::vector<Cell> {
      return {account.name +
                  (account.unresolved == 0 ? "" : "; the outcome of some commits is unresolved"),
              text::grouped(account.counted), in_data_text(account.in_data),
              agreement_text(account.agrees())};
    });
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
  Table shown =
      pairs_table("Server, and its settings as printed by SHOW",
                  {{"Kind", server.kind},
                   {"Version", server.version.empty() ? "not reported" : server.version}});
  add_rows(shown, server.settings, "settings", [](const auto& setting) -> std::vector<Cell> {
    return {setting.first, setting.second};
  });
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
  if (has_errors(result)) {
    Blocks blocks = {about("Every attempt that ended in an error, retried attempts included.")};
    append_error_table(blocks, result, "Errors by class", "Class",
                       &TransactionResult::errors_by_class);
    append_error_table(blocks, result, "Errors by SQLSTATE, where the server sent one", "SQLSTATE",
                       &TransactionResult::errors_by_sqlstate);
    add("Errors", std::move(blocks));
  }
  add("Availability", availability_blocks(result), "availability");
  if (result.is_of_several()) {
    add("Hosts that generated the load",
        {about("The hosts that generated the load. Cores: CPU cores that Drover used. Busiest "
               "worker: the share of a core that the busiest worker thread used. Timer lag: how "
               "late Drover woke up after a planned instant. Clock offset: the host's clock minus "
               "the coordinator's, with its uncertainty. Start: corrected by the clock offset."),
         load_hosts_table(result)},
        "load-hosts");
  }
  if (!result.hosts.empty()) {
    add("Server hosts",
        {about("Connections were distributed over these server hosts (--balance). Counts and "
               "service times are those of the measured interval; service time runs from the "
               "first statement to the answer. Connections are counted at the end of the run."),
         server_hosts_table(result)},
        "hosts");
  }
  if (result.server_stats) add("Server activity", server_blocks(result), "server");
  add("Audit", audit_blocks(result), "audit");
  add("The load generator", {client_blocks(result)}, "client");
  Blocks ledger = {about(
      "Writes of the whole run, warm-up included: as the database acknowledged them, and as the "
      "tables contain them.")};
  append(ledger, result.kind().has_warehouses ? ledger_blocks(result) : account_blocks(result));
  add("Ledger", std::move(ledger));
  add("Settings of the run", {settings_blocks(result)}, "plan");
  add("Environment", {environment_blocks(result)});
  return sections;
}

}  // namespace drover::report
