#include "report/page/html_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/document/result.h"
#include "report/model/chart.h"
#include "report/page/html_figures.h"
#include "report/page/html_table.h"
#include "settings/shown_settings.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

void write_left_out(HtmlWriter& html, std::size_t total, const char* what) {
  if (total <= shown_rows_max) return;
  html.line("p.note", fmt::format("{} more {} are in the result file.",
                                  text::grouped(total - shown_rows_max), what));
}

HtmlRow count_row(const TransactionResult& one, const Result& result) {
  const double seconds = result.summary.time_seconds;
  return {one.name,
          text::grouped(one.ok_count),
          seconds > 0 ? rate_text(static_cast<double>(one.ok_count) / seconds) : "–",
          text::grouped(one.user_aborted_count),
          text::grouped(one.failed_count),
          text::grouped(one.ambiguous.count()),
          text::grouped(one.retry_count)};
}

HtmlRow latency_row(const TransactionResult& one) {
  const auto ms_of = [](const measure::HistogramSnapshot& histogram, double percent) {
    return histogram.empty() ? std::string("–") : ms_text(histogram.percentile_ns(percent));
  };
  const auto latency_of = [&](double percent) { return bounded_ms_text(one, percent); };
  return {one.name,
          latency_of(50),
          latency_of(90),
          latency_of(95),
          latency_of(99),
          latency_of(99.9),
          latency_of(100),
          ms_of(one.wait, 50),
          ms_of(one.wait, 99),
          limit_text(one, " ✓ held", " ✗ over")};
}

void write_deferred(HtmlWriter& html, const DeferredDelivery& deferred) {
  const auto ms_of = [&](double percent) {
    return bounded_ms_text(deferred_row(deferred), percent);
  };
  write_table(
      html, {"Deferred Deliveries: latency in ms from queueing to completion",
             numbers_behind(
                 "Queued", {"Completed", "Failed", "Unfinished", "p50", "p90", "p99", "p90 limit"}),
             {{text::grouped(deferred.queued), text::grouped(deferred.completed),
               text::grouped(deferred.failed), text::grouped(deferred.unfinished), ms_of(50),
               ms_of(90), ms_of(99), milliseconds_label(deferred.latency_limit_s * 1000)}}});
}

using Counts = std::map<std::string, std::uint64_t>;

// A row a class or SQLSTATE, a column a transaction.
void write_error_table(HtmlWriter& html, const Result& result, const std::string& caption,
                       const std::string& head, Counts TransactionResult::* counts) {
  std::set<std::string> names;
  for (const TransactionResult& one : result.transactions) {
    for (const auto& [name, count] : one.*counts) {
      if (count > 0 && names.size() <= shown_rows_max) names.insert(name);
    }
  }
  if (names.empty()) return;
  HtmlTable table{caption, {{head}}, {}};
  for (const TransactionResult& one : result.transactions)
    table.columns.push_back({one.name, true});
  table.columns.push_back({"All", true});
  for (const std::string& name : names) {
    if (table.rows.size() == shown_rows_max) break;
    HtmlRow row = {name};
    std::uint64_t total = 0;
    for (const TransactionResult& one : result.transactions) {
      const auto found = (one.*counts).find(name);
      const std::uint64_t count = found == (one.*counts).end() ? 0 : found->second;
      total += count;
      row.push_back(text::grouped(count));
    }
    row.push_back(text::grouped(total));
    table.rows.push_back(std::move(row));
  }
  write_table(html, table);
  if (names.size() > shown_rows_max) {
    html.line("p.note", "The others are in the result file.");
  }
}

struct JudgementWords {
  Judgement judgement;
  const char* icon;
  const char* word;
};
// The most urgent first.
constexpr JudgementWords judgement_words[] = {{Judgement::invalid, "✗", "invalid"},
                                              {Judgement::broken, "!", "broken"},
                                              {Judgement::held, "✓", "held"},
                                              {Judgement::not_judged, "–", "not judged"}};

void write_audit_row(HtmlWriter& html, const Verdict& line, const JudgementWords& words) {
  const auto row = html.open("tr");
  {
    const auto cell =
        html.open("td", {{"class", "judgement " + std::string(judgement_name(line.judgement))}});
    html.line("span.icon", {{"aria-hidden", "true"}}, words.icon);
    html.text(words.word);
  }
  html.line("th", {{"scope", "row"}}, line.name);
  html.line("td", line.clause.empty() ? "–" : line.clause);
  html.line("td.text", line.text);
}

