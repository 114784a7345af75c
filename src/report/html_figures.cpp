#include "report/html_figures.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "report/chart_scale.h"
#include "report/html_writer.h"

namespace drover::report {

std::string ms_text(std::uint64_t ns) {
  const double ms = static_cast<double>(ns) * 1e-6;
  if (ms < 9.995) return fmt::format("{:.2f}", ms);
  if (ms < 999.95) return fmt::format("{:.1f}", ms);
  return count_label(static_cast<std::uint64_t>(std::llround(ms)));
}

std::string latency_text(std::uint64_t ns) {
  return milliseconds_label(static_cast<double>(ns) * 1e-6);
}

std::string bounded_ms_text(const measure::HistogramSnapshot& latency,
                            const measure::HistogramSnapshot& unanswered, double percent) {
  if (latency.empty()) return "–";
  const std::string text = ms_text(latency.percentile_ns(percent));
  return is_lower_bound(latency, unanswered, percent) ? "≥ " + text : text;
}

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second)) return "?";
  if (per_second < 999.95) return fmt::format("{:.1f}", per_second);
  if (per_second > 1e15) return fmt::format("{:.3g}", per_second);
  return count_label(static_cast<std::uint64_t>(std::llround(per_second)));
}

std::string length_text(double seconds) {
  const auto tenths = static_cast<std::int64_t>(std::llround(seconds * 10));
  if (tenths < 1'200) return fmt::format("{}.{} s", tenths / 10, tenths % 10);
  const std::int64_t whole = (tenths + 5) / 10;
  if (whole < 3'600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min {} s", whole / 3'600, whole / 60 % 60, whole % 60);
}

std::string bytes_text(std::uint64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1024.0 * 1024.0);
  if (mebibytes >= 1024) return fmt::format("{:.2f} GiB", mebibytes / 1024);
  return fmt::format("{:.1f} MiB", mebibytes);
}

std::string moment_text(std::int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "?";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string share_text(double share) {
  const double percent = share * 100;
  if (percent == 0) return "0%";
  if (percent < 0.01) return "<0.01%";
  return number_label(percent) + "%";
}

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

std::string title_of(const Result& result) {
  const PlanSummary& plan = result.plan;
  std::string title = plan.benchmark == "tpcc" ? "TPC-C" : shortened(plan.benchmark, 60);
  title += fmt::format(", {} {}", count_label(plan.warehouses),
                       plan.warehouses == 1 ? "warehouse" : "warehouses");
  if (result.environment.server) {
    // "15.8 (Debian 15.8-1)": who packaged it stands with the environment.
    Server server = *result.environment.server;
    server.version.resize(std::min(server.version.size(), server.version.find(' ')));
    title += ", " + shortened(server.name(), 60);
  } else if (plan.simulate_ms) {
    title += ", simulated";
  }
  return title;
}

std::string transaction_colour(std::size_t index) {
  constexpr std::size_t colours = 5;
  return fmt::format("t{} d{}", index % colours, index / colours % 3);
}

}  // namespace drover::report
