// What a single run says about the certainty of its own figures: how far they would scatter if the
// same run had gone on with other chances. How far *other* runs would lie from it (another start,
// another layout of the data, another mood of the machine) cannot be seen in one run, and is mostly
// more.
//
// Rates have the error of the means of batches of seconds, since seconds resemble their neighbours.
// Percentiles and means have that of the histogram as well. docs/compare.md has the whole method.
//
// Errors are of the logarithm of the figure. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "report/compare/metric.h"
#include "report/document/result.h"

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
