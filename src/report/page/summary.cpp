// The summary of a run for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/page/report.h"
#include "report/page/run_figures.h"
#include "report/page/run_tables.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

void add_fact(Blocks& blocks, std::string_view label, std::string text) {
  blocks.emplace_back(Fact{std::string(label), std::move(text)});
}

void append_verdict(Blocks& blocks, const Result& result) {
  add_fact(blocks, "audit", summarise(result.audit).sentence);
  if (result.failure) add_fact(blocks, "ABORTED", *result.failure);
  // With an audit, one of its rules says it.
  if (result.incomplete && result.audit.empty()) add_fact(blocks, "INCOMPLETE", *result.incomplete);
  if (!result.is_part()) return;
  const RankResult& one = result.ranks.front();
  add_fact(blocks, "part",
           fmt::format("{}, {}: one part of a run on several hosts. 'drover merge' combines the "
                       "parts",
                       one.name, part_text(one)));
}

void append_measured(Blocks& blocks, const Result& result) {
  add_fact(blocks, "measured",
           fmt::format("{} from {}{}", text::length_text(result.summary.time_seconds),
                       text::moment_text(result.summary.measure_start_ts),
                       result.interrupted ? ", INTERRUPTED" : ""));
}

void append_headline_of_tpcc(Blocks& blocks, const Result& result) {
  const Summary& summary = result.summary;
  add_fact(blocks, "tpmC",
           fmt::format("{:.1f}   ({} committed)", summary.tpmc,
                       text::counted(summary.new_orders, "New-Order")));
  if (!result.efficiency_is_meaningful()) {
    add_fact(blocks, "efficiency", "n/a (defined only with keying and think times)");
  } else if (summary.new_orders == 0) {
    add_fact(blocks, "efficiency", "- (no New-Order was committed)");
  } else {
    std::string text = fmt::format("{:.1f}% +- {:.1f}% (95% confidence interval)",
                                   summary.efficiency, summary.efficiency_sampling_error);
    if (result.plan.pace != 1.0)
      text += fmt::format(", keying and think times divided by {:g}", result.plan.pace);
    add_fact(blocks, "efficiency", text);
  }
  append_measured(blocks, result);
  const settings::RunSettings& plan = result.plan;
  std::string load = fmt::format("{}, {}, {}", text::counted(summary.warehouses, "warehouse"),
                                 text::counted(result.client.terminals, "terminal"),
                                 text::counted(result.client.connections, "connection"));
  if (plan.simulate_ms)
    load += fmt::format(", simulated transactions of {:g} ms", *plan.simulate_ms);
  add_fact(blocks, "load", load);
  if (plan.simulate_ms) return;
  add_fact(blocks, "statements", fmt::format("{}, isolation {}", plan.statements, plan.isolation));
}

// "10,347.2"
std::string tenths_text(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, 1e17) * 10));
  return fmt::format("{}.{}", text::grouped(tenths / 10), tenths % 10);
}

void append_rate(Blocks& blocks, const Result& result) {
  const settings::RunSettings& plan = result.plan;
  if (!plan.is_open_loop()) return;
  const double seconds = result.summary.time_seconds;
  const double reached = seconds > 0 ? static_cast<double>(result.all_count()) / seconds : 0;
  std::string text = fmt::format("{} of {} scheduled tx/s completed", tenths_text(reached),
                                 tenths_text(plan.rate));
  if (!plan.arrivals.empty()) text += fmt::format(", {} arrivals", plan.arrivals);
  if (result.backlog)
    text += fmt::format("; backlog of {} at the end",
                        text::counted_grouped(*result.backlog, "transaction"));
  add_fact(blocks, "rate", text);
}

void append_workload(Blocks& blocks, const settings::RunSettings& plan) {
  constexpr std::size_t characters_most = 60;
  std::string text;
  for (const settings::Given& one : plan.workload) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", text::shown(one.name, characters_most),
                        text::shown(one.value, characters_most));
  }
  if (!text.empty()) add_fact(blocks, "workload", text);
}

