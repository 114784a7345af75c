#include "report/page/chart_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "report/page/run_parts.h"
#include "text/plain_text.h"

namespace drover::report {
namespace {

// A point and the time that it covers: from the end of the previous point to its own.
struct Interval {
  const TimePoint* point = nullptr;
  double start_s = 0;
  double length_s = 0;
};

std::vector<const TimePoint*> in_order_of_time(const Result& result) {
  std::vector<const TimePoint*> points;
  points.reserve(result.time_series.size());
  for (const TimePoint& point : result.time_series) points.push_back(&point);
  // Points with equal times keep the order of the document, which is the order of addresses.
  std::ranges::sort(points, {}, [](const TimePoint* point) { return std::pair(point->t, point); });
  return points;
}

// Returns the usual time between two points.
double usual_interval_s(const std::vector<const TimePoint*>& points) {
  std::vector<double> gaps;
  double last = 0;
  for (const TimePoint* point : points) {
    if (point->t > last) gaps.push_back(point->t - last);
    last = point->t;
  }
  if (gaps.empty()) return 1;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::ranges::nth_element(gaps, middle);
  return *middle;
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
      add(which, count, interval.length_s, whole);
    };
    const auto value = [&](TimeFigure which, double one) { add(which, one, 1, true); };
    rate(TimeFigure::commits, sum);
    if (new_order_index < point.ok.size())
      rate(TimeFigure::new_orders, static_cast<double>(point.ok[new_order_index]));
    rate(TimeFigure::failed, static_cast<double>(point.failed));
    rate(TimeFigure::retries, static_cast<double>(point.retries));
    if (sum > 0) {
      value(TimeFigure::p50_ms, point.p50_ms);
      value(TimeFigure::p90_ms, point.p90_ms);
      value(TimeFigure::p99_ms, point.p99_ms);
    }
    value(TimeFigure::in_flight, static_cast<double>(point.in_flight));
    value(TimeFigure::waiting, static_cast<double>(point.waiting));
    value(TimeFigure::client_load, point.client_load);
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
    double weight = 0;  // of a rate: seconds; of another figure: points
    double low = 0;
    double high = 0;
    bool any = false;
  };

