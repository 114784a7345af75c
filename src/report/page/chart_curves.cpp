#include "report/page/chart_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "report/page/run_figures.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

constexpr double default_interval_s = 1;

// A point and the time that it covers: from the end of the previous point to its own.
struct Interval {
  const TimePoint* point = nullptr;
  double start_s = 0;
  double length_s = 0;

  double middle_s() const { return start_s + length_s / 2; }
};

double median(std::vector<double> values) {
  if (values.empty()) return default_interval_s;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<const TimePoint*> in_order_of_time(const Result& result) {
  std::vector<const TimePoint*> points;
  points.reserve(result.time_series.size());
  for (const TimePoint& point : result.time_series) points.push_back(&point);
  // Points with equal times keep the order of the document, which is the order of addresses.
  std::ranges::sort(points, {}, [](const TimePoint* point) { return std::pair(point->t, point); });
  return points;
}

std::vector<double> gaps(const std::vector<const TimePoint*>& points) {
  std::vector<double> gaps;
  double last = 0;
  for (const TimePoint* point : points) {
    if (point->t > last) gaps.push_back(point->t - last);
    last = point->t;
  }
  return gaps;
}

// If seconds are missing, a point covers no more than its usual time.
std::vector<Interval> make_intervals(const std::vector<const TimePoint*>& points,
                                     double interval_s) {
  constexpr double longest_in_intervals = 1.5;
  std::vector<Interval> intervals;
  double last = 0;
  for (const TimePoint* point : points) {
    double length = point->t - last;
    if (length > interval_s * longest_in_intervals) length = interval_s;
    intervals.push_back({point, point->t - length, length});
    last = point->t;
  }
  return intervals;
}

// The sums of the points of a column.
class ColumnSum {
 public:
  void add(const Interval& interval, std::size_t new_order_index, double usual_s) {
    const TimePoint& point = *interval.point;
    ++points_;
    const auto sum = std::accumulate(
        point.ok.begin(), point.ok.end(), 0.0,
        [](double so_far, std::uint64_t count) { return so_far + static_cast<double>(count); });
    // The rate of a short point at the edge of a phase is meaningless.
    const bool whole = interval.length_s >= usual_s / 2;
    const auto rate = [&](TimeFigure which, double count) {
      add_rate(which, count, interval.length_s, whole);
    };
    rate(TimeFigure::commits, sum);
    if (new_order_index < point.ok.size()) {
      rate(TimeFigure::new_orders, static_cast<double>(point.ok[new_order_index]));
    }
    rate(TimeFigure::failed, static_cast<double>(point.failed));
    rate(TimeFigure::retries, static_cast<double>(point.retries));
    if (sum > 0) {
      add_value(TimeFigure::p50_ms, point.p50_ms);
      add_value(TimeFigure::p90_ms, point.p90_ms);
      add_value(TimeFigure::p99_ms, point.p99_ms);
    }
    add_value(TimeFigure::in_flight, static_cast<double>(point.in_flight));
    add_value(TimeFigure::waiting, static_cast<double>(point.waiting));
    add_value(TimeFigure::client_load, point.client_load);
  }

  TimelineColumn column(double start_s) const {
    TimelineColumn column{start_s, points_, {}};
    for (std::size_t i = 0; i < time_figure_count; ++i) {
      const Sum& sum = sums_[i];
      if (sum.weight <= 0) continue;
      const double mean = sum.total / sum.weight;
      // A column of short points only has no extremes.
      column.figures[i] = sum.any
                              ? Envelope{std::min(sum.low, mean), mean, std::max(sum.high, mean)}
                              : Envelope{mean, mean, mean};
    }
    return column;
  }

 private:
  struct Sum {
    double total = 0;
    double weight = 0;  // seconds of rates, points of values
    double low = 0;
    double high = 0;
    bool any = false;
  };

  void add_rate(TimeFigure which, double count, double seconds, bool whole) {
    if (seconds <= 0) return;
    Sum& sum = sums_[static_cast<std::size_t>(which)];
    sum.total += count;
    sum.weight += seconds;
    if (whole) extend(sum, count / seconds);
  }

  void add_value(TimeFigure which, double value) {
    Sum& sum = sums_[static_cast<std::size_t>(which)];
    sum.total += value;
    sum.weight += 1;
    extend(sum, value);
  }

  static void extend(Sum& sum, double value) {
    sum.low = sum.any ? std::min(sum.low, value) : value;
    sum.high = sum.any ? std::max(sum.high, value) : value;
    sum.any = true;
  }

  std::size_t points_ = 0;
  std::array<Sum, time_figure_count> sums_;
};

std::size_t index_of(const Result& result, std::string_view name) {
  const auto found = std::ranges::find(result.transactions, name, &TransactionResult::name);
  return static_cast<std::size_t>(found - result.transactions.begin());
}

template <typename Spans>
std::vector<TimeSpan> spans_within(const Spans& spans, const char* name, const Timeline& timeline,
                                   double origin_s) {
  std::vector<TimeSpan> result;
  for (const auto& one : spans) {
    const double start = one.start_s - origin_s;
    const double end = one.end_s ? *one.end_s - origin_s : timeline.end_s;
    if (end < timeline.start_s || start > timeline.end_s || end < start) continue;
    if (result.size() == timeline_spans_max) break;
    result.push_back({std::max(start, timeline.start_s), std::min(end, timeline.end_s),
                      !one.end_s.has_value(), name});
  }
  return result;
}

void add_columns(Timeline& timeline, const std::vector<Interval>& intervals, double origin_s,
                 double interval_s, std::size_t new_order_index) {
  std::map<std::int64_t, ColumnSum> sums;
  std::int64_t index = 0;
  for (const Interval& interval : intervals) {
    const double middle = interval.middle_s() - origin_s;
    // A short point counts in the column before, because its own rate would be wild.
    const bool sliver = interval.length_s < interval_s / 2;
    if (!sliver || sums.empty()) {
      index = static_cast<std::int64_t>(std::floor(middle / timeline.column_s));
    }
    sums[index].add(interval, new_order_index, interval_s);
  }
  for (const auto& [place, sum] : sums) {
    timeline.columns.push_back(sum.column(static_cast<double>(place) * timeline.column_s));
    if (timeline.columns.back().points > 1) timeline.thinned = true;
  }
}

}  // namespace

