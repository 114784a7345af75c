#include "report/page/chart_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

// A second each, 100 commits of which 45 are New-Orders; measured from warmup_s on.
Result steady_result(int seconds, int warmup_s) {
  Result result;
  result.transactions = tpcc_transactions();
  result.plan.warmup_s = warmup_s;
  for (int i = 1; i <= seconds; ++i) {
    TimePoint point;
    point.t = i;
    point.phase = i <= warmup_s ? "warm-up" : "measure";
    point.ok = {45, 43, 4, 4, 4};
    point.p50_ms = 5;
    point.p90_ms = 10;
    point.p99_ms = 20;
    point.in_flight = 8;
    result.time_series.push_back(point);
  }
  return result;
}

const TimelineColumn* column_at(const Timeline& timeline, double start_s) {
  const auto found = std::ranges::find(timeline.columns, start_s, &TimelineColumn::start_s);
  return found == timeline.columns.end() ? nullptr : &*found;
}

TEST(Timeline, SecondsSinceTheStartOfTheMeasurement) {
  const Timeline timeline = make_timeline(steady_result(30, 10), 300);
  EXPECT_DOUBLE_EQ(timeline.start_s, -10);
  EXPECT_DOUBLE_EQ(timeline.end_s, 20);
  EXPECT_DOUBLE_EQ(timeline.column_s, 1);
  EXPECT_FALSE(timeline.thinned);
  ASSERT_EQ(timeline.columns.size(), 30u);
  EXPECT_DOUBLE_EQ(timeline.columns[0].start_s, -10);
  EXPECT_DOUBLE_EQ(timeline.columns[0].figure(TimeFigure::commits)->mean, 100);
  EXPECT_DOUBLE_EQ(timeline.columns[0].figure(TimeFigure::new_orders)->mean, 45);
}

TEST(Timeline, PointsOfALongRunAreLonger) {
  Result result = steady_result(20, 0);
  result.time_series_step_s = 8;
  for (TimePoint& point : result.time_series) {
    point.t *= 8;
    for (std::uint64_t& count : point.ok) count *= 8;
  }
  const Timeline timeline = make_timeline(result, 300);
  EXPECT_EQ(timeline.point_s, 8U);
  EXPECT_DOUBLE_EQ(timeline.end_s, 160);
  ASSERT_FALSE(timeline.columns.empty());
  for (const TimelineColumn& column : timeline.columns) {
    EXPECT_DOUBLE_EQ(column.figure(TimeFigure::commits)->mean, 100);
  }
}

TEST(Timeline, OfNothing) {
  const Timeline timeline = make_timeline(Result{}, 300);
  EXPECT_TRUE(timeline.columns.empty());
  EXPECT_EQ(timeline.highest(TimeFigure::commits), 0);
  EXPECT_FALSE(timeline.lowest_above_zero(TimeFigure::p50_ms));
}

TEST(Timeline, OfOnePoint) {
  const Timeline timeline = make_timeline(steady_result(1, 0), 300);
  ASSERT_EQ(timeline.columns.size(), 1u);
  EXPECT_DOUBLE_EQ(timeline.columns[0].figure(TimeFigure::commits)->mean, 100);
  EXPECT_LT(timeline.start_s, timeline.end_s);
}

