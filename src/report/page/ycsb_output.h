// Figures of a run in the formats of YCSB, for scripts and tools that read them. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/histogram.h"
#include "report/document/result.h"

namespace drover::report {

// The latency under the name of an operation: from the time at which the client had a connection
// (YCSB's "op"), or from the intended start; or both, the second one as "Intended-READ". In a
// closed loop they are equal.
enum class YcsbInterval : std::uint8_t { op, intended, both };

// Returns the lines that YCSB prints at its end: "[READ], 95thPercentileLatency(us), 1234".
// Latencies are whole microseconds, except the mean.
std::string ycsb_lines(const Result& result, YcsbInterval interval,
                       const std::vector<double>& percentiles);

// Returns a histogram log for HdrHistogram's tools (HistogramLogWriter 1.3, encoding V2 compressed)
// with one interval: the measured one. `start` is Unix time in seconds.
//
// Values are whole microseconds with three digits, as YCSB records them. Drover's come from buckets
// less than 1.6% wide, each counted at its middle; the smallest and the largest value are exact.
std::string hdr_log(const measure::HistogramSnapshot& latency, std::int64_t start, double seconds);

// Returns the last column of the line: the compressed histogram in base64.
std::string hdr_encoded(const measure::HistogramSnapshot& latency);

}  // namespace drover::report