double measure_start_s(const Result& result) {
  double last = 0;
  for (const TimePoint* point : in_order_of_time(result)) {
    if (point->phase == "measure") {
      // A point may be late if the client is busy; the phases are not.
      constexpr double late_s_most = 2;
      return std::abs(last - result.plan.warmup_s) <= late_s_most ? result.plan.warmup_s : last;
    }
    last = point->t;
  }
  return result.plan.warmup_s;
}

Timeline make_timeline(const Result& result, std::size_t columns_max) {
  const std::vector<const TimePoint*> points = in_order_of_time(result);
  Timeline timeline;
  if (points.empty()) return timeline;
  const double origin_s = measure_start_s(result);
  const double interval_s = median(gaps(points));
  const std::vector<Interval> intervals = make_intervals(points, interval_s);
  timeline.is_of_tpcc = result.is_tpcc();
  timeline.point_s = result.time_series_step_s;
  timeline.start_s = intervals.front().start_s - origin_s;
  timeline.end_s = points.back()->t - origin_s;
  // The origin may cut a column in two.
  const double least = (timeline.end_s - timeline.start_s) / static_cast<double>(columns_max - 2);
  timeline.column_s = round_step_s(std::max(least, interval_s * 0.95));
  add_columns(timeline, intervals, origin_s, interval_s, index_of(result, "NewOrder"));
  const Availability& availability = result.availability;
  timeline.outages = spans_within(availability.outages, "outage", timeline, origin_s);
  std::ranges::move(spans_within(availability.stalls, "stall", timeline, origin_s),
                    std::back_inserter(timeline.outages));
  if (result.checkpoints) {
    timeline.checkpoints = spans_within(*result.checkpoints, "checkpoint", timeline, origin_s);
  }
  return timeline;
}

std::string TimeSpan::title() const {
  return capitalised(name);
}

std::string TimeSpan::length_text() const {
  return text::length_text(end_s - start_s) + (open_end ? ", not ended at the end of the run" : "");
}

double Timeline::highest(TimeFigure which) const {
  double highest = 0;
  for (const TimelineColumn& column : columns) {
    if (const auto& figure = column.figure(which)) highest = std::max(highest, figure->high);
  }
  return highest;
}

