// Medians: figures that single outliers do not carry away. Pure functions; any thread.
#pragma once

#include <span>

namespace drover::measure {

double median_of(std::span<const double> values);  // 0 of none

// The slope of Theil and Sen: the median of the slopes of all pairs of values, a step apart each.
double median_slope(std::span<const double> values);

}  // namespace drover::measure
