#include "report/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/page/html_figures.h"
#include "report/page/summary_parts.h"
#include "text/plain_text.h"
#include "text/wrapped_text.h"

namespace drover::report {

std::string plain_ms(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  if (ms < 9.995) return fmt::format("{:.2f}", ms);
  if (ms < 999.95) return fmt::format("{:.1f}", ms);
  return fmt::format("{:.0f}", ms);
}

std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return result;
}

void append_wrapped(std::string& out, std::string_view label, std::string_view raw) {
  out += fmt::format("{}{}\n", label, printable(raw));
}

namespace {

// A percentile; 100 is the maximum. With ">" where transactions without an answer may raise it.
std::string plain_latency(const TransactionResult& one, double percent) {
  if (one.latency.empty()) return "-";
  const bool at_least = is_lower_bound(one.latency, one.pending.unanswered, percent);
  return (at_least ? ">" : "") + plain_ms(one.latency.percentile_ns(percent));
}

std::string plain_rate(double per_second) {
  if (per_second < 999.95) return fmt::format("{:.1f}", per_second);
  return fmt::format("{:.0f}", per_second);
}

// What follows of a line with a label is indented as far as the texts behind labels.
std::string wrapped(std::string_view text, std::size_t width) {
  constexpr std::string_view label_space = "              ";
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    const std::string_view indent = line.starts_with(' ') ? label_space : std::string_view();
    if (text::text_width(line) <= width) {
      out += line;
      out += '\n';
    } else {
      text::append_folded(out, line, width, indent, indent.size());
    }
  }
  return out;
}

void append_sentence(std::string& out, const Result& result) {
  append_wrapped(out, "  audit       ", summarise(result.audit).sentence);
  if (result.failure) append_wrapped(out, "  ABORTED     ", *result.failure);
}

void append_headline_of_tpcc(std::string& out, const Result& result) {
  const Summary& summary = result.summary;
  out += fmt::format("  tpmC        {:.1f}   ({} committed)\n", summary.tpmc,
                     text::counted(summary.new_orders, "New-Order"));
  if (!result.efficiency_is_meaningful()) {
    out += "  efficiency  n/a (defined only with keying and think times)\n";
  } else if (summary.new_orders == 0) {
    out += "  efficiency  - (no New-Order was committed)\n";
  } else {
    out += fmt::format("  efficiency  {:.1f}% +- {:.1f}% (95% confidence interval)",
                       summary.efficiency, summary.efficiency_sampling_error);
    if (result.plan.pace != 1.0)
      out += fmt::format(", keying and think times divided by {:g}", result.plan.pace);
    out += "\n";
  }
  out += fmt::format("  measured    {} from {}{}\n", text::length_text(summary.time_seconds),
                     text::moment_text(summary.measure_start_ts),
                     result.interrupted ? ", INTERRUPTED" : "");
  const settings::RunSettings& plan = result.plan;
  out += fmt::format("  load        {}, {}, {}", text::counted(summary.warehouses, "warehouse"),
                     text::counted(result.client.terminals, "terminal"),
                     text::counted(result.client.connections, "connection"));
  if (plan.simulate_ms) {
    out += fmt::format(", simulated transactions of {:g} ms\n", *plan.simulate_ms);
  } else {
    out += "\n";
    append_wrapped(out, "  statements  ",
                   fmt::format("{}, isolation {}", plan.statements, plan.isolation));
  }
}

struct Column {
  const char* heading;
  std::size_t width;
};

// Behind the name of the transaction, each with a space before it.
constexpr std::array<Column, 11> columns = {{{"ok", 9},
                                             {"rolled", 7},
                                             {"failed", 7},
                                             {"retries", 8},
                                             {"ok/s", 6},
                                             {"p50 ms", 7},
                                             {"p90 ms", 7},
                                             {"p95 ms", 7},
                                             {"p99 ms", 7},
                                             {"max ms", 7},
                                             {"limit", 5}}};
constexpr std::size_t first_latency_column = 5;

struct Row {
  std::string name;
  std::array<std::string, columns.size()> cells;
};

