// The summary of a run for a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/page/report.h"
#include "report/page/run_parts.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

using text::counted;
using text::counted_grouped;
using text::grouped;
using text::length_text;

// The blocks of the summary of a result.
class SummaryBuilder {
 public:
  explicit SummaryBuilder(const Result& result)
      : result_(result), plan_(result.plan), all_(all_transactions(result)) {}

  Blocks build() {
    const std::string_view title = plan_.kind().title;
    blocks_ = {Heading{1, fmt::format("{} by {} {}", title.empty() ? plan_.benchmark : title,
                                      result_.tool.name, result_.tool.version)},
               Gap{}};
    add_verdict();
    result_.kind().has_tpmc ? add_headline_of_tpcc() : add_headline_of_ycsb_and_scripts();
    add_tables();
    add_limits();
    blocks_.emplace_back(Gap{});
    add_errors();
    add_availability();
    add_ledger();
    add_lost_commits();
    add_accounts();
    add_client();
    add_notes();
    if (const std::string disclaimer = disclaimer_of(result_); !disclaimer.empty())
      append(blocks_, {Gap{}, Paragraph{disclaimer}});
    return std::move(blocks_);
  }

 private:
  template <class... Arguments>
  void fact(std::string label, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    blocks_.emplace_back(
        Fact{std::move(label), fmt::format(format, std::forward<Arguments>(arguments)...)});
  }
  void add_verdict();
  void add_headline_of_tpcc();
  void add_headline_of_ycsb_and_scripts();
  void add_measured();
  void add_rate();
  void add_tables();
  void add_limits();
  void add_errors();
  void add_availability();
  void add_ledger();
  void add_lost_commits();
  void add_accounts();
  void add_client();
  void add_notes();
  template <typename Span, typename TextOf>
  void add_spans(const char* label, const std::vector<Span>& spans, const TextOf& text);

  const Result& result_;
  const settings::RunSettings& plan_;
  const TransactionResult all_;
  Blocks blocks_;
};

void SummaryBuilder::add_verdict() {
  fact("audit", "{}", summarise(result_.audit).sentence);
  if (result_.failure) fact("ABORTED", "{}", *result_.failure);
  // An audit has a rule that says it.
  if (result_.incomplete && result_.audit.empty()) fact("INCOMPLETE", "{}", *result_.incomplete);
  if (!result_.is_part()) return;
  const RankResult& one = result_.ranks.front();
  fact("part", "{}, {}: one part of a run on several hosts. 'drover merge' combines the parts",
       one.name, part_text(one));
}

void SummaryBuilder::add_measured() {
  fact("measured", "{} from {}{}", length_text(result_.summary.time_seconds),
       text::moment_text(result_.summary.measure_start_ts),
       result_.interrupted ? ", INTERRUPTED" : "");
}

std::string simulated_text(const settings::RunSettings& plan) {
  return plan.simulate_ms ? fmt::format(", simulated transactions of {:g} ms", *plan.simulate_ms)
                          : "";
}

void SummaryBuilder::add_headline_of_tpcc() {
  const Summary& summary = result_.summary;
  fact("tpmC", "{:.1f}   ({} committed)", summary.tpmc, counted(summary.new_orders, "New-Order"));
  if (!result_.efficiency_is_meaningful()) {
    fact("efficiency", "n/a (defined only with keying and think times)");
  } else if (summary.new_orders == 0) {
    fact("efficiency", "- (no New-Order was committed)");
  } else {
    fact("efficiency", "{:.1f}% +- {:.1f}% (95% confidence interval){}", summary.efficiency,
         summary.efficiency_sampling_error,
         plan_.pace == 1.0 ? ""
                           : fmt::format(", keying and think times divided by {:g}", plan_.pace));
  }
  add_measured();
  fact("load", "{}, {}, {}{}", counted(summary.warehouses, "warehouse"),
       counted(result_.client.terminals, "terminal"),
       counted(result_.client.connections, "connection"), simulated_text(plan_));
  if (!plan_.simulate_ms) fact("statements", "{}, isolation {}", plan_.statements, plan_.isolation);
}

// "10,347.2"
std::string tenths_text(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, 1e17) * 10));
  return fmt::format("{}.{}", grouped(tenths / 10), tenths % 10);
}

void SummaryBuilder::add_rate() {
  if (!plan_.is_open_loop()) return;
  const double seconds = result_.summary.time_seconds;
  const double reached = seconds > 0 ? static_cast<double>(result_.all_count()) / seconds : 0;
  std::string text = fmt::format("{} of {} scheduled tx/s completed", tenths_text(reached),
                                 tenths_text(plan_.rate));
  if (!plan_.arrivals.empty()) text += fmt::format(", {} arrivals", plan_.arrivals);
  if (result_.backlog)
    text +=
        fmt::format("; backlog of {} at the end", counted_grouped(*result_.backlog, "transaction"));
  fact("rate", "{}", text);
}

