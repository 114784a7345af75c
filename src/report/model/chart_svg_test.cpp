#include "report/model/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

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

}  // namespace
}  // namespace drover::report
