#include "report/page/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/compare/metric.h"
#include "report/model/html_writer.h"
#include "report/page/html_figures.h"
#include "report/page/load_hosts.h"
#include "text/plain_text.h"
#include "text/utf8.h"

namespace drover::report {
namespace {

void append_row(std::string& out, const std::vector<std::string>& cells) {
  out += "|";
  for (const std::string& cell : cells) out += fmt::format(" {} |", cell);
  out += "\n";
}

// The first column is text, the others are numbers.
void append_head(std::string& out, const std::vector<std::string>& cells) {
  append_row(out, cells);
  out += "|---|";
  for (std::size_t i = 1; i < cells.size(); ++i) out += "--:|";
  out += "\n";
}

void append_transaction(std::string& out, const std::string& name, const TransactionResult& one,
                        double seconds, const std::string& limit) {
  const auto ms = [&](double percent) { return bounded_ms_text(one, percent); };
  append_row(out, {name, text::grouped(one.ok_count), text::grouped(one.failed_count),
                   text::grouped(one.retry_count),
                   seconds > 0 ? rate_text(static_cast<double>(one.ok_count) / seconds) : "–",
                   ms(50), ms(90), ms(99), ms(100), limit});
}

void append_transactions(std::string& out, const Result& result) {
  append_head(out, {"Transaction", "committed", "failed", "retries", "committed/s", "p50 ms",
                    "p90 ms", "p99 ms", "max ms", "p90 limit"});
  for (const TransactionResult& one : result.transactions) {
    append_transaction(out, markdown_name(one.name), one, result.summary.time_seconds,
                       limit_text(one, " ✓", " ✗ over"));
  }
  append_transaction(out, "**All**", all_transactions(result), result.summary.time_seconds, "–");
}

// The service time of an open loop: the latency has besides what a late begin and the line for a session added.
void append_service_times(std::string& out, const Result& result) {
  if (!result.plan.is_open_loop()) return;
  out += "\nService time, from the first statement to the answer:\n\n";
  append_head(out, {"Transaction", "p50 ms", "p90 ms", "p99 ms", "max ms"});
  const auto append = [&out](const std::string& name, const measure::HistogramSnapshot& service) {
    std::vector<std::string> cells = {name};
    for (const double percent : {50, 90, 99, 100}) {
      cells.push_back(service.empty() ? "–" : ms_text(service.percentile_ns(percent)));
    }
    append_row(out, cells);
  };
  for (const TransactionResult& one : result.transactions)
    append(markdown_name(one.name), one.service);
  append("**All**", all_transactions(result).service);
}

// What the sessions of the run waited for in the server.
void append_wait_events(std::string& out, const Result& result) {
  constexpr std::size_t events_shown_most = 6;
  if (!result.server_stats || result.server_stats->wait_events.empty()) return;
  const double all = result.server_stats->sessions();
  out += "\nMean number of server sessions by wait event:\n\n";
  append_head(out, {"Event", "sessions", "share", "ms per transaction"});
  for (const WaitEvent& one : result.server_stats->longest(events_shown_most)) {
    append_row(out, {markdown_name(one.name), fmt::format("{:.2f}", one.sessions),
                     share_text(one.sessions / all),
                     text::figure_text(result.ms_per_transaction(one.sessions))});
  }
}

void append_load_hosts_table(std::string& out, const Result& result) {
  if (!result.is_of_several()) return;
  out += "\nHosts that generated the load:\n\n";
  const LoadHostTable table = load_host_table(result);
  std::vector<std::string> head = {"Host"};
  for (const LoadHostColumn& column : table.columns) head.emplace_back(column.heading);
  append_head(out, head);
  for (std::vector<std::string> row : table.rows) {
    row.front() = markdown_name(row.front());
    append_row(out, row);
  }
  if (!table.rest.empty()) out += "\n" + table.rest + "\n";
}

// Where connections were spread over several hosts.
void append_hosts_table(std::string& out, const Result& result) {
  if (result.hosts.empty()) return;
  out += "\nServer hosts, with service times:\n\n";
  append_head(out,
              {"Server host", "connections", "committed", "failed", "p50 ms", "p90 ms", "p99 ms"});
  for (const HostResult& host : result.hosts) {
    std::vector<std::string> cells = {markdown_name(host.name), text::grouped(host.connections),
                                      text::grouped(host.ok_count),
                                      text::grouped(host.failed_count)};
    for (const double percent : {50, 90, 99}) {
      cells.push_back(host.service.empty() ? "–" : ms_text(host.service.percentile_ns(percent)));
    }
    append_row(out, cells);
  }
}

std::string verdict_line(const Result& result) {
  const VerdictBadge badge = badge_of(result);
  return fmt::format("{} {}", badge.icon, markdown_name(badge.sentence));
}

std::string headline(const Result& result) {
  const Summary& summary = result.summary;
  const auto [name, figure] = headline_figure(result);
  std::string text = result.is_tpcc() ? fmt::format("**{} {}**", name, figure)
                                      : fmt::format("**{} {}**", figure, name);
  if (!result.is_tpcc()) {
    text += fmt::format(", {} committed", text::grouped(all_transactions(result).ok_count));
    if (result.backlog)
      text += fmt::format(", backlog of {} at the end",
                          text::counted_grouped(*result.backlog, "transaction"));
  } else if (result.efficiency_is_meaningful() && summary.new_orders > 0) {
    text += fmt::format(", efficiency {:.1f}% ± {:.1f}", summary.efficiency,
                        summary.efficiency_sampling_error);
  } else if (result.efficiency_is_meaningful()) {
    text += ", no New-Order was committed";
  } else {
    text += ", no keying and think times";
  }
  text += fmt::format(", measured for {} from {}, {}", text::length_text(summary.time_seconds),
                      text::moment_text(summary.measure_start_ts),
                      text::counted_grouped(result.plan.connections, "connection"));
  if (result.interrupted) text += ", **interrupted**";
  if (result.incomplete) text += ", **incomplete**";
  return text;
}

void append_problems(std::string& out, const Result& result) {
  constexpr std::size_t problems_max = 20;
  if (result.failure) out += fmt::format("- **aborted**: {}\n", markdown_name(*result.failure));
  std::size_t shown = 0;
  for (const Verdict& line : result.audit) {
    const bool invalid = line.judgement == Judgement::invalid;
    if (!invalid && line.judgement != Judgement::broken) continue;
    if (++shown > problems_max) continue;
    out += fmt::format("- **{}**: {}: {}\n", invalid ? "invalid" : "broken",
                       markdown_name(line.name), markdown_name(line.text));
  }
  if (shown > problems_max) {
    out += fmt::format("- and {} more broken rules\n", shown - problems_max);
  }
}

void append_single(std::string& out, const Result& result) {
  out += fmt::format("### {}\n\n{}\n\n{}\n\n", markdown_name(title_of(result)),
                     verdict_line(result), headline(result));
  append_transactions(out, result);
  append_service_times(out, result);
  append_load_hosts_table(out, result);
  append_hosts_table(out, result);
  append_wait_events(out, result);
  std::string problems;
  append_problems(problems, result);
  if (!problems.empty()) out += "\n" + problems;
}

// A name may hold that of a script.
std::string metric_text(const Metric& metric) {
  const std::string clean = markdown_name(metric.name());
  return clean.starts_with('`') ? clean : "`" + clean + "`";
}

void append_differences(std::string& out, const std::vector<NamedResult>& results) {
  std::vector<std::string> head = {"Figure"};
  for (std::size_t i = 0; i < results.size(); ++i) head.push_back(fmt::format("{}", i + 1));
  append_head(out, head);
  for (const MetricRow& row : make_metric_table(results, default_metrics(results[0].result))) {
    const std::string unit(row.metric.unit());
    std::vector<std::string> cells = {metric_text(row.metric) + (unit.empty() ? "" : " " + unit)};
    for (const MetricCell& cell : row.cells) {
      const std::string change = change_text(cell);
      cells.push_back(value_text(cell) + (change.empty() ? "" : fmt::format(" ({})", change)));
    }
    append_row(out, cells);
  }
  out +=
      "\nPercentages are changes from result 1. `drover compare` tests whether they are "
      "significant.\n";
}

void append_several(std::string& out, const std::vector<NamedResult>& results) {
  out += fmt::format("### {} results compared\n\n", results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i].result;
    out += fmt::format("{}. {}: {}; {}\n", i + 1, markdown_name(results[i].name),
                       verdict_line(result), headline(result));
  }
  out += "\n";
  append_differences(out, results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += fmt::format("\n<details><summary>Result {}</summary>\n\n", i + 1);
    append_single(out, results[i].result);
    out += "\n</details>\n";
  }
}

}  // namespace

std::string markdown_report(const std::vector<NamedResult>& results) {
  std::string out;
  if (results.size() == 1) {
    append_single(out, results[0].result);
  } else {
    append_several(out, results);
  }
  const auto has_disclaimer = [](const NamedResult& one) {
    return !disclaimer_of(one.result).empty();
  };
  if (std::ranges::any_of(results, has_disclaimer)) {
    out += "\nNot an official TPC result; it must not be compared with published ones.\n";
  }
  return out;
}

}  // namespace drover::report
