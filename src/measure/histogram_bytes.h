// The compact encoding of a histogram: for messages between hosts, and for histograms that are kept
// in large numbers. The latencies of a second take about 350 bytes, less than a tenth of
// a SparseHistogram.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measure/histogram.h"

namespace drover::measure {

// Returns the histogram as bytes. Requires: buckets with counts above 0, in rising order of index.
std::vector<std::uint8_t> histogram_bytes(const SparseHistogram& histogram);

// Returns the histogram that the bytes encode, or nothing if they encode none.
std::optional<SparseHistogram> histogram_of(std::span<const std::uint8_t> bytes);

}  // namespace drover::measure