void SummaryBuilder::add_headline_of_ycsb_and_scripts() {
  fact("throughput", "{} tx/s   ({} committed)", tenths_text(result_.throughput()),
       grouped(all_.ok_count));
  add_measured();
  fact("load", "{}, {}{}{}", counted_grouped(plan_.clients, "client"),
       counted_grouped(result_.client.connections, "connection"),
       plan_.operations == 0
           ? ""
           : fmt::format(", {} to execute", counted_grouped(plan_.operations, "transaction")),
       simulated_text(plan_));
  add_rate();
  constexpr std::size_t characters_most = 60;
  std::vector<std::string> workload;
  for (const auto& one : plan_.workload) {
    workload.push_back(fmt::format("{}={}", text::shown(one.name, characters_most),
                                   text::shown(one.value, characters_most)));
  }
  if (!workload.empty()) fact("workload", "{}", fmt::join(workload, ", "));
  if (plan_.simulate_ms) return;
  fact("database", "{}isolation {}",
       plan_.protocol.empty() ? "" : fmt::format("protocol {}, ", plan_.protocol), plan_.isolation);
}

void SummaryBuilder::add_tables() {
  constexpr std::size_t events_shown_most = 8;
  blocks_.emplace_back(transactions_table(result_));
  if (plan_.is_open_loop()) {
    append(blocks_, {latency_and_service_table(result_),
                     Paragraph{"latency: from the intended start to the answer. service: from the "
                               "first statement to the answer"}});
  }
  for (Table& table : statements_tables(result_)) blocks_.emplace_back(std::move(table));
  if (result_.is_of_several()) blocks_.emplace_back(load_hosts_table(result_));
  if (!result_.hosts.empty()) blocks_.emplace_back(server_hosts_table(result_));
  if (!result_.server_stats) return;
  const ServerStats& stats = *result_.server_stats;
  if (stats.sessions() > 0) {
    blocks_.emplace_back(wait_events_table(result_, events_shown_most));
  } else {
    blocks_.emplace_back(Gap{});
    fact("server", "no active session in {}", counted(stats.samples_measured, "sample"));
  }
  if (stats.statements && !stats.statements->empty())
    blocks_.emplace_back(server_statements_table(*stats.statements));
}

void SummaryBuilder::add_limits() {
  if (result_.has_lower_bounds()) {
    const Pending& pending = all_.pending;
    fact("pending",
         "{} in flight at the end of the run; {} of them late and without an answer, the latest "
         "after {} ms. Figures with > are lower bounds",
         pending.count, pending.unanswered.count(), plain_ms(pending.unanswered.max_ns()));
  }
  std::vector<std::string> limits;
  for (const TransactionResult& one : result_.transactions) {
    if (one.holds_latency_limit() != false) continue;
    limits.push_back(fmt::format("{} {} ms, limit {:g} s", one.name,
                                 plain_ms(one.latency.percentile_ns(90)),
                                 one.latency_limit_s.value_or(0)));
  }
  if (!limits.empty()) {
    blocks_.emplace_back(
        Paragraph{fmt::format("  90th percentile over the limit: {}", fmt::join(limits, "; "))});
  }
  if (result_.delivery_skipped_districts == 0) return;
  blocks_.emplace_back(
      Paragraph{fmt::format("  Delivery found no order in {} and skipped {}",
                            counted(result_.delivery_skipped_districts, "district"),
                            result_.delivery_skipped_districts == 1 ? "it" : "them")});
}

// Returns the server's messages with their SQLSTATEs, the most frequent first.
std::vector<std::string> messages_of(const TransactionResult& one) {
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [sqlstate, message] : one.error_messages) {
    const auto found = one.errors_by_sqlstate.find(sqlstate);
    order.emplace_back(
        found == one.errors_by_sqlstate.end() ? 0 : -static_cast<std::int64_t>(found->second),
        sqlstate);
  }
  std::ranges::sort(order);
  std::vector<std::string> messages;
  for (const auto& [count, sqlstate] : order) {
    const std::string& message = one.error_messages.at(sqlstate);
    const bool has_state = message.find(sqlstate) != std::string::npos;
    messages.push_back(has_state ? message : fmt::format("{}: {}", sqlstate, message));
  }
  return messages;
}

