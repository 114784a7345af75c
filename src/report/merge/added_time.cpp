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

template <class Span>
void shift(std::vector<Span>& spans, double seconds, std::vector<Span>& into) {
  for (Span& span : spans) {
    span.start_s = rounded(span.start_s + seconds);
    if (span.end_s) span.end_s = rounded(*span.end_s + seconds);
  }
  std::ranges::move(spans, std::back_inserter(into));
}

void add_point(TimePoint& sum, const TimePoint& point) {
  sum.t = std::max(sum.t, point.t);
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

void SecondSums::add(const std::vector<TimePoint>& part) {
  std::uint64_t last = 0;
  for (const TimePoint& point : part) {
    // The last of an interrupted run may be as near to the second before.
    last = std::max(last + 1, static_cast<std::uint64_t>(std::llround(std::max(point.t, 0.0))));
    Second& second = seconds_[last];
    if (second.sum.phase.empty()) second.sum.phase = point.phase;
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
    if (points.size() > 1) {
      constexpr double apart_s = 0.001;
      point.t = std::max(point.t, points[points.size() - 2].t + apart_s);
    }
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
  parts_.push_back({start, availability.outages, availability.stalls});
}

void SpanSums::finish(Availability& availability, double measured_from, double measured_until) {
  std::vector<Outage> outages;
  std::vector<Stall> stalls;
  for (Part& part : parts_) {
    const double later_s = part.start ? *part.start - *first_start_ : 0;
    shift(part.outages, later_s, outages);
    shift(part.stalls, later_s, stalls);
  }
  availability.run_start_ts = first_start_.value_or(0);
  availability.outages = united(std::move(outages));
  availability.stalls = united(std::move(stalls));
  availability.unavailable_s = seconds_between(availability.outages, measured_from, measured_until);
  availability.stalled_s = seconds_between(availability.stalls, measured_from, measured_until);
}

}  // namespace drover::report