void append_headline_of_ycsb_and_scripts(Blocks& blocks, const Result& result) {
  const settings::RunSettings& plan = result.plan;
  add_fact(blocks, "throughput",
           fmt::format("{} tx/s   ({} committed)", tenths_text(result.throughput()),
                       text::grouped(all_transactions(result).ok_count)));
  append_measured(blocks, result);
  std::string load = fmt::format("{}, {}", text::counted_grouped(plan.clients, "client"),
                                 text::counted_grouped(result.client.connections, "connection"));
  if (plan.operations > 0)
    load += fmt::format(", {} to execute", text::counted_grouped(plan.operations, "transaction"));
  if (plan.simulate_ms)
    load += fmt::format(", simulated transactions of {:g} ms", *plan.simulate_ms);
  add_fact(blocks, "load", load);
  append_rate(blocks, result);
  append_workload(blocks, plan);
  if (plan.simulate_ms) return;
  const std::string protocol =
      plan.protocol.empty() ? "" : fmt::format("protocol {}, ", plan.protocol);
  add_fact(blocks, "database", fmt::format("{}isolation {}", protocol, plan.isolation));
}

constexpr std::size_t events_shown_most = 8;

void append_tables(Blocks& blocks, const Result& result) {
  blocks.emplace_back(transactions_table(result));
  if (result.plan.is_open_loop()) {
    append(blocks, {latency_and_service_table(result),
                    Paragraph{"latency: from the intended start to the answer. service: from the "
                              "first statement to the answer"}});
  }
  for (Table& table : statements_tables(result)) blocks.emplace_back(std::move(table));
  if (result.is_of_several()) blocks.emplace_back(load_hosts_table(result));
  if (!result.hosts.empty()) blocks.emplace_back(server_hosts_table(result));
  if (!result.server_stats) return;
  const ServerStats& stats = *result.server_stats;
  if (stats.sessions() > 0) {
    blocks.emplace_back(wait_events_table(result, events_shown_most));
  } else {
    blocks.emplace_back(Gap{});
    add_fact(blocks, "server",
             "no active session in " + text::counted(stats.samples_measured, "sample"));
  }
  if (stats.statements && !stats.statements->empty())
    blocks.emplace_back(server_statements_table(*stats.statements));
}

void append_pending(Blocks& blocks, const Result& result) {
  if (!result.has_lower_bounds()) return;
  const Pending pending = all_transactions(result).pending;
  add_fact(blocks, "pending",
           fmt::format("{} in flight at the end of the run; {} of them late and without an answer, "
                       "the latest after {} ms. Figures with > are lower bounds",
                       pending.count, pending.unanswered.count(),
                       plain_ms(pending.unanswered.max_ns())));
}

void append_limits(Blocks& blocks, const Result& result) {
  std::string limits;
  for (const TransactionResult& one : result.transactions) {
    if (one.holds_latency_limit() != false) continue;
    limits += fmt::format("{}{} {} ms, limit {:g} s", limits.empty() ? "" : "; ", one.name,
                          plain_ms(one.latency.percentile_ns(90)), one.latency_limit_s.value_or(0));
  }
  if (!limits.empty())
    blocks.emplace_back(Paragraph{"  90th percentile over the limit: " + limits});
  if (result.delivery_skipped_districts == 0) return;
  blocks.emplace_back(
      Paragraph{fmt::format("  Delivery found no order in {} and skipped {}",
                            text::counted(result.delivery_skipped_districts, "district"),
                            result.delivery_skipped_districts == 1 ? "it" : "them")});
}

// Returns the SQLSTATEs for which there is a message, the most frequent first.
std::vector<std::string> frequent_sqlstates(const TransactionResult& one) {
  std::vector<std::string> sqlstates;
  for (const auto& [sqlstate, message] : one.error_messages) sqlstates.push_back(sqlstate);
  const auto count_of = [&one](const std::string& sqlstate) {
    const auto found = one.errors_by_sqlstate.find(sqlstate);
    return found == one.errors_by_sqlstate.end() ? 0 : found->second;
  };
  std::ranges::sort(sqlstates, [&](const std::string& left, const std::string& right) {
    return std::pair(count_of(right), left) < std::pair(count_of(left), right);
  });
  return sqlstates;
}

std::string message_text(const TransactionResult& one, const std::string& sqlstate) {
  const std::string& message = one.error_messages.at(sqlstate);
  const bool has_state = message.find(sqlstate) != std::string::npos;
  return has_state ? message : fmt::format("{}: {}", sqlstate, message);
}