std::string cents_text(std::int64_t cents) {
  const std::uint64_t size =
      cents < 0 ? 0 - static_cast<std::uint64_t>(cents) : static_cast<std::uint64_t>(cents);
  return fmt::format("{}{}.{:02}", cents < 0 ? "-" : "", text::grouped(size / 100), size % 100);
}

// From, to and length of an outage or a stall.
template <typename Span>
HtmlRow span_row(const Span& span) {
  return {fmt::format("{:.1f} s", span.start_s),
          span.end_s ? fmt::format("{:.1f} s", *span.end_s) : "not ended",
          span.end_s ? text::length_text(*span.end_s - span.start_s) : "–"};
}

void write_stalls(HtmlWriter& html, const Result& result) {
  const std::vector<Stall>& stalls = result.availability.stalls;
  if (stalls.empty()) return;
  HtmlTable table{
      fmt::format(
          "Stalls, in seconds since the start of the run: {}s waited, the database answered "
          "nothing, and nothing failed",
          result.plan.kind().client),
      numbers_behind("From", {"To", "Length"}),
      {}};
  for (const Stall& stall : stalls) {
    if (table.rows.size() == shown_rows_max) break;
    table.rows.push_back(span_row(stall));
  }
  write_table(html, table);
  write_left_out(html, stalls.size(), "stalls");
}

// By their numbers; of several hosts behind the name of theirs.
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

}  // namespace

void write_transactions(HtmlWriter& html, const Result& result) {
  HtmlTable counts{"Counts in the measured interval",
                   numbers_behind("Transaction", {"Committed", "Committed/s", "Rolled back",
                                                  "Failed", "Unknown", "Retries"}),
                   {},
                   true};
  HtmlTable latencies{"Latency of committed transactions, and waits, in ms",
                      numbers_behind("Transaction", {"p50", "p90", "p95", "p99", "p99.9", "max",
                                                     "Wait p50", "Wait p99", "p90 limit"}),
                      {},
                      true};
  const auto add = [&](const TransactionResult& one) {
    counts.rows.push_back(count_row(one, result));
    latencies.rows.push_back(latency_row(one));
  };
  for (const TransactionResult& one : result.transactions) add(one);
  TransactionResult total = all_transactions(result);
  total.name = "All";
  add(total);
  write_table(html, counts);
  write_table(html, latencies);
  if (!result.is_tpcc()) {
    write_service_times(html, result);
    return write_statements(html, result);
  }
  html.line(
      "p.note",
      "Latency runs from the intended start to the answer, retries included. Wait is its part "
      "before a permit and a connection were available. Rolled back: on purpose, as the "
      "specification requires. Unknown: commits without an answer, a part of Failed.");
  if (result.deferred_delivery) write_deferred(html, *result.deferred_delivery);
  if (result.delivery_skipped_districts > 0) {
    html.line("p.note",
              fmt::format("Delivery found no order in {} and skipped {}.",
                          text::counted_grouped(result.delivery_skipped_districts, "district"),
                          result.delivery_skipped_districts == 1 ? "it" : "them"));
  }
}

bool has_errors(const Result& result) {
  return std::ranges::any_of(result.transactions, [](const TransactionResult& one) {
    return !one.errors_by_class.empty() || !one.errors_by_sqlstate.empty();
  });
}

void write_errors(HtmlWriter& html, const Result& result) {
  html.line("p.about", "Every attempt that ended in an error, retried attempts included.");
  write_error_table(html, result, "Errors by class", "Class", &TransactionResult::errors_by_class);
  write_error_table(html, result, "Errors by SQLSTATE, where the server sent one", "SQLSTATE",
                    &TransactionResult::errors_by_sqlstate);
}