bool Timeline::has_errors() const {
  return highest(TimeFigure::failed) > 0 || highest(TimeFigure::retries) > 0;
}

std::optional<double> Timeline::lowest_above_zero(TimeFigure which) const {
  std::optional<double> lowest;
  for (const TimelineColumn& column : columns) {
    const auto& figure = column.figure(which);
    if (!figure || figure->low <= 0) continue;
    lowest = lowest ? std::min(*lowest, figure->low) : figure->low;
  }
  return lowest;
}

Curve time_curve(const Timeline& timeline, TimeFigure figure, std::string name, std::string classes,
                 bool with_envelope) {
  Curve curve{.name = std::move(name),
              .classes = std::move(classes),
              .has_envelope = with_envelope && timeline.thinned};
  constexpr double longest_step_in_columns = 1.5;
  std::optional<double> last_start;
  for (const TimelineColumn& column : timeline.columns) {
    const std::optional<Envelope>& envelope = column.figure(figure);
    if (!envelope) continue;
    const bool follows =
        last_start && column.start_s - *last_start < longest_step_in_columns * timeline.column_s;
    if (!follows) curve.pieces.emplace_back();
    // A column may reach beyond the ends of the run.
    const double start = std::max(column.start_s, timeline.start_s);
    const double end = std::min(column.start_s + timeline.column_s, timeline.end_s);
    curve.pieces.back().push_back(
        {(start + end) / 2, envelope->low, envelope->mean, envelope->high});
    last_start = column.start_s;
  }
  return curve;
}

Axis latency_axis(const std::vector<Timeline>& timelines, const std::vector<TimeFigure>& figures) {
  double highest = 0;
  std::optional<double> lowest;
  for (const Timeline& timeline : timelines) {
    for (const TimeFigure figure : figures) {
      highest = std::max(highest, timeline.highest(figure));
      const std::optional<double> low = timeline.lowest_above_zero(figure);
      if (low) lowest = lowest ? std::min(*lowest, *low) : *low;
    }
  }
  return logarithmic_axis(lowest.value_or(1), highest, Quantity::milliseconds);
}

std::vector<Band> single_bands(const Timeline& timeline) {
  std::vector<Band> bands;
  if (timeline.start_s < 0) {
    bands.push_back({.start = timeline.start_s,
                     .end = std::min(0.0, timeline.end_s),
                     .classes = "warm-up",
                     .description = "Warm-up, not measured"});
  }
  const auto add = [&](const TimeSpan& span, std::size_t lane, bool block_in_lane) {
    bands.push_back(
        {.start = span.start_s,
         .end = span.end_s,
         .classes = span.name,
         .label = fmt::format("{} {}", span.name, text::length_text(span.end_s - span.start_s)),
         .description = fmt::format("{} of {}, from {}", span.title(), span.length_text(),
                                    time_label(span.start_s)),
         .lane = lane,
         .block_in_lane = block_in_lane});
  };
  for (const TimeSpan& span : timeline.checkpoints) {
    add(span, timeline.outages.empty() ? 0 : 1, true);
  }
  for (const TimeSpan& span : timeline.outages) add(span, 0, false);
  return bands;
}

double inverse_of_percent(double percent) {
  const double above = 1 - std::clamp(percent, 0.0, 100.0) / 100;
  return above <= 1 / spectrum_inverse_max ? spectrum_inverse_max : 1 / above;
}

Curve spectrum_curve(const measure::HistogramSnapshot& histogram, std::string name,
                     std::string classes) {
  Curve curve{.name = std::move(name), .classes = std::move(classes)};
  if (histogram.empty()) return curve;
  std::vector<CurvePoint>& points = curve.pieces.emplace_back();
  const auto add = [&](double inverse) {
    const double percent = (1 - 1 / inverse) * 100;
    const double ms = static_cast<double>(histogram.percentile_ns(percent)) * 1e-6;
    points.push_back({inverse, ms, ms, ms});
  };
  constexpr double points_a_decade = 24;
  const double last = std::min(static_cast<double>(histogram.count()), spectrum_inverse_max);
  for (double step = 0;; ++step) {
    const double inverse = std::pow(10.0, step / points_a_decade);
    if (inverse >= last) break;
    add(inverse);
  }
  add(last);
  return curve;
}

}  // namespace drover::report
