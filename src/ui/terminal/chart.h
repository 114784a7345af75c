// Charts of a figure over time, made of characters: braille dots (2 x 4 in a cell), or ASCII. The
// functions are pure; a History is for one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "ui/terminal/canvas.h"

namespace drover::ui {

struct ChartPoint {
  std::optional<double> value;
  bool faint = false;  // outside the measured interval
  bool away = false;   // outage or stall: marked on the axis
};

struct Chart {
  std::string title;
  std::vector<ChartPoint> points;  // the oldest first; the last is at the right edge
  std::string span;                // time that all columns cover: "5:00"
  Style style = Style::throughput;
};

// Returns the number of points that fit into an area of `columns`.
std::size_t chart_points(int columns, bool unicode);

// The scale of a chart's time axis. Either a point covers several seconds, or a second has several
// points.
struct ChartSpan {
  std::size_t seconds_each = 1;
  std::size_t points_each = 1;
  std::string text = {};  // time that all points cover
};
// Returns the scale at which a chart of `points` shows a history with a value per second: one
// minute, two or five, by the length of the history.
ChartSpan chart_span(std::size_t points, std::size_t history_s);

// Draws a title, the chart and an axis. Draws nothing if the area is too small.
void draw_chart(Canvas& canvas, Area area, const Chart& chart);

// Returns the smallest of 1, 2, 2.5, 4, 5 and 8 times a power of ten that is at least `value`, or 1
// for a value that is not positive.
double round_scale(double value);

// The last samples of a run or import, one per second. The oldest samples are dropped.
template <class Sample>
class History {
 public:
  static constexpr std::size_t samples_most = 900;
  // One or more consecutive samples.
  using Column = std::ranges::subrange<typename std::deque<Sample>::const_iterator>;

  void add(const Sample& sample) {
    samples_.push_back(sample);
    if (samples_.size() <= samples_most) return;
    samples_.pop_front();
    ++dropped_;
  }

  const std::deque<Sample>& samples() const noexcept { return samples_; }

  // Returns the last `most` points. `make` makes a point of a column of samples. Columns begin at
  // multiples of their length, so that the same samples stay together while the chart moves.
  template <class Make>
  std::vector<ChartPoint> points(std::size_t most, const ChartSpan& span, Make make) const {
    std::vector<ChartPoint> points;
    for (std::size_t begin = 0; begin < samples_.size();) {
      const std::size_t length = span.seconds_each - (dropped_ + begin) % span.seconds_each;
      const std::size_t end = std::min(begin + length, samples_.size());
      points.insert(points.end(), span.points_each, make(Column(at(begin), at(end))));
      begin = end;
    }
    const std::size_t shown = std::min(points.size(), most);
    return {points.end() - static_cast<std::ptrdiff_t>(shown), points.end()};
  }

 private:
  auto at(std::size_t i) const { return samples_.begin() + static_cast<std::ptrdiff_t>(i); }

  std::deque<Sample> samples_;
  std::size_t dropped_ = 0;
};

template <class Sample, class Make>
void draw_history(Canvas& canvas, Area area, const History<Sample>& history, std::string title,
                  Style style, Make make) {
  const std::size_t points = chart_points(area.columns, canvas.unicode());
  const ChartSpan span = chart_span(points, history.samples().size());
  draw_chart(canvas, area,
             {.title = std::move(title),
              .points = history.points(points, span, make),
              .span = span.text,
              .style = style});
}

}  // namespace drover::ui
