// The lines that YCSB prints at its end, which scripts read: "[READ], 95thPercentileLatency(us), 1234". Pure functions.
//
// Latencies are whole microseconds, but for the mean.
#pragma once

#include <string>
#include <vector>

#include "report/document/result.h"

namespace drover::report {

// Which latency stands under the name of an operation: from when the client had a session (YCSB's "op"), or from the
// time at which the schedule meant it to begin; or both, the second under "Intended-READ". In a closed loop they are the
// same.
enum class YcsbInterval : std::uint8_t { op, intended, both };

std::string ycsb_lines(const Result& result, YcsbInterval interval,
                       const std::vector<double>& percentiles);

}  // namespace drover::report