// Appends the server's messages for the most frequent errors.
void append_messages(Blocks& blocks, const TransactionResult& all) {
  constexpr std::size_t shown_most = 3;
  std::vector<std::string> sqlstates = frequent_sqlstates(all);
  if (sqlstates.size() > shown_most) sqlstates.resize(shown_most);
  for (const std::string& sqlstate : sqlstates) {
    add_fact(blocks, "", message_text(all, sqlstate));
  }
}

// Appends a line for each type of which every transaction failed, with its most frequent error that
// has a message.
void append_failed_types(Blocks& blocks, const Result& result) {
  for (const TransactionResult& one : result.transactions) {
    if (one.failed_count == 0 || one.failed_count != one.all_count()) continue;
    std::string line = fmt::format("{}: none succeeded, {} failed", one.name, one.failed_count);
    const std::vector<std::string> sqlstates = frequent_sqlstates(one);
    if (!sqlstates.empty()) line += ", most often with " + message_text(one, sqlstates.front());
    add_fact(blocks, "ALL FAILED", line);
  }
}

void append_errors(Blocks& blocks, const Result& result) {
  const auto append_counts = [&](std::string_view label, const auto& counts) {
    std::string text;
    for (const auto& [name, count] : counts) {
      if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    }
    if (!text.empty()) add_fact(blocks, label, text);
  };
  const TransactionResult all = all_transactions(result);
  append_counts("errors", all.errors_by_class);
  append_counts("SQLSTATE", all.errors_by_sqlstate);
  append_messages(blocks, all);
  append_failed_types(blocks, result);
}

void append_durability(Blocks& blocks, const Result& result) {
  const std::string off = settings_without_durability(result);
  if (off.empty()) return;
  add_fact(
      blocks, "note",
      "not durable: the server runs with " + off + "; a crash may lose or corrupt committed data");
}

void append_client(Blocks& blocks, const Result& result) {
  const measure::HistogramSnapshot waits = all_transactions(result).wait;
  const std::string wait =
      waits.empty() ? "-"
                    : fmt::format("p50 {} ms, p99 {} ms", plain_ms(waits.percentile_ns(50)),
                                  plain_ms(waits.percentile_ns(99)));
  add_fact(blocks, "client wait", wait + " (before a transaction, for a permit and a connection)");
  const ClientCost& client = result.client;
  const double seconds = result.summary.time_seconds;
  const double cores = seconds > 0 ? client.cpu_seconds / seconds : 0;
  const double cost_us = result.cpu_us_per_transaction();
  add_fact(
      blocks, "client cost",
      fmt::format("{:.2f} s of CPU time ({:.3f} cores), {} us per transaction", client.cpu_seconds,
                  cores, result.all_count() > 0 ? fmt::format("{:.1f}", cost_us) : "-"));
  add_fact(
      blocks, "",
      fmt::format("peak memory {}, {}, busiest worker thread {:.0f}% of a core",
                  text::bytes_text(client.peak_rss_bytes), text::counted(client.threads, "thread"),
                  client.busiest_worker_load() * 100));
}

void append_step(Blocks& blocks, const Result& result) {
  if (result.time_series_step_s <= 1) return;
  add_fact(blocks, "note",
           fmt::format("each point of the time series covers {} s, because the run is long",
                       result.time_series_step_s));
}

// Appends a line for each outage or stall, up to a limit.
template <typename Span, typename Words>
void append_spans(Blocks& blocks, std::string_view label, const std::vector<Span>& spans,
                  const Words& words) {
  constexpr std::size_t shown_most = 10;
  for (std::size_t i = 0; i < std::min(spans.size(), shown_most); ++i) {
    const Span& span = spans[i];
    const std::string time =
        span.end_s ? fmt::format("{:.1f} s, from {:.1f} s to {:.1f} s of the run",
                                 *span.end_s - span.start_s, span.start_s, *span.end_s)
                   : fmt::format("from {:.1f} s of the run to its end", span.start_s);
    add_fact(blocks, label, time + words(span));
  }
  if (spans.size() > shown_most) {
    add_fact(blocks, "",
             fmt::format("and {} more: see the result file", spans.size() - shown_most));
  }
}