void append_columns(std::string& out, const std::vector<Row>& rows, std::size_t name_width,
                    std::size_t first, std::size_t last) {
  for (const Row& row : rows) {
    out += fmt::format("{:<{}.{}}", row.name, name_width, name_width);
    for (std::size_t i = first; i < last; ++i) {
      out += fmt::format(" {:>{}}", row.cells[i], columns[i].width);
    }
    out += "\n";
  }
}

// Where a row does not fit, the latencies are a table of their own.
void append_table(std::string& out, const std::vector<Row>& rows, std::size_t column_count,
                  std::size_t width) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.name);
  const auto width_of = [](std::size_t first, std::size_t last) {
    std::size_t sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += 1 + columns[i].width;
    return sum;
  };
  const std::size_t cells = width_of(0, column_count);
  out += "\n";
  if (const std::size_t name_width = name_width_of(names, cells, width);
      name_width + cells <= width) {
    return append_columns(out, rows, name_width, 0, column_count);
  }
  const std::size_t name_width = name_width_of(
      names,
      std::max(width_of(0, first_latency_column), width_of(first_latency_column, column_count)),
      width);
  append_columns(out, rows, name_width, 0, first_latency_column);
  out += "\n";
  append_columns(out, rows, name_width, first_latency_column, column_count);
}

Row transaction_row(std::string_view name, const TransactionResult& one, double seconds,
                    std::string_view held) {
  const double rate = seconds > 0 ? static_cast<double>(one.ok_count) / seconds : 0;
  return {printable(name),
          {std::to_string(one.ok_count), std::to_string(one.user_aborted_count),
           std::to_string(one.failed_count), std::to_string(one.retry_count), plain_rate(rate),
           plain_latency(one, 50), plain_latency(one, 90), plain_latency(one, 95),
           plain_latency(one, 99), plain_latency(one, 100), std::string(held)}};
}

void append_transactions(std::string& out, const Result& result, std::size_t width) {
  std::vector<Row> rows = {{"transaction", {}}};
  for (std::size_t i = 0; i < columns.size(); ++i) rows[0].cells[i] = columns[i].heading;
  const auto add = [&](std::string_view name, const TransactionResult& one, std::string_view held) {
    rows.push_back(transaction_row(name, one, result.summary.time_seconds, held));
  };
  const auto held_text = [](const TransactionResult& one) {
    const std::optional<bool> held = one.holds_latency_limit();
    return !held ? "-" : *held ? "ok" : "OVER";
  };
  for (const TransactionResult& one : result.transactions) add(one.name, one, held_text(one));
  add("all", all_transactions(result), "-");
  if (result.deferred_delivery) {
    const TransactionResult deferred = deferred_row(*result.deferred_delivery);
    add("deferred", deferred, held_text(deferred));
  }
  // Whether a limit was held is for who has limits.
  append_table(out, rows, columns.size() - (result.is_tpcc() ? 0 : 1), width);
  if (!result.deferred_delivery || result.deferred_delivery->unfinished == 0) return;
  out += fmt::format("  {} unfinished at the end of the run\n",
                     text::counted(result.deferred_delivery->unfinished, "deferred Delivery"));
}

void append_limits(std::string& out, const Result& result) {
  std::string limits;
  for (const TransactionResult& one : result.transactions) {
    if (one.holds_latency_limit() != false) continue;
    limits += fmt::format("{}{} {} ms, limit {:g} s", limits.empty() ? "" : "; ", one.name,
                          plain_ms(one.latency.percentile_ns(90)), one.latency_limit_s.value_or(0));
  }
  if (!limits.empty()) append_wrapped(out, "  90th percentile over the limit: ", limits);
  if (result.delivery_skipped_districts != 0) {
    out += fmt::format("  Delivery found no order in {} and skipped {}\n",
                       text::counted(result.delivery_skipped_districts, "district"),
                       result.delivery_skipped_districts == 1 ? "it" : "them");
  }
}

