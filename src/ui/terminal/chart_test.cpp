#include "ui/terminal/chart.h"

#include <gtest/gtest.h>

#include <numeric>

namespace drover::ui {
namespace {

ChartPoint value(double number) {
  return {.value = number};
}

TEST(Chart, ScalesAreRound) {
  EXPECT_EQ(round_scale(0), 1);
  EXPECT_EQ(round_scale(-2), 1);
  EXPECT_EQ(round_scale(1), 1);
  EXPECT_EQ(round_scale(1.1), 2);
  EXPECT_EQ(round_scale(21), 25);
  EXPECT_EQ(round_scale(9), 10);
  EXPECT_DOUBLE_EQ(round_scale(0.03), 0.04);
  EXPECT_EQ(round_scale(12345), 20000);
}

TEST(Chart, DrawsDotsFromTheRight) {
  Canvas canvas(5, 24, true);
  draw_chart(canvas, canvas.whole(),
             {.title = "tpmC",
              .points = {value(0), value(25), value(50), value(100)},
              .span = "0:30",
              .style = Style::throughput});
  // Three rows of four dots: 25 of 100 are three of the twelve.
  EXPECT_EQ(canvas.text(),
            "tpmC\n"
            "     100               ⢸\n"
            "                       ⣼\n"
            "       0              ⢰⣿\n"
            "         0:30 ago ── now\n");
  EXPECT_EQ(canvas.at(1, 23).style, Style::throughput);
}

TEST(Chart, DrawsAsciiWhereThereIsNoMore) {
  Canvas canvas(5, 24, false);
  draw_chart(canvas, canvas.whole(),
             {.title = "tpmC",
              .points = {value(1), value(50), value(78), value(100)},
              .span = "1:00",
              .style = Style::throughput});
  EXPECT_EQ(canvas.text(),
            "tpmC\n"
            "     100              .#\n"
            "                     :##\n"
            "       0            .###\n"
            "         1:00 ago -- now\n");
}

TEST(Chart, ShowsWhatIsNotZero) {
  Canvas canvas(4, 20, false);
  draw_chart(canvas, canvas.whole(),
             {.title = "",
              .points = {value(0.001), value(0), value(1000)},
              .span = "",
              .style = Style::latency});
  EXPECT_EQ(canvas.at(2, 17).point, U'.');
  EXPECT_EQ(canvas.at(2, 18).point, U' ');
}

TEST(Chart, MarksPhasesAndOutages) {
  Canvas canvas(4, 40, false);
  ChartPoint warmup = value(5);
  warmup.faint = true;
  ChartPoint away;
  away.away = true;
  std::vector<ChartPoint> points(20, value(5));
  points[0] = warmup;
  points[5] = away;
  draw_chart(canvas, canvas.whole(),
             {.title = "", .points = points, .span = "x", .style = Style::latency});
  EXPECT_EQ(canvas.at(2, 20).style, Style::faint);
  EXPECT_EQ(canvas.at(2, 21).style, Style::latency);
  EXPECT_EQ(canvas.at(3, 25).point, U'!');
  EXPECT_EQ(canvas.at(3, 25).style, Style::warning);
  EXPECT_EQ(canvas.at(2, 25).point, U' ');
}

TEST(Chart, KeepsToItsArea) {
  const Chart chart{.title = "a title that is much too long for it",
                    .points = std::vector<ChartPoint>(500, value(1e12)),
                    .span = "5:00",
                    .style = Style::latency};
  for (const Area area : {Area{1, 2, 6, 25}, Area{0, 0, 3, 80}, Area{0, 0, 10, 10}}) {
    Canvas canvas(12, 40, true);
    draw_chart(canvas, area, chart);
    for (int row = 0; row < canvas.rows(); ++row) {
      for (int column = 0; column < canvas.columns(); ++column) {
        const bool inside = row >= area.row && row < area.row + area.rows &&
                            column >= area.column && column < area.column + area.columns;
        if (!inside) EXPECT_EQ(canvas.at(row, column).point, U' ') << row << " " << column;
      }
    }
  }
}

TEST(Chart, AnythingMayBeAValue) {
  Canvas canvas(6, 30, true);
  draw_chart(canvas, canvas.whole(),
             {.title = "",
              .points = {value(std::numeric_limits<double>::infinity()),
                         value(std::numeric_limits<double>::quiet_NaN()), value(-1)},
              .span = "",
              .style = Style::latency});
}

TEST(Chart, HasTwoPointsACellWhereThereAreDots) {
  EXPECT_EQ(chart_points(29, true), 40u);
  EXPECT_EQ(chart_points(29, false), 20u);
}

History<int> numbers_up_to(int seconds) {
  History<int> history;
  for (int i = 1; i <= seconds; ++i) history.add(i);
  return history;
}

std::vector<double> sums(const History<int>& history, std::size_t most, const ChartSpan& span) {
  std::vector<double> sums;
  for (const ChartPoint& point : history.points(most, span, [](const auto& column) {
         return ChartPoint{.value = std::accumulate(column.begin(), column.end(), 0.0)};
       })) {
    sums.push_back(point.value.value_or(0));
  }
  return sums;
}

TEST(History, IsBounded) {
  const History<int> history = numbers_up_to(2000);
  EXPECT_EQ(history.samples().size(), History<int>::samples_most);
  EXPECT_EQ(history.samples().back(), 2000);
  EXPECT_EQ(sums(history, 5000, {}).size(), History<int>::samples_most);
}

TEST(History, APointIsMadeOfItsSeconds) {
  EXPECT_EQ(sums(numbers_up_to(7), 100, {.seconds_each = 3}), (std::vector<double>{6, 15, 7}));
  EXPECT_EQ(sums(numbers_up_to(7), 2, {.seconds_each = 3}), (std::vector<double>{15, 7}));
  EXPECT_EQ(sums(numbers_up_to(0), 2, {.seconds_each = 3}), std::vector<double>());
}

TEST(History, ASecondMayHaveSeveralPoints) {
  EXPECT_EQ(sums(numbers_up_to(2), 100, {.points_each = 3}),
            (std::vector<double>{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(sums(numbers_up_to(2), 4, {.points_each = 3}), (std::vector<double>{1, 2, 2, 2}));
}

TEST(History, PointsMoveAsAWhole) {
  History<int> history = numbers_up_to(static_cast<int>(History<int>::samples_most));
  const auto before = sums(history, 1000, {.seconds_each = 10});
  history.add(1);
  const auto after = sums(history, 1000, {.seconds_each = 10});
  // The oldest one has lost a second, and the others are what they were.
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_EQ(after[0], before[0] - 1);
  for (std::size_t i = 1; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]) << i;
}

}  // namespace
}  // namespace drover::ui
