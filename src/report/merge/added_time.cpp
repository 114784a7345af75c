#include "report/merge/added_time.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace drover::report {
namespace {

// Unix times are exact to a fraction of a microsecond.
double rounded(double seconds) {
  return std::round(seconds * 1e6) * 1e-6;
}

// Hosts of a run that is ended do not end at the same instant.
constexpr double ends_together_s = 1;

double end_of(const auto& span) {
  return span.end_s.value_or(std::numeric_limits<double>::infinity());
}

void absorb(Outage& sum, const Outage& next) {
  sum.transactions_lost += next.transactions_lost;
  if (sum.first_error.empty()) sum.first_error = next.first_error;
}
void absorb(Stall& /*sum*/, const Stall& /*next*/) {}

auto order_of(const Outage& one) {
  return std::tuple(one.start_s, end_of(one), std::string_view(one.first_error),
                    one.transactions_lost);
}
auto order_of(const Stall& one) {
  return std::tuple(one.start_s, end_of(one));
}

template <class Span>
std::vector<Span> united(std::vector<Span> spans) {
  std::ranges::sort(
      spans, [](const Span& one, const Span& other) { return order_of(one) < order_of(other); });
  std::vector<Span> sum;
  for (Span& span : spans) {
    if (sum.empty() || span.start_s > end_of(sum.back())) {
      sum.push_back(std::move(span));
      continue;
    }
    if (end_of(span) > end_of(sum.back())) sum.back().end_s = span.end_s;
    absorb(sum.back(), span);
  }
  return sum;
}

template <class Span>
double seconds_between(const std::vector<Span>& spans, double from, double until) {
  double sum = 0;
  for (const Span& span : spans)
    sum += std::max(std::min(end_of(span), until) - std::max(span.start_s, from), 0.0);
  return sum;
}

// Those without an end get that of their host, if it has one.
template <class Span>
void shift(std::vector<Span>& spans, double seconds, std::optional<double> end_s,
           std::vector<Span>& into) {
  for (Span& span : spans) {
    if (!span.end_s && end_s) span.end_s = std::max(*end_s, span.start_s);
    span.start_s = rounded(span.start_s + seconds);
    if (span.end_s) span.end_s = rounded(*span.end_s + seconds);
  }
  std::ranges::move(spans, std::back_inserter(into));
}

void add_point(TimePoint& sum, const TimePoint& point) {
  // Whoever looked late says less of when it was over.
  sum.t = std::min(sum.t, point.t);
  // A second that is warm-up to one host is none of the interval.
  if (point.phase != "measure") sum.phase = point.phase;
  sum.ok.resize(std::max(sum.ok.size(), point.ok.size()));
  for (std::size_t i = 0; i < point.ok.size(); ++i) sum.ok[i] += point.ok[i];
  sum.failed += point.failed;
  sum.p50_ms = std::max(sum.p50_ms, point.p50_ms);
  sum.p90_ms = std::max(sum.p90_ms, point.p90_ms);
  sum.p99_ms = std::max(sum.p99_ms, point.p99_ms);
  sum.in_flight += point.in_flight;
  sum.waiting += point.waiting;
  sum.retries += point.retries;
  sum.client_load = std::max(sum.client_load, point.client_load);
  sum.latency.merge(point.latency);
}

}  // namespace

// Samples are taken each second, from the beginning and again from that of the interval, and at its end: never before
// their time, and after a standstill of the process there is one for all that it has missed.
std::uint64_t SecondSums::number_of(double t, const settings::RunSettings& plan) {
  constexpr double rounding_s = 1e-6;
  t = std::max(t, 0.0) + rounding_s;
  if (t < plan.warmup_s) return static_cast<std::uint64_t>(t);
  const double measured = t - plan.warmup_s;
  const bool is_end = plan.duration_s > 0 && measured >= plan.duration_s;  // 0: it has none
  return static_cast<std::uint64_t>(std::ceil(plan.warmup_s)) +
         static_cast<std::uint64_t>(is_end ? std::ceil(plan.duration_s) : measured);
}

void SecondSums::add(const Result& part) {
  for (const TimePoint& point : part.time_series) {
    const auto [place, is_first] = seconds_.try_emplace(number_of(point.t, part.plan));
    Second& second = place->second;
    if (is_first) {
      second.sum.phase = point.phase;
      second.sum.t = point.t;
    }
    add_point(second.sum, point);
    const bool has_commits =
        std::ranges::any_of(point.ok, [](std::uint64_t count) { return count > 0; });
    if (has_commits && point.latency.empty()) second.has_latencies = false;
  }
}

std::vector<TimePoint> SecondSums::take() {
  std::vector<TimePoint> points;
  for (auto& [number, second] : seconds_) {
    TimePoint& point = points.emplace_back(std::move(second.sum));
    const auto latency = measure::HistogramSnapshot::from_sparse(point.latency);
    point.latency = {};
    if (!second.has_latencies || !latency || latency->empty()) continue;
    point.p50_ms = static_cast<double>(latency->percentile_ns(50)) * 1e-6;
    point.p90_ms = static_cast<double>(latency->percentile_ns(90)) * 1e-6;
    point.p99_ms = static_cast<double>(latency->percentile_ns(99)) * 1e-6;
  }
  return points;
}

void SpanSums::add(const Result& part) {
  RankResult rank = part.ranks.front();
  const Availability& availability = part.availability;
  if (rank.start_ts <= 0) rank.start_ts = availability.run_start_ts;
  const std::optional<double> start = start_of(rank);
  if (start) first_start_ = std::min(first_start_.value_or(*start), *start);
  if (availability.outages.empty() && availability.stalls.empty()) return;
  parts_.push_back({start, part.plan.warmup_s + part.summary.time_seconds, availability.outages,
                    availability.stalls});
}

void SpanSums::finish(Availability& availability, double measured_from, double measured_until) {
  std::vector<Outage> outages;
  std::vector<Stall> stalls;
  for (Part& part : parts_) {
    const double later_s = part.start ? *part.start - *first_start_ : 0;
    // What it found after that nobody knows, and the others went on.
    std::optional<double> end_s;
    if (part.end_s + later_s + ends_together_s < measured_until) end_s = part.end_s;
    shift(part.outages, later_s, end_s, outages);
    shift(part.stalls, later_s, end_s, stalls);
  }
  availability.run_start_ts = first_start_.value_or(0);
  availability.outages = united(std::move(outages));
  availability.stalls = united(std::move(stalls));
  availability.unavailable_s = seconds_between(availability.outages, measured_from, measured_until);
  availability.stalled_s = seconds_between(availability.stalls, measured_from, measured_until);
}

}  // namespace drover::report