void append_pending(std::string& out, const Result& result) {
  if (!result.has_lower_bounds()) return;
  const Pending pending = all_transactions(result).pending;
  append_wrapped(
      out, "  pending     ",
      fmt::format("{} in flight at the end of the run; {} of them late and without an answer, "
                  "the latest after {} ms. Figures with > are lower bounds",
                  pending.count, pending.unanswered.count(),
                  plain_ms(pending.unanswered.max_ns())));
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
void append_messages(std::string& out, const TransactionResult& all) {
  constexpr std::size_t shown_most = 3;
  std::vector<std::string> sqlstates = frequent_sqlstates(all);
  if (sqlstates.size() > shown_most) sqlstates.resize(shown_most);
  for (const std::string& sqlstate : sqlstates) {
    append_wrapped(out, "              ", message_text(all, sqlstate));
  }
}

// Appends a line for each type of which every transaction failed, with its most frequent error that
// has a message.
void append_failed_types(std::string& out, const Result& result) {
  for (const TransactionResult& one : result.transactions) {
    if (one.failed_count == 0 || one.failed_count != one.all_count()) continue;
    std::string line = fmt::format("{}: none succeeded, {} failed", one.name, one.failed_count);
    const std::vector<std::string> sqlstates = frequent_sqlstates(one);
    if (!sqlstates.empty()) line += ", most often with " + message_text(one, sqlstates.front());
    append_wrapped(out, "  ALL FAILED  ", line);
  }
}

void append_errors(std::string& out, const Result& result) {
  const auto append_counts = [&](std::string_view label, const auto& counts) {
    std::string text;
    for (const auto& [name, count] : counts) {
      if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    }
    if (!text.empty()) append_wrapped(out, label, text);
  };
  const TransactionResult all = all_transactions(result);
  append_counts("  errors      ", all.errors_by_class);
  append_counts("  SQLSTATE    ", all.errors_by_sqlstate);
  append_messages(out, all);
  append_failed_types(out, result);
}

void append_client(std::string& out, const Result& result) {
  const measure::HistogramSnapshot waits = all_transactions(result).wait;
  if (waits.empty()) {
    out += "  client wait - (before a transaction, for a permit and a connection)\n";
  } else {
    out += fmt::format(
        "  client wait p50 {} ms, p99 {} ms (before a transaction, for a permit and a "
        "connection)\n",
        plain_ms(waits.percentile_ns(50)), plain_ms(waits.percentile_ns(99)));
  }
  const ClientCost& client = result.client;
  const double seconds = result.summary.time_seconds;
  const double cores = seconds > 0 ? client.cpu_seconds / seconds : 0;
  const double cost_us = result.cpu_us_per_transaction();
  out += fmt::format("  client cost {:.2f} s of CPU time ({:.3f} cores), {} us per transaction\n",
                     client.cpu_seconds, cores,
                     result.all_count() > 0 ? fmt::format("{:.1f}", cost_us) : "-");
  out += fmt::format("              peak memory {}, {}, busiest worker thread {:.0f}% of a core\n",
                     text::bytes_text(client.peak_rss_bytes),
                     text::counted(client.threads, "thread"), client.busiest_worker_load() * 100);
}

void append_durability(std::string& out, const Result& result) {
  const std::string off = settings_without_durability(result);
  if (off.empty()) return;
  append_wrapped(
      out, "  note        ",
      "not durable: the server runs with " + off + "; a crash may lose or corrupt committed data");
}

void append_step(std::string& out, const Result& result) {
  if (result.time_series_step_s <= 1) return;
  out += fmt::format(
      "  note        each point of the time series covers {} s, because the run is long\n",
      result.time_series_step_s);
}

// Outages or stalls of a run: a line each, and how many are too many to show.
template <typename Span, typename Words>
void append_spans(std::string& out, std::string_view label, const std::vector<Span>& spans,
                  const Words& words) {
  constexpr std::size_t shown_most = 10;
  for (std::size_t i = 0; i < std::min(spans.size(), shown_most); ++i) {
    const Span& span = spans[i];
    const std::string time =
        span.end_s ? fmt::format("{:.1f} s, from {:.1f} s to {:.1f} s of the run",
                                 *span.end_s - span.start_s, span.start_s, *span.end_s)
                   : fmt::format("from {:.1f} s of the run to its end", span.start_s);
    append_wrapped(out, label, time + words(span));
  }
  if (spans.size() > shown_most) {
    out +=
        fmt::format("              and {} more: see the result file\n", spans.size() - shown_most);
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

void append_availability(std::string& out, const Result& result) {
  const Availability& availability = result.availability;
  append_spans(out, "  outage      ", availability.outages, [&](const Outage& outage) {
    return fmt::format("{}, {} lost: {}", clock_text(availability.run_start_ts, outage.start_s),
                       text::counted(outage.transactions_lost, "transaction"), outage.first_error);
  });
  append_spans(out, "  stall       ", availability.stalls, [&result](const Stall&) {
    return fmt::format(": {}s waited and the database answered nothing", result.plan.kind().client);
  });
  const std::string away = warehouses_away_text(result);
  if (!away.empty()) append_wrapped(out, "  available   ", away);
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
    append_wrapped(out, "  connections ", text);
  }
  if (availability.sessions_renewed) {
    out += fmt::format("  renewed     {} (--connection-max-age)\n",
                       text::counted_grouped(*availability.sessions_renewed, "connection"));
  }
}

// "1 (13), 2 (4)": in which warehouses how many.
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

// What the database took back, and that it took nothing back where it had the occasion.
void append_lost_commits(std::string& out, const Result& result) {
  if (!result.lost_commits) return;
  const LostCommits& lost = *result.lost_commits;
  const bool was_away =
      !result.availability.outages.empty() || result.availability.interruptions > 0;
  if (lost.count() == 0) {
    if (was_away && lost.complete)
      out += "  lost        none: every acknowledged commit is in the data\n";
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
  append_wrapped(out, "  lost        ", text);
}

// What was written, in the count of the client and in that of the data.
void append_ledger(std::string& out, const Result& result) {
  const Ambiguous ambiguous = all_transactions(result).ambiguous;
  if (ambiguous.count() > 0) {
    append_wrapped(
        out, "  unknown     ",
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
  append_wrapped(out, "  ledger      ",
                 fmt::format("{}, {} and {}{} committed since the start of the run; {}",
                             text::counted(result.ledger.new_orders, "New-Order"),
                             text::counted(result.ledger.payments, "Payment"),
                             text::counted(result.ledger.deliveries, "Delivery"), orders,
                             agree ? "the data agree" : "the data DISAGREE"));
}

// Those that hold are a number in the sentence.
void append_audit(std::string& out, const Result& result) {
  for (const Verdict& line : result.audit) {
    if (line.judgement == Judgement::broken) {
      append_wrapped(out, "  BROKEN      ", line.name + ": " + line.text);
    } else if (line.judgement == Judgement::invalid) {
      append_wrapped(out, "  INVALID     ", line.name + ": " + line.text);
    }
  }
}

}  // namespace

std::string summary_text(const Result& result, std::size_t width) {
  const std::string_view title = result.plan.kind().title;
  std::string out = title.empty() ? printable(result.plan.benchmark) : std::string(title);
  out += " by " + printable(result.tool.name) + " " + printable(result.tool.version) + "\n\n";
  append_sentence(out, result);
  append_part(out, result);
  if (result.is_tpcc()) {
    append_headline_of_tpcc(out, result);
  } else {
    append_headline_of_others(out, result);
  }
  append_transactions(out, result, width);
  append_service_times(out, result, width);
  append_statements(out, result, width);
  append_load_hosts(out, result, width);
  append_hosts(out, result, width);
  append_server_stats(out, result, width);
  append_pending(out, result);
  append_limits(out, result);
  out += "\n";
  append_errors(out, result);
  append_availability(out, result);
  append_ledger(out, result);
  append_lost_commits(out, result);
  append_accounts(out, result);
  append_client(out, result);
  append_durability(out, result);
  append_step(out, result);
  append_audit(out, result);
  if (const std::string_view disclaimer = disclaimer_of(result); !disclaimer.empty()) {
    out += fmt::format("\n{}\n", disclaimer);
  }
  return wrapped(out, width);
}

}  // namespace drover::report
