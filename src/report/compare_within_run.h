// What a single run says about the certainty of its own figures: how far they would scatter if the
// same run had gone on with other chances. How far *other* runs would lie from it (another start,
// another layout of the data, another mood of the machine) cannot be seen in one run, and is mostly
// more.
//
// Seconds resemble their neighbours, so they are no independent samples:
//   rates         the seconds of the measurement, put together to 20 to 39 batches of equal length
//                 (batch means); where batches still resemble their neighbours, the error grows by
//                 the correlation
//   percentiles   two errors together: that of the order statistics of the histogram, binomial,
//                 and that of the batch means of the p50, p90 or p99 of the seconds, which holds
//                 what the transactions of a second have in common. For all transactions together
//                 the second contains the first: where seconds have nothing in common, such
//                 intervals are too wide, up to twice
//   means         the same of the deviation of the histogram, and of the p50 of the seconds
//
// Errors are of the logarithm of the figure. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "report/metric.h"
#include "report/result.h"

namespace drover::report {

struct OwnError {
  // Standard errors of the logarithm, towards smaller and larger values: high percentiles are
  // surer below than above.
  double below = 0;
  double above = 0;
  double degrees_of_freedom = 1e9;
};

struct WithinRun {
  std::optional<OwnError> error;
  std::string_view reason;  // why there is none; a literal
};

// Requires: metric.value(result) is there and above 0.
WithinRun error_within_run(const Metric& metric, const Result& result);

}  // namespace drover::report