void write_availability(HtmlWriter& html, const Result& result) {
  const Availability& availability = result.availability;
  const std::string away = warehouses_away_text(result);
  const std::string interruptions = fmt::format(
      "; {} shorter than {:g} s", text::counted_grouped(availability.interruptions, "interruption"),
      shortest_outage_s);
  html.line(
      "p",
      fmt::format(
          "{} {} in the whole run. Outages took {} of the measured {}. Stalls took {}, in which "
          "{}s waited and the database answered nothing. {} lost, {} reopened{}.",
          availability.outages.empty() ? "No" : text::grouped(availability.outages.size()),
          text::plural(availability.outages.size(), "outage"),
          text::length_text(availability.unavailable_s),
          text::length_text(result.summary.time_seconds), text::length_text(availability.stalled_s),
          result.plan.kind().client,
          text::counted_grouped(availability.sessions_lost, "connection"),
          text::grouped(availability.sessions_reopened), away.empty() ? interruptions : ""));
  if (!away.empty()) html.line("p", fmt::format("Available for {}.", away));
  if (availability.sessions_ended_idle > 0) {
    html.line("p",
              fmt::format("Of these, {} closed while idle, without a failed transaction.",
                          text::counted_grouped(availability.sessions_ended_idle, "connection")));
  }
  if (availability.sessions_renewed) {
    html.line(
        "p",
        fmt::format("{} replaced because of their age (--connection-max-age), not counted as lost.",
                    text::counted_grouped(*availability.sessions_renewed, "connection")));
  }
  write_stalls(html, result);
  if (availability.outages.empty()) return;
  HtmlTable table{
      "Outages, in seconds since the start of the run",
      {{"From"}, {"To", true}, {"Length", true}, {"Transactions lost", true}, {"First error"}},
      {}};
  for (const Outage& outage : availability.outages) {
    if (table.rows.size() == shown_rows_max) break;
    HtmlRow& row = table.rows.emplace_back(span_row(outage));
    row.push_back(text::grouped(outage.transactions_lost));
    row.push_back(outage.first_error);
  }
  write_table(html, table);
  write_left_out(html, availability.outages.size(), "outages");
}

void write_audit(HtmlWriter& html, const Result& result) {
  if (result.audit.empty()) {
    return html.line("p", "The result has no audit: an older version of Drover wrote it.");
  }
  html.line("p.about",
            "Broken: the figures are true, but the run did not keep the rule. Invalid: the figures "
            "cannot be "
            "trusted. Not judged: the rule does not apply, or the run has too little data for it.");
  const std::string caption = "Every rule, broken and invalid rules first";
  {
    const auto frame = open_table_frame(html, caption);
    const auto table = html.open("table");
    html.line("caption", caption);
    write_table_head(html, {{"Judgement"}, {"Rule"}, {"Clause"}, {"Figure and limit"}});
    const auto body = html.open("tbody");
    std::size_t shown = 0;
    for (const JudgementWords& words : judgement_words) {
      for (const Verdict& line : result.audit) {
        if (line.judgement == words.judgement && ++shown <= shown_rows_max) {
          write_audit_row(html, line, words);
        }
      }
    }
  }
  write_left_out(html, result.audit.size(), "rules");
}

void write_client(HtmlWriter& html, const Result& result) {
  const ClientCost& client = result.client;
  const double seconds = result.summary.time_seconds;
  const auto columns = html.open("div.columns");
  {
    const auto half = html.open("div");
    const auto lag = [&](double percent) {
      return client.timer_lag.empty() ? "–" : latency_text(client.timer_lag.percentile_ns(percent));
    };
    write_pairs(html, "Cost of the load generator",
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
                 {"Timer lag p99.9", lag(99.9)}});
  }
  const auto half = html.open("div");
  HtmlTable table{
      client.run_queue_known ? "Worker threads, shares of the measured interval"
                             : "Worker threads; this kernel does not report waits for a core",
      numbers_behind("Worker", {"Running", "Waiting for a core", "Mean wait per wake-up"}),
      {}};
  const std::vector<std::string> names = worker_names(result);
  for (const WorkerHealth& worker : client.workers) {
    if (table.rows.size() == shown_rows_max) break;
    table.rows.push_back(
        {names[table.rows.size()], share_text(worker.load),
         client.run_queue_known ? share_text(worker.run_queue_share) : "–",
         client.run_queue_known ? fmt::format("{:.3f} ms", worker.wake_up_delay_ms) : "–"});
  }
  write_table(html, table);
  write_left_out(html, client.workers.size(), "workers");
}

