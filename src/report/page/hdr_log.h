// A histogram log as HdrHistogram's tools read it (HistogramLogWriter 1.3, encoding V2 compressed), of one interval: the
// measurement. Pure functions.
//
// Values are whole microseconds with three digits, as YCSB records them. Ours come from buckets less than 1.6% wide,
// each counted at its middle; the least and the greatest are exact.
#pragma once

#include <cstdint>
#include <string>

#include "measure/histogram.h"

namespace drover::report {

// `start` is Unix time in seconds.
std::string hdr_log(const measure::HistogramSnapshot& latency, std::int64_t start, double seconds);

// The line's last column: base64 of the compressed histogram.
std::string hdr_encoded(const measure::HistogramSnapshot& latency);

}  // namespace drover::report