void SummaryBuilder::add_errors() {
  for (const auto& [label, counts] : {std::pair("errors", &all_.errors_by_class),
                                      std::pair("SQLSTATE", &all_.errors_by_sqlstate)}) {
    std::vector<std::string> shown;
    for (const auto& [name, count] : *counts)
      if (count != 0) shown.push_back(fmt::format("{} {}", name, count));
    if (!shown.empty()) fact(label, "{}", fmt::join(shown, ", "));
  }
  constexpr std::size_t shown_most = 3;
  std::vector<std::string> messages = messages_of(all_);
  messages.resize(std::min(messages.size(), shown_most));
  for (const std::string& message : messages) fact("", "{}", message);
  for (const TransactionResult& one : result_.transactions) {
    if (one.failed_count == 0 || one.failed_count != one.all_count()) continue;
    const std::vector<std::string> of_type = messages_of(one);
    fact("ALL FAILED", "{}: none succeeded, {} failed{}", one.name, one.failed_count,
         of_type.empty() ? "" : ", most often with " + of_type.front());
  }
}

// Adds a line for each outage or stall, up to a limit.
template <typename Span, typename TextOf>
void SummaryBuilder::add_spans(const char* label, const std::vector<Span>& spans,
                               const TextOf& text) {
  constexpr std::size_t shown_most = 10;
  for (std::size_t i = 0; i < std::min(spans.size(), shown_most); ++i) {
    const Span& span = spans[i];
    const std::string time =
        span.end_s ? fmt::format("{:.1f} s, from {:.1f} s to {:.1f} s of the run",
                                 *span.end_s - span.start_s, span.start_s, *span.end_s)
                   : fmt::format("from {:.1f} s of the run to its end", span.start_s);
    fact(label, "{}{}", time, text(span));
  }
  if (spans.size() > shown_most)
    fact("", "and {} more: see the result file", spans.size() - shown_most);
}

// " (since 03:23:51.42 UTC)", the time in the log of the server.
std::string clock_text(double run_start_ts, double seconds) {
  if (run_start_ts <= 0) return "";
  const auto hundredths = std::llround((run_start_ts + seconds) * 100);
  const auto of_day = hundredths / 100 % 86'400;
  return fmt::format(" (since {:02}:{:02}:{:02}.{:02} UTC)", of_day / 3600, of_day / 60 % 60,
                     of_day % 60, hundredths % 100);
}

void SummaryBuilder::add_availability() {
  const Availability& availability = result_.availability;
  add_spans("outage", availability.outages, [&](const Outage& outage) {
    return fmt::format("{}, {} lost: {}", clock_text(availability.run_start_ts, outage.start_s),
                       counted(outage.transactions_lost, "transaction"), outage.first_error);
  });
  add_spans("stall", availability.stalls, [this](const Stall&) {
    return fmt::format(": {}s waited and the database answered nothing", plan_.kind().client);
  });
  const std::string away = warehouses_away_text(result_);
  if (!away.empty()) fact("available", "{}", away);
  // An interruption ends with the next success of any transaction. While a part of the database is
  // away, the number of interruptions says nothing.
  const std::uint64_t interruptions = away.empty() ? availability.interruptions : 0;
  if (interruptions > 0 || availability.sessions_lost > 0) {
    const std::uint64_t idle = availability.sessions_ended_idle;
    fact("connections", "{} lost{}, {} reopened{}", availability.sessions_lost,
         idle == 0 ? "" : fmt::format(" ({} of them while idle)", idle),
         availability.sessions_reopened,
         away.empty() ? fmt::format("; {} shorter than {:g} s",
                                    counted(interruptions, "interruption"), shortest_outage_s)
                      : "");
  }
  if (availability.sessions_renewed) {
    fact("renewed", "{} (--connection-max-age)",
         counted_grouped(*availability.sessions_renewed, "connection"));
  }
}

// Returns the number of lost commits by warehouse: "1 (13), 2 (4)".
std::string warehouses_text(const std::vector<LostCommit>& commits) {
  constexpr std::size_t shown_most = 8;
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const LostCommit& one : commits) ++counts[one.w_id];
  std::vector<std::string> shown;
  for (const auto& [w_id, count] : counts)
    if (shown.size() < shown_most) shown.push_back(fmt::format("{} ({})", w_id, count));
  if (counts.size() > shown_most) shown.emplace_back("…");
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string lost_types_text(const LostCommits& lost) {
  std::vector<std::string> types;
  if (lost.new_orders > 0) types.push_back(counted(lost.new_orders, "New-Order"));
  if (lost.payments > 0) {
    types.push_back(fmt::format("{} of {:.2f}", counted(lost.payments, "Payment"),
                                static_cast<double>(lost.payment_cents) / 100));
  }
  if (lost.deliveries > 0) {
    types.push_back(fmt::format("{} of {}", counted(lost.deliveries, "Delivery"),
                                counted(lost.orders_delivered, "order")));
  }
  return fmt::format("{}", fmt::join(types, ", "));
}

