// SampleSeries: the samples of a run in bounded memory. Each sample is a point of its own while
// there are at most `points_most` of them. A longer run doubles the length of its points whenever
// they become too many: points then cover 2, 4, 8, … seconds, counted from the beginning of their
// phase. Counts stay exact, and percentiles are those of the merged histograms. A point takes about
// 700 bytes, half of them for its histogram.
//
// For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coro/clock.h"
#include "load/snapshot.h"

namespace drover::load {

class SampleSeries {
 public:
  // Four hours of one sample per second. A result with this many points is far below the size limit
  // of its readers.
  static constexpr std::size_t points_most = 14'400;

  explicit SampleSeries(coro::Duration warmup, std::size_t most = points_most) noexcept
      : warmup_(warmup), most_(most) {}

  // Adds a sample. Requires: the sample has its histogram, and ends after the previous one.
  void add(Sample sample);
  // Adds counts and latencies to the last point, if there is one, without changing its time.
  void add_to_last(const Sample& rest);

  std::size_t size() const noexcept { return points_.size(); }
  // Returns the seconds that a point covers: 1, or a power of two in a long run. The last point of
  // a phase may be shorter.
  std::uint64_t seconds_per_point() const noexcept { return step_; }

  // Returns the memory that the points take, in bytes.
  std::size_t bytes() const noexcept;

  // Returns the points with their percentiles, and leaves the series empty. Histograms, which take
  // most of the memory of the points, are left out unless `with_latency`.
  std::vector<Sample> take(bool with_latency = true);

 private:
  struct Point {
    Sample sample;                      // without `latency`
    std::vector<std::uint8_t> latency;  // its histogram_bytes
  };

  std::uint64_t group_of(const Sample& sample) const noexcept;
  bool belong_together(const Sample& one, const Sample& next) const noexcept;
  void double_step();

  coro::Duration warmup_;
  std::size_t most_;
  std::uint64_t step_ = 1;
  std::vector<Point> points_;
};

}  // namespace drover::load
