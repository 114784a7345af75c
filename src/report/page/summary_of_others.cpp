#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/page/summary_parts.h"
#include "text/plain_text.h"
#include "text/utf8.h"
#include "text/wrapped_text.h"

namespace drover::report {
namespace {

constexpr std::size_t name_width_least = 11;
constexpr std::size_t name_width_most = 40;

// "10,347.2"
std::string tenths_text(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, 1e17) * 10));
  return fmt::format("{}.{}", text::grouped(tenths / 10), tenths % 10);
}

void append_rate(std::string& out, const Result& result) {
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
  append_wrapped(out, "  rate        ", text);
}

void append_given(std::string& out, const settings::RunSettings& plan) {
  constexpr std::size_t characters_most = 60;
  std::string text;
  for (const settings::Given& one : plan.workload) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", text::shown(one.name, characters_most),
                        text::shown(one.value, characters_most));
  }
  if (!text.empty()) append_wrapped(out, "  workload    ", text);
}

struct NamedPercent {
  const char* name;
  double percent;
};

std::string cell_of(const measure::HistogramSnapshot& histogram, double percent) {
  return histogram.empty() ? "-" : plain_ms(histogram.percentile_ns(percent));
}

// The latencies of `unanswered` are lower bounds.
std::string cell_of(const TransactionResult& one, double percent) {
  const bool at_least = is_lower_bound(one.latency, one.pending.unanswered, percent);
  return (at_least ? ">" : "") + cell_of(one.latency, percent);
}

void append_account(std::string& out, const Account& account) {
  const std::optional<bool> agrees = account.agrees();
  std::string data = "the data could not be read";
  if (agrees)
    data = *agrees ? "the data agree" : fmt::format("the data DISAGREE: {}", *account.in_data);
  if (account.unresolved > 0) {
    const std::string happened =
        agrees && *agrees ? fmt::format(", {} of them in the data", text::grouped(*account.more()))
                          : "";
    data += fmt::format("; {}{}", text::counted_grouped(account.unresolved, "unresolved commit"),
                        happened);
  }
  append_wrapped(
      out, "  ledger      ",
      fmt::format("{}: {} committed, {}", account.name, text::grouped(account.counted), data));
}

}  // namespace

std::size_t name_width_of(const std::vector<std::string>& names, std::size_t width_of_others,
                          std::size_t width) {
  std::size_t longest = name_width_least;
  for (const std::string& name : names) longest = std::max(longest, text::text_width(name));
  const std::size_t room = width > width_of_others ? width - width_of_others : 0;
  return std::clamp(longest, name_width_least,
                    std::max(name_width_least, std::min(room, name_width_most)));
}

void append_headline_of_others(std::string& out, const Result& result) {
  const settings::RunSettings& plan = result.plan;
  out += fmt::format("  throughput  {} tx/s   ({} committed)\n", tenths_text(result.throughput()),
                     text::grouped(all_transactions(result).ok_count));
  out += fmt::format("  measured    {} from {}{}\n", text::length_text(result.summary.time_seconds),
                     text::moment_text(result.summary.measure_start_ts),
                     result.interrupted ? ", INTERRUPTED" : "");
  out += fmt::format("  load        {}, {}", text::counted_grouped(plan.clients, "client"),
                     text::counted_grouped(result.client.connections, "connection"));
  if (plan.operations > 0)
    out += fmt::format(", {} to execute", text::counted_grouped(plan.operations, "transaction"));
  if (plan.simulate_ms)
    out += fmt::format(", simulated transactions of {:g} ms", *plan.simulate_ms);
  out += "\n";
  append_rate(out, result);
  append_given(out, plan);
  if (plan.simulate_ms) return;
  const std::string protocol =
      plan.protocol.empty() ? "" : fmt::format("protocol {}, ", plan.protocol);
  append_wrapped(out, "  database    ", fmt::format("{}isolation {}", protocol, plan.isolation));
}

void append_service_times(std::string& out, const Result& result, std::size_t width) {
  if (!result.plan.is_open_loop()) return;
  constexpr std::size_t kind_width = 8;
  constexpr std::size_t cell_width = 8;
  std::vector<NamedPercent> columns = {{"p50", 50}, {"p90", 90},     {"p95", 95},
                                       {"p99", 99}, {"p99.9", 99.9}, {"max", 100}};
  if (width < name_width_least + kind_width + cell_width * columns.size()) {
    columns = {{"p50", 50}, {"p90", 90}, {"p99", 99}, {"max", 100}};
  }
  std::vector<TransactionResult> shown = result.transactions;
  shown.push_back(all_transactions(result));
  shown.back().name = "all";
  std::vector<std::string> names = {"ms"};
  for (const TransactionResult& one : shown) names.push_back(printable(one.name));
  const std::size_t name_width =
      name_width_of(names, kind_width + cell_width * columns.size(), width);
  const auto append = [&](std::string_view name, std::string_view kind, const auto& cell) {
    out += fmt::format("{:<{}.{}} {:<7}", name, name_width, name_width, kind);
    for (const NamedPercent& column : columns) out += fmt::format(" {:>7}", cell(column));
    out += "\n";
  };
  out += "\n";
  append("ms", "", [](const NamedPercent& column) { return std::string(column.name); });
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const TransactionResult& one = shown[i];
    append(names[i + 1], "latency",
           [&one](const NamedPercent& column) { return cell_of(one, column.percent); });
    append("", "service",
           [&one](const NamedPercent& column) { return cell_of(one.service, column.percent); });
  }
  append_wrapped(
      out, "",
      "latency: from the intended start to the answer. service: from the first statement to "
      "the answer");
}

void append_statements(std::string& out, const Result& result, std::size_t width) {
  constexpr std::size_t shown_most = 30;
  constexpr std::size_t width_of_cells = 9 + 8 + 4 * 8;
  for (const TransactionResult& one : result.transactions) {
    if (one.statements.empty()) continue;
    std::vector<std::string> names = {"statements of " + printable(one.name)};
    for (const StatementResult& statement : one.statements)
      names.push_back("  " + printable(statement.name));
    const std::size_t name_width = name_width_of(names, width_of_cells, width);
    out += fmt::format("\n{:<{}.{}} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7}\n", names[0], name_width,
                       name_width, "ok", "failed", "p50 ms", "p90 ms", "p99 ms", "max ms");
    for (std::size_t i = 0; i < std::min(one.statements.size(), shown_most); ++i) {
      const StatementResult& statement = one.statements[i];
      out += fmt::format("{:<{}.{}} {:>8} {:>7} {:>7} {:>7} {:>7} {:>7}\n", names[i + 1],
                         name_width, name_width, statement.ok_count, statement.failed_count,
                         cell_of(statement.latency, 50), cell_of(statement.latency, 90),
                         cell_of(statement.latency, 99), cell_of(statement.latency, 100));
    }
    if (one.statements.size() > shown_most) {
      out +=
          fmt::format("  and {} more: see the result file\n", one.statements.size() - shown_most);
    }
  }
}

void append_accounts(std::string& out, const Result& result) {
  for (const Account& account : result.accounts) append_account(out, account);
  if (!result.verification) return;
  const Verification& verified = *result.verification;
  std::string text = text::counted_grouped(verified.values, "value");
  text += verified.wrong == 0 ? ", none wrong"
                              : fmt::format(", {} WRONG, first: {}", text::grouped(verified.wrong),
                                            verified.first_wrong);
  if (verified.not_found > 0)
    text += fmt::format("; {} NOT FOUND", text::counted_grouped(verified.not_found, "row"));
  append_wrapped(out, "  verified    ", text);
}

}  // namespace drover::report
