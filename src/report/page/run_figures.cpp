#include "report/page/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model/chart.h"
#include "report/model/html_writer.h"
#include "text/plain_text.h"

namespace drover::report {

std::string ms_text(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  if (ms < 9.995) return fmt::format("{:.2f}", ms);
  if (ms < 999.95) return fmt::format("{:.1f}", ms);
  return text::grouped(static_cast<std::uint64_t>(std::llround(ms)));
}

std::string latency_text(std::uint64_t ns) {
  return milliseconds_label(static_cast<double>(ns) * 1e-6);
}

std::string plain_ms(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  return ms < 999.95 ? ms_text(ns) : fmt::format("{:.0f}", ms);
}

Wording count_wording(std::uint64_t count) {
  return {std::to_string(count), text::grouped(count)};
}

Wording ms_wording(const measure::HistogramSnapshot& histogram, double percent) {
  if (histogram.empty()) return {"-", "–"};
  const std::uint64_t ns = histogram.percentile_ns(percent);
  return {plain_ms(ns), ms_text(ns)};
}

Wording bounded_ms_wording(const TransactionResult& one, double percent) {
  Wording text = ms_wording(one.latency, percent);
  if (one.latency.empty() || !is_lower_bound(one.latency, one.pending.unanswered, percent))
    return text;
  return {">" + text.terminal, "≥ " + text.page};
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
  if (percent < 0.01) return "<0.01%";
  return number_label(percent) + "%";
}

std::string settings_without_durability(const Result& result) {
  std::string off;
  if (!result.environment.server) return off;
  for (const char* setting : {"fsync", "synchronous_commit", "full_page_writes"}) {
    const auto found = result.environment.server->settings.find(setting);
    if (found == result.environment.server->settings.end() || found->second != "off") continue;
    off += fmt::format("{}{} = off", off.empty() ? "" : ", ", setting);
  }
  return off;
}

std::string limit_text(const TransactionResult& one, std::string_view held,
                       std::string_view broken) {
  if (!one.latency_limit_s) return "–";
  std::string text = milliseconds_label(*one.latency_limit_s * 1000);
  if (const std::optional<bool> holds = one.holds_latency_limit()) text += *holds ? held : broken;
  return text;
}

std::string title_of(const Result& result) {
  const settings::RunSettings& plan = result.plan;
  const std::string_view known = plan.kind().title;
  std::string title = known.empty() ? shortened(plan.benchmark, 60) : std::string(known);
  title += ", " + (plan.is_tpcc() ? text::counted_grouped(plan.warehouses, "warehouse")
                                  : text::counted_grouped(plan.clients, "client"));
  if (plan.is_open_loop())
    title += fmt::format(", {} tx/s scheduled", text::figure_text(plan.rate));
  if (result.environment.server) {
    // The title contains only the number of a version such as "15.8 (Debian 15.8-1)".
    Server server = *result.environment.server;
    server.version.resize(std::min(server.version.size(), server.version.find(' ')));
    title += ", " + shortened(server.name(), 60);
  } else if (plan.simulate_ms) {
    title += ", simulated";
  }
  return title;
}

std::string signed_label(std::int64_t count) {
  if (count >= 0) return text::grouped(static_cast<std::uint64_t>(count));
  return "-" + text::grouped(0 - static_cast<std::uint64_t>(count));
}

HeadlineFigure headline_figure(const Result& result) {
  if (result.is_tpcc()) return {"tpmC", rate_text(result.summary.tpmc)};
  return {"tx/s", rate_text(result.throughput())};
}

std::string_view disclaimer_of(const Result& result) {
  return result.is_tpcc()
             ? "This is not an official TPC result and must not be compared with published ones."
             : "";
}

std::string transaction_colour(std::size_t index) {
  constexpr std::size_t colours = 5;
  constexpr std::size_t dashes = 4;
  return fmt::format("t{} d{}", index % colours, index / colours % dashes);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

VerdictBadge badge_of(const Result& result) {
  const AuditSummary summary = summarise(result.audit);
  const bool judged = std::ranges::any_of(
      result.audit, [](const Verdict& line) { return line.judgement != Judgement::not_judged; });
  const std::string sentence = capitalised(summary.sentence);
  if (!summary.valid) return {"✗", "bad", sentence};
  if (!judged) return {"–", "none", sentence};
  if (!summary.compliant) return {"!", "warn", sentence};
  return {"✓", "good", sentence};
}

}  // namespace drover::report