// " (since 03:23:51.42 UTC)", to be held against a server's log.
std::string clock_text(double run_start_ts, double seconds) {
  if (run_start_ts <= 0) return "";
  const auto hundredths = std::llround((run_start_ts + seconds) * 100);
  const auto of_day = hundredths / 100 % 86'400;
  return fmt::format(" (since {:02}:{:02}:{:02}.{:02} UTC)", of_day / 3600, of_day / 60 % 60,
                     of_day % 60, hundredths % 100);
}

// " (5 of them while idle)"
std::string ended_idle_text(const Availability& availability) {
  if (availability.sessions_ended_idle == 0) return "";
  return fmt::format(" ({} of them while idle)", availability.sessions_ended_idle);
}

void append_availability(Blocks& blocks, const Result& result) {
  const Availability& availability = result.availability;
  append_spans(blocks, "outage", availability.outages, [&](const Outage& outage) {
    return fmt::format("{}, {} lost: {}", clock_text(availability.run_start_ts, outage.start_s),
                       text::counted(outage.transactions_lost, "transaction"), outage.first_error);
  });
  append_spans(blocks, "stall", availability.stalls, [&result](const Stall&) {
    return fmt::format(": {}s waited and the database answered nothing", result.plan.kind().client);
  });
  const std::string away = warehouses_away_text(result);
  if (!away.empty()) add_fact(blocks, "available", away);
  // An interruption ends with the next success of any transaction. While a part of the database is
  // away, the number of interruptions says nothing.
  const std::uint64_t interruptions = away.empty() ? availability.interruptions : 0;
  if (interruptions > 0 || availability.sessions_lost > 0) {
    std::string text = fmt::format("{} lost{}, {} reopened", availability.sessions_lost,
                                   ended_idle_text(availability), availability.sessions_reopened);
    if (away.empty()) {
      text += fmt::format("; {} shorter than {:g} s", text::counted(interruptions, "interruption"),
                          shortest_outage_s);
    }
    add_fact(blocks, "connections", text);
  }
  if (availability.sessions_renewed) {
    add_fact(blocks, "renewed",
             text::counted_grouped(*availability.sessions_renewed, "connection") +
                 " (--connection-max-age)");
  }
}

// Returns the number of lost commits by warehouse: "1 (13), 2 (4)".
std::string warehouses_text(const std::vector<LostCommit>& commits) {
  constexpr std::size_t shown_most = 8;
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const LostCommit& one : commits) ++counts[one.w_id];
  std::string text;
  std::size_t shown = 0;
  for (const auto& [w_id, count] : counts) {
    if (shown++ == shown_most) return text + ", …";
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", w_id, count);
  }
  return text;
}

std::string lost_types_text(const LostCommits& lost) {
  std::string text;
  const auto add = [&text](std::uint64_t count, std::string_view noun, const std::string& of) {
    if (count == 0) return;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", text::counted(count, noun), of);
  };
  add(lost.new_orders, "New-Order", "");
  add(lost.payments, "Payment",
      fmt::format(" of {:.2f}", static_cast<double>(lost.payment_cents) / 100));
  add(lost.deliveries, "Delivery", " of " + text::counted(lost.orders_delivered, "order"));
  return text;
}

// Appends the commits that the database lost, or that it lost none in spite of an outage.
void append_lost_commits(Blocks& blocks, const Result& result) {
  if (!result.lost_commits) return;
  const LostCommits& lost = *result.lost_commits;
  const bool was_away =
      !result.availability.outages.empty() || result.availability.interruptions > 0;
  if (lost.count() == 0) {
    if (was_away && lost.complete)
      add_fact(blocks, "lost", "none: every acknowledged commit is in the data");
    return;
  }
  std::string text = fmt::format(
      "{} not in the data: {}{}",
      text::counted(lost.count(), "acknowledged commit") + (lost.count() == 1 ? " is" : " are"),
      lost_types_text(lost), lost.complete ? "" : "; they do not explain all that is missing");
  if (!lost.commits.empty()) {
    const double start = result.availability.run_start_ts;
    text += fmt::format("; acknowledged from {:.2f} s to {:.2f} s of the run, in warehouses {}",
                        lost.commits.front().answered_ts - start,
                        lost.commits.back().answered_ts - start, warehouses_text(lost.commits));
  }
  add_fact(blocks, "lost", text);
}