void write_ledger(HtmlWriter& html, const Result& result) {
  html.line(
      "p.about",
      "Writes of the whole run, warm-up included: as the database acknowledged them, and as the "
      "tables contain them.");
  const Ledger& ledger = result.ledger;
  const std::optional<LedgerInData>& data = result.ledger_in_data;
  const auto agreement = [&](bool same) {
    return !data ? "not read" : same ? "✓ the same" : "✗ differ";
  };
  const bool orders_agree =
      data && data->new_orders == static_cast<std::int64_t>(ledger.new_orders);
  const bool amounts_agree = data && data->payment_cents == ledger.payment_cents;
  const bool delivered = data && data->orders_delivered;
  const bool delivered_agree =
      delivered && *data->orders_delivered == static_cast<std::int64_t>(ledger.orders_delivered);
  write_table(html,
              {ledger.exact ? "Committed transactions"
                            : "Committed transactions; the outcome of some commits is unresolved",
               {{"Writes"}, {"Acknowledged", true}, {"In the data", true}, {"Agreement"}},
               {{"New-Orders", text::grouped(ledger.new_orders),
                 data ? signed_label(data->new_orders) : "–", agreement(orders_agree)},
                {"Payments, amount", cents_text(ledger.payment_cents),
                 data ? cents_text(data->payment_cents) : "–", agreement(amounts_agree)},
                {"Payments", text::grouped(ledger.payments), "–", "–"},
                {"Deliveries, orders", text::grouped(ledger.orders_delivered),
                 delivered ? signed_label(*data->orders_delivered) : "–",
                 delivered ? agreement(delivered_agree) : "not read"},
                {"Deliveries", text::grouped(ledger.deliveries), "–", "–"}}});
  if (result.lost_commits && result.lost_commits->count() > 0) {
    const LostCommits& lost = *result.lost_commits;
    html.line(
        "p.note",
        fmt::format("The database lost {} that it had acknowledged: {}, {} of {}, {} of {}.{}",
                    text::counted_grouped(lost.count(), "commit"),
                    text::counted_grouped(lost.new_orders, "New-Order"),
                    text::counted_grouped(lost.payments, "Payment"), cents_text(lost.payment_cents),
                    text::counted_grouped(lost.deliveries, "Delivery"),
                    text::counted_grouped(lost.orders_delivered, "order"),
                    lost.complete ? "" : " They do not explain all that is missing."));
  }
  const Ambiguous ambiguous = all_transactions(result).ambiguous;
  if (ambiguous.count() == 0) return;
  html.line("p.note",
            fmt::format("{} without an answer: {} committed, {} not committed, {} unresolved.",
                        text::counted_grouped(ambiguous.count(), "commit"),
                        text::grouped(ambiguous.committed), text::grouped(ambiguous.not_committed),
                        text::grouped(ambiguous.unresolved)));
}

void write_plan(HtmlWriter& html, const Result& result) {
  const auto columns = html.open("div.columns");
  {
    const auto half = html.open("div");
    std::vector<HtmlRow> rows;
    for (auto& [label, text] : settings::settings_of_load(result.plan)) {
      if (label == "Measured") {
        text = fmt::format("{} of {}", text::length_text(result.summary.time_seconds), text);
      }
      rows.push_back({label, text});
      if (label != "Warm-up") continue;
      rows.push_back({"Measured from", text::moment_text(result.summary.measure_start_ts)});
    }
    write_pairs(html, "Load", rows);
  }
  const auto half = html.open("div");
  std::vector<HtmlRow> rows;
  for (auto& [label, text] : settings::settings_of_database(result.plan)) {
    rows.push_back({label, text});
  }
  write_pairs(html, "Database", rows);
}

void write_environment(HtmlWriter& html, const Result& result) {
  const measure::Host& client = result.environment.client;
  const auto columns = html.open("div.columns");
  {
    const auto half = html.open("div");
    write_pairs(html, "Client",
                {{"Host", client.hostname},
                 {"System", client.os},
                 {"CPU cores", text::grouped(client.cpus)},
                 {"Model", client.cpu_model},
                 {"Tool", result.tool.name + " " + result.tool.version},
                 {"Commit", result.tool.commit},
                 {"Compiler", result.tool.compiler}});
  }
  const auto half = html.open("div");
  if (!result.environment.server) {
    return html.line("p", "No server: transactions were simulated.");
  }
  const Server& server = *result.environment.server;
  std::vector<HtmlRow> rows = {
      {"Kind", server.kind}, {"Version", server.version.empty() ? "not reported" : server.version}};
  for (const auto& [name, value] : server.settings) {
    if (rows.size() > shown_rows_max) break;
    rows.push_back({name, value});
  }
  write_pairs(html, "Server, and its settings as printed by SHOW", rows);
  write_left_out(html, server.settings.size(), "settings");
}

}  // namespace drover::report
