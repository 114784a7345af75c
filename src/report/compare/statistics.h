// The statistics of comparisons: the shift between two samples of runs, and the sampling error of a
// single run.
//
// A shift has an estimate, its interval and the tests. For pairs, the
// shift of the new run against the base run next to it, from the differences of the pairs: a slow
// drift of the machine, which both runs of a pair share, cancels out.
//
// Each has two methods. The rank test of Mann and Whitney assumes no distribution, so a disturbed
// run counts only by its rank. Its estimate is the median of all differences (Hodges and Lehmann);
// its interval follows from the same ranks. It is exact, ties included, for as many runs as
// docs/compare.md says, and a normal approximation above. The signed-rank test of Wilcoxon assumes
// only that the differences of pairs scatter symmetrically around the shift. Its estimate is the
// median of the means of any two differences, each with itself as well (Walsh averages), from which
// its interval is taken. All patterns of signs are counted. A difference of 0 takes its rank but
// has no sign that could change (Pratt 1959), which agrees with the Walsh averages.
//
// Few runs have few orders, and few pairs few patterns of signs. Where these tests are too coarse,
// Student's t test replaces them: with a common deviation of both sides, or of the differences. It
// assumes normal values.
//
// Pure functions. Values are on a scale on which differences are meaningful (mostly logarithms).
// All functions require values on both sides, or a difference, and 0 < confidence < 1.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "report/compare/metric.h"
#include "report/document/result.h"

namespace drover::report {

// One-sided probabilities that chance alone moves the new side as far below, or above, the base.
struct Tails {
  double p_lower = 1;
  double p_higher = 1;
};

struct Shift : Tails {
  double estimate = 0;  // new minus base
  double low = 0;       // the confidence interval, whose ends may be infinite
  double high = 0;
};

// Returns the least one-sided p of the rank test without ties, computed exactly or approximately as
// in rank_shift() for these numbers of runs.
double rank_test_p_least(std::size_t base_count, std::size_t new_count);

// Returns the p of rank_shift() without computing the n * m differences.
Tails rank_test(std::span<const double> base, std::span<const double> new_values);

Shift rank_shift(std::span<const double> base, std::span<const double> new_values,
                 double confidence);

// The values are known to `resolution` (a standard deviation), so equal values do not mean that
// there is no scatter. Requires: at least 3 values in all.
Shift student_shift(std::span<const double> base, std::span<const double> new_values,
                    double confidence, double resolution);

// Returns the least one-sided p of the signed-rank test without zeros.
double signed_rank_p_least(std::size_t pairs);

// Its time grows with the third power of the pairs: a millisecond for 100.
Shift signed_rank_shift(std::span<const double> differences, double confidence);

// Both values of a difference are known to `resolution`. Requires: at least 2 differences.
Shift paired_student_shift(std::span<const double> differences, double confidence,
                           double resolution);

// Returns P(T > t) of Student's t distribution, from the incomplete beta function by its continued
// fraction (Lentz's algorithm), with a relative error below 1e-10. From 1e6 degrees of freedom on
// it is the normal distribution. Requires: degrees_of_freedom > 0.
double student_tail(double t, double degrees_of_freedom);

double normal_tail(double z);  // P(Z > z)

// Returns the t with P(T > t) = tail. Requires: 0 < tail <= 0.5.
double student_quantile(double tail, double degrees_of_freedom);

// The sampling error of a figure of a single run: how far it would scatter if the same run were
// repeated with other random numbers. Differences between runs (another start, another layout of
// the data, another state of the machine) are not visible in one run, and are mostly larger.
//
// Rates have the error of the means of batches of seconds, because neighbouring seconds are
// correlated. Percentiles and means have the error of the histogram as well. docs/compare.md has
// the method.
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