// Adds the commits that the database lost, or that it lost none in spite of an outage.
void SummaryBuilder::add_lost_commits() {
  if (!result_.lost_commits) return;
  const LostCommits& lost = *result_.lost_commits;
  const Availability& availability = result_.availability;
  if (lost.count() == 0) {
    if (lost.complete && (!availability.outages.empty() || availability.interruptions > 0))
      fact("lost", "none: every acknowledged commit is in the data");
    return;
  }
  std::string acknowledged;
  if (!lost.commits.empty()) {
    const double start = availability.run_start_ts;
    acknowledged =
        fmt::format("; acknowledged from {:.2f} s to {:.2f} s of the run, in warehouses {}",
                    lost.commits.front().answered_ts - start,
                    lost.commits.back().answered_ts - start, warehouses_text(lost.commits));
  }
  fact("lost", "{} {} not in the data: {}{}{}", counted(lost.count(), "acknowledged commit"),
       lost.count() == 1 ? "is" : "are", lost_types_text(lost),
       lost.complete ? "" : "; they do not explain all that is missing", acknowledged);
}

void SummaryBuilder::add_ledger() {
  const auto& ambiguous = all_.ambiguous;
  if (ambiguous.count() > 0) {
    fact("unknown", "{} without an answer: {} committed, {} not committed, {} unresolved",
         counted(ambiguous.count(), "commit"), ambiguous.committed, ambiguous.not_committed,
         ambiguous.unresolved);
  }
  if (!result_.ledger_in_data) return;
  const Ledger& ledger = result_.ledger;
  fact("ledger", "{}, {} and {}{} committed since the start of the run; {}",
       counted(ledger.new_orders, "New-Order"), counted(ledger.payments, "Payment"),
       counted(ledger.deliveries, "Delivery"),
       result_.ledger_in_data->orders_delivered ? " of " + counted(ledger.orders_delivered, "order")
                                                : "",
       agrees(ledger, *result_.ledger_in_data) ? "the data agree" : "the data DISAGREE");
}

void SummaryBuilder::add_accounts() {
  for (const Account& account : result_.accounts) {
    const std::optional<bool> agrees = account.agrees();
    std::string data = !agrees   ? "the data could not be read"
                       : *agrees ? "the data agree"
                                 : fmt::format("the data DISAGREE: {}", *account.in_data);
    if (account.unresolved > 0)
      data += "; " + counted_grouped(account.unresolved, "unresolved commit");
    if (account.unresolved > 0 && agrees == true)
      data += fmt::format(" ({} in the data)", grouped(*account.more()));
    fact("ledger", "{}: {} committed, {}", account.name, grouped(account.counted), data);
  }
  if (!result_.verification) return;
  const Verification& verified = *result_.verification;
  fact("verified", "{}{}{}", counted_grouped(verified.values, "value"),
       verified.wrong == 0
           ? ", none wrong"
           : fmt::format(", {} WRONG, first: {}", grouped(verified.wrong), verified.first_wrong),
       verified.not_found == 0
           ? ""
           : fmt::format("; {} NOT FOUND", counted_grouped(verified.not_found, "row")));
}

void SummaryBuilder::add_client() {
  const measure::HistogramSnapshot& waits = all_.wait;
  fact("client wait", "{} (before a transaction, for a permit and a connection)",
       waits.empty() ? "-"
                     : fmt::format("p50 {} ms, p99 {} ms", plain_ms(waits.percentile_ns(50)),
                                   plain_ms(waits.percentile_ns(99))));
  const ClientCost& client = result_.client;
  const double seconds = result_.summary.time_seconds;
  fact("client cost", "{:.2f} s of CPU time ({:.3f} cores), {} us per transaction",
       client.cpu_seconds, seconds > 0 ? client.cpu_seconds / seconds : 0,
       result_.all_count() > 0 ? fmt::format("{:.1f}", result_.cpu_us_per_transaction()) : "-");
  fact("", "peak memory {}, {}, busiest worker thread {:.0f}% of a core",
       text::bytes_text(client.peak_rss_bytes), counted(client.threads, "thread"),
       client.busiest_worker_load() * 100);
}

// Adds notes on durability and on the time series, and the broken rules.
void SummaryBuilder::add_notes() {
  if (const std::string off = settings_without_durability(result_); !off.empty()) {
    fact("note", "not durable: the server runs with {}; a crash may lose or corrupt committed data",
         off);
  }
  if (result_.time_series_step_s > 1) {
    fact("note", "each point of the time series covers {} s, because the run is long",
         result_.time_series_step_s);
  }
  for (const Verdict& verdict : result_.audit) {
    const bool is_invalid = verdict.judgement == Judgement::invalid;
    if (is_invalid || verdict.judgement == Judgement::broken)
      fact(is_invalid ? "INVALID" : "BROKEN", "{}: {}", verdict.name, verdict.text);
  }
}

}  // namespace

std::string summary_text(const Result& result, std::size_t width) {
  return render_terminal(SummaryBuilder(result).build(), width);
}

}  // namespace drover::report