  // Adds to the sums, and to the extremes if the value is meaningful.
  void add(TimeFigure which, double total, double weight, bool has_value) {
    if (weight <= 0) return;
    Sum& sum = sums_[static_cast<std::size_t>(which)];
    sum.total += total;
    sum.weight += weight;
    if (!has_value) return;
    const double value = total / weight;
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
    const double middle = interval.start_s + interval.length_s / 2 - origin_s;
    // A short point counts in the column before, because its own rate would be wild.
    const bool sliver = interval.length_s < interval_s / 2;
    if (!sliver || sums.empty())
      index = static_cast<std::int64_t>(std::floor(middle / timeline.column_s));
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
  timeline.kind = result.kind();
  if (points.empty()) return timeline;
  const double origin_s = measure_start_s(result);
  const double interval_s = usual_interval_s(points);
  const std::vector<Interval> intervals = make_intervals(points, interval_s);
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
  if (result.checkpoints)
    timeline.checkpoints = spans_within(*result.checkpoints, "checkpoint", timeline, origin_s);
  return timeline;
}

std::string TimeSpan::title() const {
  return capitalised(name);
}

std::string TimeSpan::length_text() const {
  return text::length_text(end_s - start_s) + (open_end ? ", not ended at the end of the run" : "");
}

double Timeline::middle_of(const TimelineColumn& column) const {
  return (std::max(column.start_s, start_s) + std::min(column.start_s + column_s, end_s)) / 2;
}

double Timeline::highest(TimeFigure which) const {
  double highest = 0;
  for (const TimelineColumn& column : columns)
    if (const auto& figure = column.figure(which)) highest = std::max(highest, figure->high);
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
    curve.pieces.back().push_back(
        {timeline.middle_of(column), envelope->low, envelope->mean, envelope->high});
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
  for (const TimeSpan& span : timeline.checkpoints)
    add(span, timeline.outages.empty() ? 0 : 1, true);
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

namespace {

constexpr std::size_t events_most = result_colours - 1;  // without "others"
constexpr std::size_t event_characters_max = 60;

std::string colour_of(std::size_t event) {
  return fmt::format("r{}", std::min(event, events_most));
}

double sum_of(const std::vector<double>& sessions) {
  return std::accumulate(sessions.begin(), sessions.end(), 0.0);
}

std::int64_t column_at(double seconds, const Timeline& timeline) {
  constexpr double last = 1e15;
  return static_cast<std::int64_t>(
      std::clamp(std::floor(seconds / timeline.column_s), -last, last));
}

std::string read_out_line(const WaitEventStack& stack, std::size_t column) {
  constexpr std::size_t events_shown_most = 3;
  const auto& sessions = stack.columns[column];
  if (!sessions) return "sessions –";
  std::string line = fmt::format("sessions {:.1f}", sum_of(*sessions));
  for (std::size_t i = 0; i < std::min(stack.events.size(), events_shown_most); ++i) {
    line += fmt::format(" · {} {:.1f}", shortened(stack.events[i], event_characters_max),
                        (*sessions)[i]);
  }
  return line;
}

}  // namespace

double WaitEventStack::highest() const {
  double highest = 0;
  for (const auto& sessions : columns)
    if (sessions) highest = std::max(highest, sum_of(*sessions));
  return highest;
}

WaitEventStack make_wait_event_stack(const Result& result, const Timeline& timeline) {
  WaitEventStack stack;
  if (!result.server_stats || result.server_stats->wait_events.empty()) return stack;
  std::map<std::string, std::size_t> index;
  for (const WaitEvent& one : result.server_stats->longest(events_most)) {
    if (stack.events.size() < events_most) index.emplace(one.name, stack.events.size());
    stack.events.push_back(one.name);
  }
  struct Samples {
    std::vector<double> sessions;
    double count = 0;
  };
  std::map<std::int64_t, Samples> samples;  // by column
  const double origin_s = measure_start_s(result);
  for (const ServerSample& sample : result.server_stats->samples) {
    Samples& sums = samples[column_at(sample.t - origin_s, timeline)];
    sums.sessions.resize(stack.events.size());
    ++sums.count;
    for (const auto& [event, sessions] : sample.sessions) {
      const auto known = index.find(event);
      // An event without a sample in the measured interval counts as "others", if these are shown.
      const std::size_t place = known != index.end() ? known->second : index.size();
      if (place < sums.sessions.size()) sums.sessions[place] += static_cast<double>(sessions);
    }
  }
  // A late sample falls into the next column, which then has two samples.
  constexpr double late_s_most = 1.5;
  const auto back_most = static_cast<std::int64_t>(std::floor(late_s_most / timeline.column_s));
  for (const TimelineColumn& column : timeline.columns) {
    // The middle of the column: its start may be slightly below the multiple.
    const std::int64_t at = column_at(column.start_s + timeline.column_s / 2, timeline);
    auto& mean = stack.columns.emplace_back();
    const auto after = samples.upper_bound(at);
    if (after == samples.begin()) continue;
    const auto& [place, sums] = *std::prev(after);
    if (at - place > back_most) continue;
    mean = sums.sessions;
    for (double& sessions : *mean) sessions /= sums.count;
  }
  return stack;
}

std::vector<Curve> stack_curves(const WaitEventStack& stack, const Timeline& timeline) {
  std::vector<Curve> curves;
  for (std::size_t event = 0; event < stack.events.size(); ++event) {
    Curve& curve = curves.emplace_back();
    curve.name = shortened(stack.events[event], event_characters_max);
    curve.classes = "stack " + colour_of(event);
    curve.has_envelope = true;
    bool follows = false;
    for (std::size_t i = 0; i < timeline.columns.size(); ++i) {
      const auto& sessions = stack.columns[i];
      if (!std::exchange(follows, sessions.has_value()) && sessions) curve.pieces.emplace_back();
      if (!sessions) continue;
      const double below = std::accumulate(
          sessions->begin(), sessions->begin() + static_cast<std::ptrdiff_t>(event), 0.0);
      const double top = below + (*sessions)[event];
      curve.pieces.back().push_back({timeline.middle_of(timeline.columns[i]), below, top, top});
    }
  }
  return curves;
}

void add_stack_panel(const WaitEventStack& stack, const Timeline& timeline, Chart& chart) {
  Panel panel{.title = "Sessions in the server, by wait event",
              .height = 150,
              .axis = axis_from_zero(stack.highest(), Quantity::number),
              .curves = stack_curves(stack, timeline)};
  chart.panels.insert(chart.panels.begin() + 1, std::move(panel));
  for (std::size_t i = 0; i < chart.read_outs.size(); ++i) {
    std::vector<std::string>& lines = chart.read_outs[i].lines;
    lines.insert(lines.begin() + 1, read_out_line(stack, i));
  }
  chart.description +=
      " The sessions of the run in the server are stacked by wait event. CPU: the session runs and "
      "waits for nothing.";
}

Legend stack_legend(const WaitEventStack& stack) {
  Legend legend;
  for (std::size_t i = 0; i < stack.events.size(); ++i)
    legend.push_back({shortened(stack.events[i], event_characters_max), colour_of(i)});
  return legend;
}

Table stack_table(const WaitEventStack& stack, const Timeline& timeline) {
  Table table{.caption = only_page(fmt::format(
                  "Sessions by wait event, means of each {}, from the start of the measured "
                  "interval",
                  text::length_text(timeline.column_s))),
              .columns = page_columns("From", {"All"})};
  for (const std::string& event : stack.events) table.columns.push_back({only_page(event)});
  for (std::size_t i = 0; i < timeline.columns.size(); ++i) {
    const auto& sessions = stack.columns[i];
    std::vector<Cell> cells = {time_label(timeline.columns[i].start_s),
                               sessions ? number_label(sum_of(*sessions)) : "–"};
    for (std::size_t event = 0; event < stack.events.size(); ++event)
      cells.emplace_back(sessions ? number_label((*sessions)[event]) : "–");
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace drover::report
