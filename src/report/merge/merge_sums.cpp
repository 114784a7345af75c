#include "report/merge/merge_sums.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/adder.h"
#include "report/document/result_fields.h"

namespace drover::report {
namespace {

// Unix times are exact to a fraction of a microsecond.
double rounded(double seconds) {
  return std::round(seconds * 1e6) * 1e-6;
}

// The time in which all hosts of a run end.
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

// Shifts spans in time. A span without an end gets the end of its host, if there is one.
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

// Adds all figures but those of the end of the interval.
void add_interval(TimePoint& sum, const TimePoint& point) {
  const auto [in_flight, waiting] = std::pair(sum.in_flight, sum.waiting);
  model::Adder adder;
  model::describe_interval(adder, sum, point);
  sum.in_flight = in_flight;
  sum.waiting = waiting;
}

constexpr double rounding_s = 1e-6;

}  // namespace

double SecondSums::end_of(const Place& place, const settings::RunSettings& plan) const {
  const auto end = static_cast<double>((place.number + 1) * step_s_);
  if (!place.is_measured) return std::min(end, plan.warmup_s);
  // duration_s is 0 if the run has no planned end.
  return plan.warmup_s + (plan.duration_s > 0 ? std::min(end, plan.duration_s) : end);
}

// Samples are taken every second of a phase and at its end. A sample may be late. After a
// standstill of the process one sample covers all seconds that were missed, and belongs to the last
// of them.
SecondSums::Place SecondSums::place_of(const TimePoint& point, double before,
                                       const Result& part) const {
  const settings::RunSettings& plan = part.plan;
  const bool is_measured = point.phase == "measure";
  const double length_s = is_measured ? plan.duration_s : plan.warmup_s;
  const auto step_s = static_cast<double>(part.time_series_step_s);
  double within = std::max((before + point.t) / 2, point.t - step_s);
  if (is_measured) within -= plan.warmup_s;
  if (length_s > 0) within = std::min(within, std::ceil(length_s) - 0.5);
  return {is_measured, static_cast<std::uint64_t>(std::max(within, 0.0)) / step_s_};
}

// Appends the next points of the same hosts.
void SecondSums::append(Second& sum, Second next, double end) {
  add_interval(sum.sum, next.sum);
  sum.sum.in_flight = next.sum.in_flight;
  sum.sum.waiting = next.sum.waiting;
  sum.has_latencies = sum.has_latencies && next.has_latencies;
  sum.last_t = std::max(sum.last_t, next.last_t);
  sum.whole_t = next.whole_t;
  if (sum.whole_t && *sum.whole_t + rounding_s < end) sum.whole_t.reset();
}

void SecondSums::double_step(const settings::RunSettings& plan) {
  step_s_ *= 2;
  for (auto& [place, second] : std::exchange(seconds_, {})) {
    const Place longer{place.is_measured, place.number / 2};
    const auto [found, is_first] = seconds_.try_emplace(longer);
    if (is_first) found->second.sum.phase = second.sum.phase;
    append(found->second, std::move(second), end_of(longer, plan));
  }
}

void SecondSums::add(const Result& part) {
  while (step_s_ < part.time_series_step_s) double_step(part.plan);
  std::map<Place, Second> seconds;
  double before = 0;
  for (const TimePoint& point : part.time_series) {
    const Place place = place_of(point, before, part);
    before = point.t;
    Second next{.sum = point, .whole_t = point.t, .last_t = point.t};
    const bool has_commits =
        std::ranges::any_of(point.ok, [](std::uint64_t count) { return count > 0; });
    next.has_latencies = !has_commits || !point.latency.empty();
    append(seconds[place], std::move(next), end_of(place, part.plan));
    seconds[place].sum.phase = point.phase;
  }
  for (auto& [place, second] : seconds) {
    const auto [found, is_first] = seconds_.try_emplace(place, second);
    if (is_first) continue;
    Second& sum = found->second;
    add_interval(sum.sum, second.sum);
    sum.sum.in_flight += second.sum.in_flight;
    sum.sum.waiting += second.sum.waiting;
    sum.has_latencies = sum.has_latencies && second.has_latencies;
    sum.last_t = std::max(sum.last_t, second.last_t);
    // The host that read its sample first tells best when the second ended.
    if (second.whole_t)
      sum.whole_t = std::min(sum.whole_t.value_or(*second.whole_t), *second.whole_t);
  }
}

std::vector<TimePoint> SecondSums::take() {
  std::vector<TimePoint> points;
  double before = 0;
  for (auto& [place, second] : seconds_) {
    TimePoint& point = points.emplace_back(std::move(second.sum));
    point.t = std::max(second.whole_t.value_or(second.last_t), before + rounding_s);
    before = point.t;
    const auto latency = measure::HistogramSnapshot::from_sparse(point.latency);
    point.latency = {};
    if (second.has_latencies && latency && !latency->empty()) point.set_percentiles(*latency);
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
    // A host that ended early does not know how long its last outage or stall lasted.
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

namespace {

// The order of lost commits, which does not depend on the order of the parts.
auto order_of(const LostCommit& one) {
  return std::tie(one.answered_ts, one.w_id, one.transaction, one.d_id, one.o_id, one.c_id,
                  one.amount_cents, one.carrier_id, one.mark);
}

}  // namespace

void add_lost_commits(LostCommits& sum, const LostCommits& part) {
  model::add(sum, part);
  sum.commits.insert(sum.commits.end(), part.commits.begin(), part.commits.end());
  std::ranges::sort(sum.commits, [](const LostCommit& one, const LostCommit& other) {
    return order_of(one) < order_of(other);
  });
  if (sum.commits.size() > lost_commits_max) sum.commits.resize(lost_commits_max);
}

}  // namespace drover::report
