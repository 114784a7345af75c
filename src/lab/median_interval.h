// The median of a few measurements, and an interval that holds the median of what they were drawn
// from: two of their order statistics, and how surely they do, exactly, whatever the distribution.
//
// Source: any book on order statistics, e.g. H. David and H. Nagaraja, "Order Statistics" (2003),
// 7.1. Believes that the measurements are independent draws of one distribution, and nothing else
// of it. Pure; any thread.
#pragma once

#include <span>
#include <string>

namespace drover::lab {

struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  double confidence = 0;  // 0 to 1; of a single measurement 0
};

// The narrowest interval that is at least as sure as `confidence`, or the whole sample where that
// is less sure. Requires: a sample that is not empty, of finite values.
MedianInterval median_interval(std::span<const double> sample, double confidence = 0.9);

// "1.04 (0.98 to 1.10, 94% sure)"; of a single measurement "1.04 (one round)".
std::string interval_text(const MedianInterval& interval);

}  // namespace drover::lab