TEST(Timeline, ADayIsThinnedAndKeepsItsWorstSecond) {
  Result result = steady_result(86'400, 0);
  result.time_series[43'210].ok = {0, 0, 0, 0, 0};
  result.time_series[43'211].p99_ms = 9'000;
  const Timeline timeline = make_timeline(result, 300);
  EXPECT_LE(timeline.columns.size(), 300u);
  EXPECT_GT(timeline.columns.size(), 200u);
  EXPECT_TRUE(timeline.thinned);
  EXPECT_DOUBLE_EQ(timeline.column_s, 300);
  const TimelineColumn* column = column_at(timeline, 43'200);
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(column->points, 300u);
  EXPECT_DOUBLE_EQ(column->figure(TimeFigure::commits)->low, 0);
  EXPECT_DOUBLE_EQ(column->figure(TimeFigure::commits)->high, 100);
  EXPECT_NEAR(column->figure(TimeFigure::commits)->mean, 100.0 * 299 / 300, 1e-9);
  EXPECT_DOUBLE_EQ(column->figure(TimeFigure::p99_ms)->high, 9'000);
  EXPECT_DOUBLE_EQ(timeline.highest(TimeFigure::p99_ms), 9'000);
}

TEST(Timeline, SecondsWithoutCommitsHaveNoLatency) {
  Result result = steady_result(10, 0);
  result.time_series[4].ok = {0, 0, 0, 0, 0};
  const Timeline timeline = make_timeline(result, 300);
  EXPECT_FALSE(timeline.columns[4].figure(TimeFigure::p90_ms));
  ASSERT_TRUE(timeline.columns[4].figure(TimeFigure::commits));
  EXPECT_DOUBLE_EQ(timeline.columns[4].figure(TimeFigure::commits)->mean, 0);
}

TEST(Timeline, MissingSecondsAreAGapAndNoLowRate) {
  Result result = steady_result(20, 0);
  result.time_series.erase(result.time_series.begin() + 5, result.time_series.begin() + 10);
  const Timeline timeline = make_timeline(result, 300);
  EXPECT_EQ(timeline.columns.size(), 15u);
  EXPECT_EQ(column_at(timeline, 7), nullptr);
  ASSERT_NE(column_at(timeline, 10), nullptr);
  EXPECT_DOUBLE_EQ(column_at(timeline, 10)->figure(TimeFigure::commits)->mean, 100);
}

TEST(Timeline, ASliverIsNoExtreme) {
  Result result = steady_result(10, 0);
  TimePoint sliver = result.time_series.back();
  sliver.t += 0.001;
  sliver.ok = {30, 0, 0, 0, 0};  // 30,000 a second
  result.time_series.push_back(sliver);
  const Timeline timeline = make_timeline(result, 5);
  EXPECT_LE(timeline.highest(TimeFigure::commits), 130.1);
}

TEST(Timeline, PointsInAnyOrderAndFarApart) {
  Result result = steady_result(10, 2);
  std::swap(result.time_series[3], result.time_series[8]);
  result.time_series[0].t = 1e10;
  result.time_series[1].t = 0;
  const Timeline timeline = make_timeline(result, 300);
  EXPECT_LE(timeline.columns.size(), 300u);
  EXPECT_TRUE(std::ranges::is_sorted(timeline.columns, {}, &TimelineColumn::start_s));
  for (const TimelineColumn& column : timeline.columns) {
    for (const auto& figure : column.figures) {
      if (figure) EXPECT_TRUE(std::isfinite(figure->mean));
    }
  }
}

TEST(Timeline, OutagesAndCheckpointsOfTheChartOnly) {
  Result result = steady_result(60, 10);
  result.availability.outages = {{20, 24.5, 3, "gone"},
                                 {55, std::nullopt, 0, ""},
                                 {1e9, std::nullopt, 0, "later than the run"}};
  result.checkpoints = {{0, 12.5, true}};
  const Timeline timeline = make_timeline(result, 300);
  ASSERT_EQ(timeline.outages.size(), 2u);
  EXPECT_DOUBLE_EQ(timeline.outages[0].start_s, 10);
  EXPECT_DOUBLE_EQ(timeline.outages[0].end_s, 14.5);
  EXPECT_TRUE(timeline.outages[1].open_end);
  EXPECT_DOUBLE_EQ(timeline.outages[1].end_s, 50);
  ASSERT_EQ(timeline.checkpoints.size(), 1u);
  EXPECT_DOUBLE_EQ(timeline.checkpoints[0].start_s, -10);
}

TEST(Timeline, ManyOutagesAreLimited) {
  Result result = steady_result(10, 0);
  for (int i = 0; i < 10'000; ++i) result.availability.outages.push_back({5, 5.2, 0, ""});
  EXPECT_EQ(make_timeline(result, 300).outages.size(), timeline_spans_max);
}

std::vector<CurvePoint> spectrum_of(const measure::HistogramSnapshot& histogram) {
  const Curve curve = spectrum_curve(histogram, "", "");
  return curve.pieces.empty() ? std::vector<CurvePoint>() : curve.pieces.front();
}

TEST(Spectrum, OfNothing) {
  EXPECT_TRUE(spectrum_curve({}, "", "").pieces.empty());
}

TEST(Spectrum, OfOneSampleIsAPoint) {
  measure::HistogramSnapshot histogram;
  histogram.record(5'000'000);
  const auto points = spectrum_of(histogram);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].x, 1);
  EXPECT_DOUBLE_EQ(points[0].y, 5);
}

TEST(Spectrum, EndsWhereTheSampleDoes) {
  measure::HistogramSnapshot histogram;
  for (std::uint64_t i = 1; i <= 200; ++i) histogram.record(i * 1'000'000);
  const auto points = spectrum_of(histogram);
  EXPECT_DOUBLE_EQ(points.back().x, 200);
  EXPECT_NEAR(points.back().y, 200, 2);
}

TEST(Spectrum, GoesTo9999AndRises) {
  measure::HistogramSnapshot histogram;
  for (std::uint64_t i = 1; i <= 100'000; ++i) histogram.record(i * 1'000);
  const auto points = spectrum_of(histogram);
  EXPECT_DOUBLE_EQ(points.front().x, 1);
  EXPECT_DOUBLE_EQ(points.back().x, spectrum_inverse_max);
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &CurvePoint::x));
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &CurvePoint::y));
  for (const CurvePoint& point : points) {
    const double percent = (1 - 1 / point.x) * 100;
    EXPECT_NEAR(point.y, std::max(0.001, percent), percent * 0.01 + 0.002);
  }
}

TEST(Spectrum, PositionOfAPercentile) {
  EXPECT_DOUBLE_EQ(inverse_of_percent(0), 1);
  EXPECT_DOUBLE_EQ(inverse_of_percent(50), 2);
  EXPECT_NEAR(inverse_of_percent(99.9), 1'000, 1e-6);
  EXPECT_DOUBLE_EQ(inverse_of_percent(100), spectrum_inverse_max);
}

TEST(ChartCurves, AreInterruptedWhereSomethingIsMissing) {
  Timeline timeline;
  timeline.end_s = 10;
  for (const double start : {0.0, 1.0, 2.0, 5.0, 6.0}) {
    TimelineColumn column{start, 1, {}};
    if (start != 1.0) column.figures[0] = Envelope{1, 2, 3};
    timeline.columns.push_back(column);
  }
  const Curve curve = time_curve(timeline, TimeFigure::commits, "name", "t0", true);
  ASSERT_EQ(curve.pieces.size(), 3u);
  EXPECT_EQ(curve.pieces[0].size(), 1u);
  EXPECT_EQ(curve.pieces[2].size(), 2u);
  EXPECT_DOUBLE_EQ(curve.pieces[2][0].x, 5.5);
  EXPECT_FALSE(curve.has_envelope);  // each column is a point
}

// A second a point and a look, a little behind each full second: 3 sessions work, and as many as
// the second says wait.
Result watched_result(int seconds) {
  Result result;
  result.transactions = tpcc_transactions();
  result.server_stats.emplace();
  result.server_stats->wait_events = {{"IO:WALSync", 5}, {"CPU", 3}};
  for (int i = 1; i <= seconds; ++i) {
    TimePoint point;
    point.t = i;
    point.phase = "measure";
    point.ok = {45, 43, 4, 4, 4};
    result.time_series.push_back(point);
    result.server_stats->samples.push_back(
        {i - 0.98, {{"CPU", 3}, {"IO:WALSync", static_cast<std::uint64_t>(i)}}});
  }
  return result;
}

WaitEventStack stack_of(const Result& result, std::size_t columns = 300) {
  return make_wait_event_stack(result, make_timeline(result, columns));
}

TEST(WaitEventStack, HasAColumnForEachOfTheTimeline) {
  const Result result = watched_result(10);
  const WaitEventStack stack = stack_of(result);
  EXPECT_EQ(stack.events, (std::vector<std::string>{"IO:WALSync", "CPU"}));
  ASSERT_EQ(stack.columns.size(), 10U);
  EXPECT_EQ(stack.columns[0].value(), (std::vector<double>{1, 3}));
  EXPECT_EQ(stack.columns[9].value(), (std::vector<double>{10, 3}));
  EXPECT_DOUBLE_EQ(stack.highest(), 13);
}

TEST(WaitEventStack, CurvesLieOnEachOther) {
  const Result result = watched_result(10);
  const Timeline timeline = make_timeline(result, 300);
  const auto curves = stack_curves(make_wait_event_stack(result, timeline), timeline);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[1].name, "CPU");
  ASSERT_EQ(curves[0].pieces.size(), 1U);
  ASSERT_EQ(curves[1].pieces[0].size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    const CurvePoint& lower = curves[0].pieces[0][i];
    const CurvePoint& upper = curves[1].pieces[0][i];
    EXPECT_EQ(lower.low, 0);
    EXPECT_EQ(lower.high, static_cast<double>(i + 1));
    EXPECT_EQ(upper.low, lower.high);
    EXPECT_EQ(upper.high, upper.low + 3);
    EXPECT_EQ(upper.x, lower.x);
  }
}

TEST(WaitEventStack, ALongRunHasMeans) {
  const WaitEventStack stack = stack_of(watched_result(100), 12);
  ASSERT_EQ(stack.columns.size(), 10U);
  EXPECT_EQ(stack.columns[0].value(), (std::vector<double>{5.5, 3}));
}

TEST(WaitEventStack, ALateLookIsNoHoleAndAnOutageIsOne) {
  Result result = watched_result(20);
  std::vector<ServerSample>& samples = result.server_stats->samples;
  samples[4].t = 3.99;  // in the column before its own
  samples.erase(samples.begin() + 10, samples.begin() + 15);
  const Timeline timeline = make_timeline(result, 300);
  const WaitEventStack stack = make_wait_event_stack(result, timeline);
  EXPECT_EQ(stack.columns[3].value()[0], 4.5);
  EXPECT_EQ(stack.columns[4].value()[0], 4.5);
  EXPECT_FALSE(stack.columns[12].has_value());
  EXPECT_EQ(stack_curves(stack, timeline)[0].pieces.size(), 2U);
}

TEST(WaitEventStack, ManyEventsAreOthers) {
  Result result = watched_result(5);
  result.server_stats->wait_events.clear();
  for (int i = 0; i < 12; ++i) {
    result.server_stats->wait_events.push_back({"event " + std::to_string(i), 12.0 - i});
    result.server_stats->samples[0].sessions["event " + std::to_string(i)] = 2;
  }
  const WaitEventStack stack = stack_of(result);
  ASSERT_EQ(stack.events.size(), 8U);
  EXPECT_EQ(stack.events.back(), "others");
  // Five of these, and what was in no event of the measurement.
  EXPECT_EQ(stack.columns[0].value().back(), 5 * 2 + 3 + 1);
}

TEST(WaitEventStack, IsEmptyWhereNobodyLooked) {
  Result result = watched_result(5);
  result.server_stats->wait_events.clear();
  EXPECT_TRUE(stack_of(result).events.empty());
  result.server_stats.reset();
  EXPECT_TRUE(stack_of(result).events.empty());
}

TEST(WaitEventStack, SamplesMayBeAnywhere) {
  Result result = watched_result(5);
  result.server_stats->samples[0].t = 1e300;
  result.server_stats->samples[1].t = 0;
  EXPECT_EQ(stack_of(result).columns.size(), 5U);
}

}  // namespace
}  // namespace drover::report
