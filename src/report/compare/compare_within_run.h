// The sampling error of a single run's metrics: how far they would scatter if the same run were
// repeated with other random numbers. Differences between runs (another start, another layout of
// the data, another state of the machine) are not visible in one run, and are mostly larger.
//
// Rates have the error of the means of batches of seconds, because neighbouring seconds are
// correlated. Percentiles and means have the error of the histogram as well. docs/compare.md has
// the method.
//
// Errors are those of the logarithm. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::report {

struct OwnError {
  // Standard errors of the logarithm, towards smaller and larger values: high percentiles are more
  // certain downwards than upwards.
  double below = 0;
  double above = 0;
  double degrees_of_freedom = 1e9;
};

struct WithinRun {
  std::optional<OwnError> error;
  std::string_view reason;  // why there is no error; a literal
};

// Requires: metric.value(result) is known and above 0.
WithinRun error_within_run(const Metric& metric, const Result& result);

}  // namespace drover::report
