// History: the last minutes of some work, a sample a second, and the charts of it. For one thread.
//
// Bounded: the oldest samples are dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "ui/terminal/chart.h"

namespace drover::ui {

template <class Sample>
class History {
 public:
  static constexpr std::size_t samples_most = 900;
  // Some samples that follow each other, at least one.
  using Column = std::ranges::subrange<typename std::deque<Sample>::const_iterator>;

  void add(const Sample& sample) {
    samples_.push_back(sample);
    if (samples_.size() <= samples_most) return;
    samples_.pop_front();
    ++dropped_;
  }

  const std::deque<Sample>& samples() const noexcept { return samples_; }

  // The last points, at most so many, which `make` makes of a column of samples each. A column
  // begins at a multiple of its seconds: what is in it stays together as it moves to the left.
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
