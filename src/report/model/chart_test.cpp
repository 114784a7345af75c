#include "report/model/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace drover::report {
namespace {

Chart chart_of(std::vector<std::vector<CurvePoint>> pieces) {
  Chart chart{.id = "c",
              .title = "Title",
              .description = "Text",
              .x = Scale::linear(0, 10),
              .x_ticks = {{0, "0"}, {10, "10"}},
              .x_title = "x"};
  chart.panels.push_back({.title = "Panel",
                          .keys = {{"one", "t0"}},
                          .height = 100,
                          .axis = axis_from_zero(10, Quantity::number),
                          .curves = {{"one", "t0", std::move(pieces), true}},
                          .marks = {}});
  return chart;
}

std::string drawn(const Chart& chart) {
  HtmlWriter html;
  draw_chart(html, chart);
  return html.take();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(SvgChart, NamesItselfForScreenReaders) {
  const std::string svg = drawn(chart_of({}));
  EXPECT_NE(svg.find("role=\"img\" aria-labelledby=\"c-title\" aria-describedby=\"c-text\""),
            std::string::npos);
}

TEST(SvgChart, ALineAndItsEnvelope) {
  const std::string svg = drawn(chart_of({{{0, 0, 5, 10}, {10, 5, 10, 10}}}));
  EXPECT_NE(svg.find("class=\"line\" d=\"M0 50L1000 0\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("class=\"envelope\" d=\"M0 0L1000 0L1000 50L0 100Z\""), std::string::npos)
      << svg;
}

TEST(SvgChart, PiecesAreNotConnectedAndAPointIsADot) {
  const std::string svg = drawn(chart_of({{{0, 5, 5, 5}}, {{5, 5, 5, 5}, {10, 5, 5, 5}}}));
  EXPECT_NE(svg.find("d=\"M0 50h0M500 50L1000 50\""), std::string::npos) << svg;
}

TEST(SvgChart, WithoutPointsThereIsNoPath) {
  EXPECT_EQ(count(drawn(chart_of({})), "<path"), 0u);
}

TEST(SvgChart, WhatIsNoNumberIsDrawnAtTheEdge) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Chart chart = chart_of(
      {{{std::nan(""), -infinity, infinity, std::nan("")}, {1e300, -1e300, 1e300, 1e300}}});
  chart.bands.push_back({-infinity, infinity, "outage", "outage", "text", 0});
  chart.lanes = 1;
  chart.panels[0].marks.push_back({std::nan(""), infinity, "limit"});
  const std::string svg = drawn(chart);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(SvgChart, LabelsThatWouldOverlapAreLeftOut) {
  Chart chart = chart_of({});
  chart.lanes = 1;
  for (int i = 0; i < 50; ++i) {
    const double start = 5 + i * 0.01;
    chart.bands.push_back({start, start + 0.005, "outage", "outage 1.0 s", "text", 0});
  }
  chart.bands.push_back({9.99, 10, "outage", "outage 9.0 s", "text", 0});
  const std::string svg = drawn(chart);
  EXPECT_EQ(count(svg, "<title>text</title>"), 51u);
  EXPECT_EQ(count(svg, ">outage 1.0 s</text>"), 1u);
  EXPECT_EQ(count(svg, ">outage 9.0 s</text>"), 1u);
  EXPECT_NE(svg.find("text-anchor=\"end\">outage 9.0 s"), std::string::npos);
}

TEST(SvgChart, NamesAreText) {
  Chart chart = chart_of({{{0, 1, 1, 1}}});
  chart.panels[0].curves[0].name = "</title><script>";
  chart.panels[0].keys[0].name = "<b>";
  const std::string svg = drawn(chart);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;/title&gt;&lt;script&gt;"), std::string::npos);
}

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks) labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;

TEST(Scale, PositionsAreShares) {
  const Scale linear = Scale::linear(-10, 30);
  EXPECT_DOUBLE_EQ(linear.position(-10), 0);
  EXPECT_DOUBLE_EQ(linear.position(0), 0.25);
  EXPECT_DOUBLE_EQ(linear.position(30), 1);
  const Scale logarithmic = Scale::logarithmic(1, 10'000);
  EXPECT_DOUBLE_EQ(logarithmic.position(100), 0.5);
  EXPECT_DOUBLE_EQ(logarithmic.position(1), 0);
}

TEST(Scale, WhatLiesOutsideIsAtTheEdge) {
  for (const Scale& scale : {Scale::linear(1, 2), Scale::logarithmic(1, 2)}) {
    EXPECT_DOUBLE_EQ(scale.position(-5), 0);
    EXPECT_DOUBLE_EQ(scale.position(1e300), 1);
    EXPECT_DOUBLE_EQ(scale.position(std::nan("")), 0);
    EXPECT_DOUBLE_EQ(scale.position(infinity), 0);
  }
}

TEST(Scale, EndsThatAreNoneAreMovedApart) {
  for (const Scale& scale :
       {Scale::linear(5, 5), Scale::linear(5, 4), Scale::linear(std::nan(""), infinity),
        Scale::linear(1e18, 1e18), Scale::logarithmic(0, 0), Scale::logarithmic(-1, infinity)}) {
    EXPECT_LT(scale.low(), scale.high());
    EXPECT_TRUE(std::isfinite(scale.position(scale.low())));
    EXPECT_DOUBLE_EQ(scale.position(scale.high()), 1);
  }
}

TEST(AxisFromZero, RoundSteps) {
  EXPECT_EQ(labels(axis_from_zero(3'785, Quantity::number).ticks),
            (Labels{"0", "1,000", "2,000", "3,000", "4,000"}));
  EXPECT_EQ(labels(axis_from_zero(16, Quantity::number).ticks),
            (Labels{"0", "5", "10", "15", "20"}));
  EXPECT_EQ(labels(axis_from_zero(0.19, Quantity::share).ticks),
            (Labels{"0%", "5%", "10%", "15%", "20%"}));
}

TEST(AxisFromZero, CountsHaveNoHalves) {
  EXPECT_EQ(labels(axis_from_zero(0, Quantity::number).ticks), (Labels{"0", "1"}));
  EXPECT_EQ(labels(axis_from_zero(0.2, Quantity::number).ticks), (Labels{"0", "1"}));
  EXPECT_EQ(labels(axis_from_zero(2, Quantity::number).ticks), (Labels{"0", "1", "2"}));
}

TEST(AxisFromZero, HasFewTicksAndRoomForAllWhateverTheHighest) {
  for (double highest = 1e-6; highest < 1e18; highest *= 1.37) {
    const Axis axis = axis_from_zero(highest, Quantity::number);
    EXPECT_GE(axis.scale.high(), highest * (1 - 1e-9)) << highest;
    EXPECT_LE(axis.scale.high(), std::max(1.0, highest * 2.01)) << highest;
    EXPECT_GE(axis.ticks.size(), 2u) << highest;
    EXPECT_LE(axis.ticks.size(), 6u) << highest;
    EXPECT_LE(axis_from_zero(highest, Quantity::share, 2).ticks.size(), 3u) << highest;
  }
  EXPECT_EQ(axis_from_zero(infinity, Quantity::number).ticks.size(), 2u);
}

TEST(LogarithmicAxis, OnesTwosAndFives) {
  EXPECT_EQ(labels(logarithmic_axis(12, 430, Quantity::milliseconds).ticks),
            (Labels{"10 ms", "20 ms", "50 ms", "100 ms", "200 ms", "500 ms"}));
  EXPECT_EQ(labels(logarithmic_axis(0.09, 4'700, Quantity::milliseconds).ticks),
            (Labels{"0.1 ms", "1 ms", "10 ms", "100 ms", "1 s", "5 s"}));
}

TEST(LogarithmicAxis, OfOneValueOrNone) {
  EXPECT_EQ(labels(logarithmic_axis(10, 10, Quantity::milliseconds).ticks),
            (Labels{"5 ms", "10 ms", "20 ms"}));
  EXPECT_FALSE(logarithmic_axis(0, 0, Quantity::milliseconds).ticks.empty());
  EXPECT_FALSE(logarithmic_axis(std::nan(""), -1, Quantity::milliseconds).ticks.empty());
}

TEST(LogarithmicAxis, HasFewTicksWhateverTheRange) {
  for (double highest = 1e-3; highest < 1e18; highest *= 7.3) {
    const Axis axis = logarithmic_axis(1e-3, highest, Quantity::milliseconds);
    EXPECT_LE(axis.ticks.size(), 9u) << highest;
    EXPECT_GE(axis.ticks.size(), 2u) << highest;
    EXPECT_GE(axis.scale.high(), highest * (1 - 1e-9)) << highest;
  }
}

TEST(TimeTicks, StepsOfAClock) {
  EXPECT_EQ(labels(time_ticks(-10, 120, 9)),
            (Labels{"0:00", "0:20", "0:40", "1:00", "1:20", "1:40", "2:00"}));
  EXPECT_EQ(labels(time_ticks(-300, 7'200, 9)),
            (Labels{"0:00", "20:00", "40:00", "1:00:00", "1:20:00", "1:40:00", "2:00:00"}));
  EXPECT_EQ(labels(time_ticks(-10, 10, 5)), (Labels{"-0:10", "-0:05", "0:00", "0:05", "0:10"}));
}

TEST(TimeTicks, AreFewWhateverTheRange) {
  for (double range = 0.01; range < 2e10; range *= 1.9) {
    EXPECT_LE(time_ticks(-range / 10, range, 9).size(), 10u) << range;
  }
  EXPECT_TRUE(time_ticks(5, 1, 9).empty());
  EXPECT_TRUE(time_ticks(0, infinity, 9).empty());
}

TEST(Labels, Numbers) {
  EXPECT_EQ(number_label(0), "0");
  EXPECT_EQ(number_label(0.25), "0.25");
  EXPECT_EQ(number_label(1'234.4), "1,234");
  EXPECT_EQ(number_label(99'999.6), "100k");
  EXPECT_EQ(number_label(1'234'567), "1.23M");
  EXPECT_EQ(number_label(-1'500), "-1,500");
  EXPECT_EQ(number_label(infinity), "?");
  EXPECT_LE(number_label(1e18).size(), 7u);
}

TEST(Labels, Times) {
  EXPECT_EQ(milliseconds_label(0), "0 ms");
  EXPECT_EQ(milliseconds_label(0.085), "85 µs");
  EXPECT_EQ(milliseconds_label(1.254), "1.25 ms");
  EXPECT_EQ(milliseconds_label(999.7), "1 s");
  EXPECT_EQ(milliseconds_label(4'666), "4.67 s");
  EXPECT_EQ(milliseconds_label(900'000), "15 min");
  EXPECT_EQ(time_label(59.6), "1:00");
  EXPECT_EQ(time_label(-10), "-0:10");
  EXPECT_EQ(time_label(3'723), "1:02:03");
  EXPECT_EQ(time_label(86'400 * 12), "12 d");
}

TEST(RoundStep, IsNeverBelowWhatIsAskedFor) {
  EXPECT_EQ(round_step_s(0), 0.1);
  EXPECT_EQ(round_step_s(1), 1);
  EXPECT_EQ(round_step_s(1.1), 2);
  EXPECT_EQ(round_step_s(288), 300);
  for (double least = 0.01; least < 1e10; least *= 1.7)
    EXPECT_GE(round_step_s(least), least * 0.99);
}

}  // namespace
}  // namespace drover::report
