#include "report/page/ycsb_lines.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace drover::report {
namespace {

std::string_view ordinal_ending(double percent) {
  const auto whole = static_cast<std::int64_t>(percent);
  if (static_cast<double>(whole) != percent) return "";  // "99.9PercentileLatency", as YCSB has it
  if (whole / 10 % 10 == 1) return "th";
  switch (whole % 10) {
    case 1:
      return "st";
    case 2:
      return "nd";
    case 3:
      return "rd";
    default:
      return "th";
  }
}

std::uint64_t microseconds(std::uint64_t ns) {
  return ns / 1'000;
}

void append_latencies(std::string& out, std::string_view name,
                      const measure::HistogramSnapshot& latency,
                      const std::vector<double>& percentiles) {
  const std::uint64_t count = latency.count();
  out += fmt::format("[{}], Operations, {}\n", name, count);
  if (count == 0) return;
  out += fmt::format("[{}], AverageLatency(us), {}\n", name,
                     static_cast<double>(latency.sum_ns()) / 1e3 / static_cast<double>(count));
  out += fmt::format("[{}], MinLatency(us), {}\n", name, microseconds(latency.min_ns()));
  out += fmt::format("[{}], MaxLatency(us), {}\n", name, microseconds(latency.max_ns()));
  for (const double percent : percentiles) {
    out += fmt::format("[{}], {}{}PercentileLatency(us), {}\n", name, percent,
                       ordinal_ending(percent), microseconds(latency.percentile_ns(percent)));
  }
}

void append_operation(std::string& out, const TransactionResult& one, YcsbInterval interval,
                      const std::vector<double>& percentiles) {
  const bool has_both = !one.service.empty();
  const bool from_begin = has_both && interval != YcsbInterval::intended;
  append_latencies(out, one.name, from_begin ? one.service : one.latency, percentiles);
  out += fmt::format("[{}], Return=OK, {}\n", one.name, one.ok_count);
  if (one.failed_count > 0) {
    out += fmt::format("[{}], Return=ERROR, {}\n", one.name, one.failed_count);
    out += fmt::format("[{}-FAILED], Operations, {}\n", one.name, one.failed_count);
  }
  if (interval == YcsbInterval::both) {
    append_latencies(out, "Intended-" + one.name, one.latency, percentiles);
  }
}

}  // namespace

std::string ycsb_lines(const Result& result, YcsbInterval interval,
                       const std::vector<double>& percentiles) {
  const double seconds = result.summary.time_seconds;
  std::string out = fmt::format("[OVERALL], RunTime(ms), {:.0f}\n", seconds * 1e3);
  out += fmt::format("[OVERALL], Throughput(ops/sec), {}\n",
                     seconds > 0 ? static_cast<double>(result.all_count()) / seconds : 0.0);
  for (const TransactionResult& one : result.transactions) {
    append_operation(out, one, interval, percentiles);
  }
  if (result.verification) {
    const Verification& verified = *result.verification;
    out += fmt::format("[VERIFY], Operations, {}\n", verified.values);
    out += fmt::format("[VERIFY], Return=OK, {}\n", verified.values - verified.wrong);
    if (verified.wrong > 0) {
      out += fmt::format("[VERIFY], Return=UNEXPECTED_STATE, {}\n", verified.wrong);
    }
  }
  return out;
}

}  // namespace drover::report
