// By how much the new run of each pair lies above the base run beside it: an estimate, its interval
// and the tests, from the differences of the pairs. What both runs of a pair have in common (a slow
// drift of the machine) is not in them.
//
// Two ways, as in compare_shift.h. The signed-rank test of Wilcoxon asks only that differences
// scatter alike to both sides of the shift; its estimate is the median of the means of any two
// differences, each with itself as well (Walsh averages; Hodges and Lehmann 1963), and its interval
// is cut from the same means. It is exact for any number of pairs: all patterns of signs are
// counted. Equal differences share the mean of their ranks; a difference of 0 takes its rank, but
// has no sign that could change (Pratt 1959), which is what the Walsh averages say of it, too. With
// n pairs its one-sided p is never below 1 / 2^n. Where that is too coarse, Student's t test of the
// differences stands in: it believes in normal values.
//
// Pure functions; differences are of values on a scale where they make sense (logarithms, mostly).
#pragma once

#include <cstddef>
#include <span>

#include "report/compare_shift.h"

namespace drover::report {

// The least one-sided p that the signed-rank test can give, without zeros.
double signed_rank_p_least(std::size_t pairs);

// Takes time by the third power of the pairs: a millisecond for 100. Requires: at least 1
// difference; 0 < confidence < 1.
Shift signed_rank_shift(std::span<const double> differences, double confidence);

// Both values of a difference are known to `resolution` (a standard deviation), as for
// student_shift(). Requires: at least 2 differences; 0 < confidence < 1.
Shift paired_student_shift(std::span<const double> differences, double confidence,
                           double resolution);

}  // namespace drover::report
