#include "report/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <string_view>

#include "report/audit.h"
#include "report/plain_text.h"

namespace drover::report {

namespace {

// Three or four digits that matter, at most seven characters up to 27 hours.
std::string ms_text(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  if (ms < 9.995) return fmt::format("{:.2f}", ms);
  if (ms < 999.95) return fmt::format("{:.1f}", ms);
  return fmt::format("{:.0f}", ms);
}

// A percentile; 100 is the maximum. With ">" where transactions without an answer may raise it.
std::string latency_text(const TransactionResult& one, double percent) {
  if (one.latency.empty()) return "-";
  const bool at_least = is_lower_bound(one.latency, one.pending.unanswered, percent);
  return (at_least ? ">" : "") + ms_text(one.latency.percentile_ns(percent));
}

std::string rate_text(double per_second) {
  if (per_second < 999.95) return fmt::format("{:.1f}", per_second);
  return fmt::format("{:.0f}", per_second);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr double mebibyte = 1024.0 * 1024.0;
  const double size = static_cast<double>(bytes) / mebibyte;
  if (size >= 1024) return fmt::format("{:.2f} GiB", size / 1024);
  return fmt::format("{:.1f} MiB", size);
}

std::string duration_text(double seconds) {
  const auto tenths = static_cast<std::int64_t>(std::llround(seconds * 10));
  if (tenths < 1'200) return fmt::format("{}.{} s", tenths / 10, tenths % 10);
  const std::int64_t whole = (tenths + 5) / 10;
  if (whole < 3'600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min {} s", whole / 3'600, whole / 60 % 60, whole % 60);
}

std::string utc_text(std::int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "?";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// Text of others may hold line breaks and escape sequences: they must not reach a terminal.
std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return result;
}

// A line of the summary, however long: wrapped() makes it fit.
void append_wrapped(std::string& out, std::string_view label, std::string_view raw) {
  out += fmt::format("{}{}\n", label, printable(raw));
}

// Lines that are too wide are broken at spaces, and where there is none in the middle of a word.
// What follows of a line with a label is indented as far as the texts behind labels.
std::string wrapped(std::string_view text, std::size_t width) {
  constexpr std::string_view label_space = "              ";
  std::string out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    const std::string_view indent = line.starts_with(' ') ? label_space : std::string_view();
    std::string_view start;
    do {
      const std::size_t room = width - start.size();
      std::size_t length = line.size();
      if (length > room) {
        const std::size_t space = line.rfind(' ', room);
        // The spaces of a label are no place for a break.
        const std::size_t label = start.empty() ? indent.size() : 0;
        length = space != std::string_view::npos && space > label ? space : room;
        // Not within a character.
        for (int i = 0; i < 3 && (static_cast<unsigned char>(line[length]) & 0xc0) == 0x80; ++i) {
          --length;
        }
      }
      out += fmt::format("{}{}\n", start, line.substr(0, length));
      line.remove_prefix(length);
      while (line.starts_with(' ')) line.remove_prefix(1);
      start = indent;
    } while (!line.empty());
  }
  return out;
}

void append_sentence(std::string& out, const Result& result) {
  append_wrapped(out, "  audit       ", summarise(result.audit).sentence);
  if (result.failure) append_wrapped(out, "  GIVEN UP    ", *result.failure);
}

void append_headline(std::string& out, const Result& result) {
  const Summary& summary = result.summary;
  out += fmt::format("  tpmC        {:.1f}   ({} committed)\n", summary.tpmc,
                     counted(summary.new_orders, "New-Order"));
  if (!result.efficiency_is_meaningful()) {
    out += "  efficiency  n/a (no delays)\n";
  } else if (summary.new_orders == 0) {
    out += "  efficiency  - (no New-Order)\n";
  } else {
    out += fmt::format("  efficiency  {:.1f}% +- {:.1f} (sampling error, 95%)", summary.efficiency,
                       summary.efficiency_sampling_error);
    if (result.plan.pace != 1.0) out += fmt::format(", at {:g} times the pace", result.plan.pace);
    out += "\n";
  }
  out += fmt::format("  measured    {} from {}{}\n", duration_text(summary.time_seconds),
                     utc_text(summary.measure_start_ts), result.interrupted ? ", INTERRUPTED" : "");
  const PlanSummary& plan = result.plan;
  out += fmt::format("  load        {}, {}, {}", counted(summary.warehouses, "warehouse"),
                     counted(result.client.terminals, "terminal"),
                     counted(result.client.connections, "connection"));
  if (plan.simulate_ms) {
    out += fmt::format(", simulated transactions of {:g} ms\n", *plan.simulate_ms);
  } else {
    out += "\n";
    append_wrapped(out, "  statements  ",
                   fmt::format("{}, isolation {}", plan.statements, plan.isolation));
  }
}

// What was executed beside the terminals, as a row of the table.
TransactionResult deferred_row(const DeferredDelivery& deferred) {
  TransactionResult row;
  row.ok_count = deferred.completed;
  row.failed_count = deferred.failed;
  row.latency = deferred.latency;
  row.pending.unanswered = deferred.unanswered;
  row.latency_limit_s = deferred.latency_limit_s;
  return row;
}

struct Column {
  const char* heading;
  std::size_t width;
};

// Behind the name of the transaction, each with a space before it.
constexpr std::size_t name_width = 11;
constexpr std::array<Column, 11> columns = {{{"ok", 9},
                                             {"rolled", 7},
                                             {"failed", 7},
                                             {"retries", 8},
                                             {"ok/s", 7},
                                             {"p50 ms", 7},
                                             {"p90 ms", 7},
                                             {"p95 ms", 7},
                                             {"p99 ms", 7},
                                             {"max ms", 7},
                                             {"p90", 4}}};
constexpr std::size_t first_latency_column = 5;

struct Row {
  std::string name;
  std::array<std::string, columns.size()> cells;
};

void append_columns(std::string& out, const std::vector<Row>& rows, std::size_t first,
                    std::size_t last) {
  for (const Row& row : rows) {
    out += fmt::format("{:<{}.{}}", row.name, name_width, name_width);
    for (std::size_t i = first; i < last; ++i) {
      out += fmt::format(" {:>{}}", row.cells[i], columns[i].width);
    }
    out += "\n";
  }
}

// Where a row does not fit, the latencies are a table of their own.
void append_table(std::string& out, const std::vector<Row>& rows, std::size_t width) {
  std::size_t whole = name_width;
  for (const Column& column : columns) whole += 1 + column.width;
  out += "\n";
  if (whole <= width) return append_columns(out, rows, 0, columns.size());
  append_columns(out, rows, 0, first_latency_column);
  out += "\n";
  append_columns(out, rows, first_latency_column, columns.size());
}

Row transaction_row(std::string_view name, const TransactionResult& one, double seconds,
                    std::string_view held) {
  const double rate = seconds > 0 ? static_cast<double>(one.ok_count) / seconds : 0;
  return {std::string(name),
          {std::to_string(one.ok_count), std::to_string(one.user_aborted_count),
           std::to_string(one.failed_count), std::to_string(one.retry_count), rate_text(rate),
           latency_text(one, 50), latency_text(one, 90), latency_text(one, 95),
           latency_text(one, 99), latency_text(one, 100), std::string(held)}};
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
  TransactionResult total;
  for (const TransactionResult& one : result.transactions) {
    add(one.name, one, held_text(one));
    total.ok_count += one.ok_count;
    total.user_aborted_count += one.user_aborted_count;
    total.failed_count += one.failed_count;
    total.retry_count += one.retry_count;
  }
  total.latency = result.all_latencies();
  total.pending = result.all_pending();
  add("all", total, "-");
  if (result.deferred_delivery) {
    const TransactionResult deferred = deferred_row(*result.deferred_delivery);
    add("deferred", deferred, held_text(deferred));
  }
  append_table(out, rows, width);
  if (!result.deferred_delivery || result.deferred_delivery->unfinished == 0) return;
  out += fmt::format("  {} had not ended when the run did\n",
                     counted(result.deferred_delivery->unfinished, "deferred Delivery"));
}

void append_limits(std::string& out, const Result& result) {
  std::string limits;
  for (const TransactionResult& one : result.transactions) {
    if (one.holds_latency_limit() != false) continue;
    limits += fmt::format("{}{} {} ms, limit {:g} s", limits.empty() ? "" : "; ", one.name,
                          ms_text(one.latency.percentile_ns(90)), one.latency_limit_s.value_or(0));
  }
  if (!limits.empty()) append_wrapped(out, "  90th percentile over the limit: ", limits);
  if (result.delivery_skipped_districts != 0) {
    out += fmt::format("  Delivery found no order in {} and skipped {}\n",
                       counted(result.delivery_skipped_districts, "district"),
                       result.delivery_skipped_districts == 1 ? "it" : "them");
  }
}

void append_pending(std::string& out, const Result& result) {
  if (!result.has_lower_bounds()) return;
  const Pending pending = result.all_pending();
  append_wrapped(
      out, "  pending     ",
      fmt::format("{} were under way at the end, {} of them late and without an answer, "
                  "the longest after {} ms: figures with > are lower bounds",
                  pending.count, pending.unanswered.count(), ms_text(pending.unanswered.max_ns())));
}

void append_errors(std::string& out, const Result& result) {
  std::map<std::string, std::uint64_t> classes;
  std::map<std::string, std::uint64_t> states;
  for (const TransactionResult& one : result.transactions) {
    for (const auto& [name, count] : one.errors_by_class) classes[name] += count;
    for (const auto& [name, count] : one.errors_by_sqlstate) states[name] += count;
  }
  const auto listed = [](const std::map<std::string, std::uint64_t>& counts) {
    std::string text;
    for (const auto& [name, count] : counts) {
      if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
    }
    return text;
  };
  if (const std::string text = listed(classes); !text.empty()) {
    append_wrapped(out, "  errors      ", text);
  }
  if (const std::string text = listed(states); !text.empty()) {
    append_wrapped(out, "  SQLSTATE    ", text);
  }
}

void append_client(std::string& out, const Result& result) {
  const measure::HistogramSnapshot waits = result.all_waits();
  if (waits.empty()) {
    out += "  client wait - (for a permit and a connection)\n";
  } else {
    out += fmt::format("  client wait p50 {} ms, p99 {} ms (for a permit and a connection)\n",
                       ms_text(waits.percentile_ns(50)), ms_text(waits.percentile_ns(99)));
  }
  const ClientCost& client = result.client;
  const double seconds = result.summary.time_seconds;
  const double cores = seconds > 0 ? client.cpu_seconds / seconds : 0;
  const double cost_us = result.cpu_us_per_transaction();
  out += fmt::format("  client cost {:.2f} s of CPU ({:.3f} cores), {} us a transaction\n",
                     client.cpu_seconds, cores,
                     result.all_count() > 0 ? fmt::format("{:.1f}", cost_us) : "-");
  out += fmt::format("              peak memory {}, {}, busiest worker {:.0f}%\n",
                     bytes_text(client.peak_rss_bytes), counted(client.threads, "thread"),
                     client.busiest_worker_load() * 100);
}

// Settings with which a committed transaction may be lost in a crash.
void append_durability(std::string& out, const Result& result) {
  if (!result.environment.server) return;
  static constexpr std::array<const char*, 3> settings = {"fsync", "synchronous_commit",
                                                          "full_page_writes"};
  std::string off;
  for (const char* setting : settings) {
    const auto found = result.environment.server->settings.find(setting);
    if (found == result.environment.server->settings.end() || found->second != "off") continue;
    off += fmt::format("{}{} = off", off.empty() ? "" : ", ", setting);
  }
  if (!off.empty()) {
    append_wrapped(out, "  note        ",
                   "not durable: the server runs with " + off +
                       "; a crash may lose or damage what was committed");
  }
}

void append_stalls(std::string& out, const std::vector<Stall>& stalls, std::size_t shown_most) {
  for (std::size_t i = 0; i < std::min(stalls.size(), shown_most); ++i) {
    const Stall& stall = stalls[i];
    const std::string time =
        stall.end_s ? fmt::format("{:.1f} s, from {:.1f} s to {:.1f} s of the run",
                                  *stall.end_s - stall.start_s, stall.start_s, *stall.end_s)
                    : fmt::format("from {:.1f} s of the run to its end", stall.start_s);
    append_wrapped(out, "  stall       ", time + ": terminals waited, and nobody had an answer");
  }
  if (stalls.size() > shown_most) {
    out +=
        fmt::format("              and {} more: see the result file\n", stalls.size() - shown_most);
  }
}

void append_availability(std::string& out, const Result& result) {
  constexpr std::size_t shown_most = 10;
  const std::vector<Outage>& outages = result.availability.outages;
  for (std::size_t i = 0; i < std::min(outages.size(), shown_most); ++i) {
    const Outage& outage = outages[i];
    const std::string time =
        outage.end_s ? fmt::format("{:.1f} s, from {:.1f} s to {:.1f} s of the run",
                                   *outage.end_s - outage.start_s, outage.start_s, *outage.end_s)
                     : fmt::format("from {:.1f} s of the run to its end", outage.start_s);
    append_wrapped(
        out, "  outage      ",
        fmt::format("{}, {} lost: {}", time, counted(outage.transactions_lost, "transaction"),
                    outage.first_error));
  }
  if (outages.size() > shown_most) {
    out += fmt::format("              and {} more: see the result file\n",
                       outages.size() - shown_most);
  }
  const Availability& availability = result.availability;
  append_stalls(out, availability.stalls, shown_most);
  if (availability.interruptions > 0 || availability.sessions_lost > 0) {
    append_wrapped(
        out, "  sessions    ",
        fmt::format("{} lost, {} opened anew; {} shorter than {:g} s", availability.sessions_lost,
                    availability.sessions_reopened,
                    counted(availability.interruptions, "interruption"), shortest_outage_s));
  }
}

// What was written, in the count of the client and in that of the data.
void append_ledger(std::string& out, const Result& result) {
  Ambiguous ambiguous;
  for (const TransactionResult& one : result.transactions) {
    ambiguous.committed += one.ambiguous.committed;
    ambiguous.not_committed += one.ambiguous.not_committed;
    ambiguous.unresolved += one.ambiguous.unresolved;
  }
  if (ambiguous.count() > 0) {
    append_wrapped(out, "  ambiguous   ",
                   fmt::format("{} not answered: {} happened, {} did not, {} unknown",
                               counted(ambiguous.count(), "commit") +
                                   (ambiguous.count() == 1 ? " was" : " were"),
                               ambiguous.committed, ambiguous.not_committed, ambiguous.unresolved));
  }
  if (!result.ledger_in_data) return;
  const bool agree = agrees(result.ledger, *result.ledger_in_data);
  std::string orders;
  if (result.ledger_in_data->orders_delivered) {
    orders = " of " + counted(result.ledger.orders_delivered, "order");
  }
  append_wrapped(out, "  ledger      ",
                 fmt::format("{}, {} and {}{} committed since the start; {}",
                             counted(result.ledger.new_orders, "New-Order"),
                             counted(result.ledger.payments, "Payment"),
                             counted(result.ledger.deliveries, "Delivery"), orders,
                             agree ? "the data say the same" : "the data DISAGREE"));
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
  std::string out = result.plan.benchmark == "tpcc" ? "TPC-C" : printable(result.plan.benchmark);
  out += " by " + printable(result.tool.name) + " " + printable(result.tool.version) + "\n\n";
  append_sentence(out, result);
  append_headline(out, result);
  append_transactions(out, result, width);
  append_pending(out, result);
  append_limits(out, result);
  out += "\n";
  append_errors(out, result);
  append_availability(out, result);
  append_ledger(out, result);
  append_client(out, result);
  append_durability(out, result);
  append_audit(out, result);
  out += "\nThis is not an official TPC result and must not be compared with published ones.\n";
  return wrapped(out, width);
}

}  // namespace drover::report