void append_ledger(Blocks& blocks, const Result& result) {
  const Ambiguous ambiguous = all_transactions(result).ambiguous;
  if (ambiguous.count() > 0) {
    add_fact(blocks, "unknown",
             fmt::format("{} without an answer: {} committed, {} not committed, {} unresolved",
                         text::counted(ambiguous.count(), "commit"), ambiguous.committed,
                         ambiguous.not_committed, ambiguous.unresolved));
  }
  if (!result.ledger_in_data) return;
  const bool agree = agrees(result.ledger, *result.ledger_in_data);
  std::string orders;
  if (result.ledger_in_data->orders_delivered) {
    orders = " of " + text::counted(result.ledger.orders_delivered, "order");
  }
  add_fact(blocks, "ledger",
           fmt::format("{}, {} and {}{} committed since the start of the run; {}",
                       text::counted(result.ledger.new_orders, "New-Order"),
                       text::counted(result.ledger.payments, "Payment"),
                       text::counted(result.ledger.deliveries, "Delivery"), orders,
                       agree ? "the data agree" : "the data DISAGREE"));
}

void append_account(Blocks& blocks, const Account& account) {
  const std::optional<bool> agrees = account.agrees();
  std::string data = "the data could not be read";
  if (agrees)
    data = *agrees ? "the data agree" : fmt::format("the data DISAGREE: {}", *account.in_data);
  if (account.unresolved > 0) {
    const std::string happened =
        agrees && *agrees ? fmt::format(" ({} in the data)", text::grouped(*account.more())) : "";
    data += fmt::format("; {}{}", text::counted_grouped(account.unresolved, "unresolved commit"),
                        happened);
  }
  add_fact(blocks, "ledger",
           fmt::format("{}: {} committed, {}", account.name, text::grouped(account.counted), data));
}

void append_accounts(Blocks& blocks, const Result& result) {
  for (const Account& account : result.accounts) append_account(blocks, account);
  if (!result.verification) return;
  const Verification& verified = *result.verification;
  std::string text = text::counted_grouped(verified.values, "value");
  text += verified.wrong == 0 ? ", none wrong"
                              : fmt::format(", {} WRONG, first: {}", text::grouped(verified.wrong),
                                            verified.first_wrong);
  if (verified.not_found > 0)
    text += fmt::format("; {} NOT FOUND", text::counted_grouped(verified.not_found, "row"));
  add_fact(blocks, "verified", text);
}

// Appends the broken rules.
void append_audit(Blocks& blocks, const Result& result) {
  for (const Verdict& line : result.audit) {
    if (line.judgement == Judgement::broken) {
      add_fact(blocks, "BROKEN", line.name + ": " + line.text);
    } else if (line.judgement == Judgement::invalid) {
      add_fact(blocks, "INVALID", line.name + ": " + line.text);
    }
  }
}

}  // namespace

std::string summary_text(const Result& result, std::size_t width) {
  const std::string_view title = result.plan.kind().title;
  Blocks blocks = {
      Heading{1, fmt::format("{} by {} {}", title.empty() ? result.plan.benchmark : title,
                             result.tool.name, result.tool.version)},
      Gap{}};
  append_verdict(blocks, result);
  if (result.is_tpcc()) {
    append_headline_of_tpcc(blocks, result);
  } else {
    append_headline_of_ycsb_and_scripts(blocks, result);
  }
  append_tables(blocks, result);
  append_pending(blocks, result);
  append_limits(blocks, result);
  blocks.emplace_back(Gap{});
  append_errors(blocks, result);
  append_availability(blocks, result);
  append_ledger(blocks, result);
  append_lost_commits(blocks, result);
  append_accounts(blocks, result);
  append_client(blocks, result);
  append_durability(blocks, result);
  append_step(blocks, result);
  append_audit(blocks, result);
  if (const std::string_view disclaimer = disclaimer_of(result); !disclaimer.empty())
    append(blocks, {Gap{}, Paragraph{std::string(disclaimer)}});
  return render_terminal(blocks, width);
}

}  // namespace drover::report
