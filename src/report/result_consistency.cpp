#include "report/result_consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace drover::report {

namespace {

// Whatever happened in a run did so within its warm-up, its interval, and what its end may take.
constexpr double end_of_run_s = 3'600;
constexpr double rounding_share = 0.001;

std::optional<std::string> contradiction_in_counts(const Result& result) {
  const auto says_so = [](const Verdict& line) {
    return line.name == "counts" && line.judgement == Judgement::invalid;
  };
  if (std::ranges::any_of(result.audit, says_so)) return std::nullopt;
  const std::vector<std::string> errors = count_errors(result);
  if (errors.empty()) return std::nullopt;
  return "transactions: " + errors.front();
}

std::optional<std::string> contradiction_in_summary(const Result& result) {
  Result computed;
  computed.plan = result.plan;
  computed.transactions = result.transactions;
  computed.summary.time_seconds = result.summary.time_seconds;
  complete_summary(computed);
  struct Figure {
    std::string_view name;
    double found;
    double expected;
  };
  const Summary& summary = result.summary;
  for (const Figure& one : {Figure{"tpmc", summary.tpmc, computed.summary.tpmc},
                            Figure{"efficiency", summary.efficiency, computed.summary.efficiency},
                            Figure{"warehouses", static_cast<double>(summary.warehouses),
                                   static_cast<double>(computed.summary.warehouses)}}) {
    if (std::abs(one.found - one.expected) <= rounding_share * std::max(one.expected, 1.0)) {
      continue;
    }
    return fmt::format(
        "summary.{}: expected {:.10g}, as it follows from the other figures, found {:.10g}",
        one.name, one.expected, one.found);
  }
  return std::nullopt;
}

// What is the longest of its kind in a result.
struct Longest {
  std::string name;
  double seconds;
};

double longest_s(const measure::HistogramSnapshot& times) {
  return static_cast<double>(times.max_ns()) * 1e-9;
}

std::vector<Longest> longest_times(const Result& result) {
  std::vector<Longest> times;
  for (const TransactionResult& one : result.transactions) {
    const std::string name = "transactions." + one.name;
    times.push_back({name + ".histogram.max", longest_s(one.latency)});
    times.push_back({name + ".wait.histogram.max", longest_s(one.wait)});
    times.push_back({name + ".keying.histogram.max", longest_s(one.keying)});
    times.push_back({name + ".think.histogram.max", longest_s(one.think)});
  }
  times.push_back({"client.timer_lag.histogram.max", longest_s(result.client.timer_lag)});
  if (result.deferred_delivery) {
    times.push_back(
        {"deferred_delivery.latency.histogram.max", longest_s(result.deferred_delivery->latency)});
  }
  for (std::size_t i = 0; i < result.time_series.size(); ++i) {
    const TimePoint& point = result.time_series[i];
    times.push_back({fmt::format("time_series[{}].t", i), point.t});
    times.push_back({fmt::format("time_series[{}].p99_ms", i), point.p99_ms * 1e-3});
  }
  const std::vector<Outage>& outages = result.availability.outages;
  for (std::size_t i = 0; i < outages.size(); ++i) {
    times.push_back({fmt::format("availability.outages[{}]", i),
                     outages[i].end_s.value_or(outages[i].start_s)});
  }
  times.push_back({"availability.unavailable_s", result.availability.unavailable_s});
  return times;
}

// Nothing of a run lasts longer than it.
std::optional<std::string> contradiction_in_times(const Result& result) {
  const double most_s = result.plan.warmup_s +
                        std::max(result.plan.duration_s, result.summary.time_seconds) +
                        end_of_run_s;
  for (const Longest& one : longest_times(result)) {
    if (one.seconds <= most_s) continue;
    return fmt::format(
        "{}: expected at most {:.10g} s, which is all that the run can have taken, found {:.10g} s",
        one.name, most_s, one.seconds);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> contradiction_in(const Result& result) {
  if (auto found = contradiction_in_counts(result)) return found;
  if (auto found = contradiction_in_summary(result)) return found;
  return contradiction_in_times(result);
}

}  // namespace drover::report
