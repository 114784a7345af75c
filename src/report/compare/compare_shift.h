// By how much one sample of runs lies above another: an estimate, its interval and the tests. And by
// how much the new run of each pair lies above the base run beside it, from the differences of the
// pairs: what both runs of a pair have in common (a slow drift of the machine) is not in them.
//
// Two ways each. The rank test of Mann and Whitney asks nothing of the distribution, so that a run that
// the machine spoilt weighs no more than its rank; its estimate is the median of all differences
// (Hodges and Lehmann), its interval follows from the same ranks. It is exact, ties included, for as many
// runs as docs/compare.md says, and a normal approximation above. The signed-rank test of Wilcoxon asks
// only that differences of pairs scatter alike to both sides of the shift; its estimate is the median of
// the means of any two differences, each with itself as well (Walsh averages), from which its interval is
// cut. All patterns of signs are counted; a difference of 0 takes its rank, but has no sign that could
// change (Pratt 1959), which is what the Walsh averages say of it, too.
//
// Few runs have few orders, and few pairs few patterns of signs: where that is too coarse, Student's t
// test stands in, of both sides with a common deviation, or of the differences. It believes in normal
// values.
//
// Pure functions; values are on a scale where differences make sense (logarithms, mostly). All require
// values on both sides, or a difference, and 0 < confidence < 1.
#pragma once

#include <cstddef>
#include <span>

namespace drover::report {

// One-sided: how often chance alone takes the new so far below, or above, the base.
struct Tails {
  double p_lower = 1;
  double p_higher = 1;
};

struct Shift : Tails {
  double estimate = 0;  // of the new less the base
  double low = 0;       // the interval of the confidence asked for; infinite where it has no end
  double high = 0;
};

// The least one-sided p that the rank test can give, without ties: by the same way, exact or
// approximate, as rank_shift() takes for so many.
double rank_test_p_least(std::size_t base_count, std::size_t new_count);

// The p of rank_shift() alone, without the n * m differences.
Tails rank_test(std::span<const double> base, std::span<const double> new_values);

Shift rank_shift(std::span<const double> base, std::span<const double> new_values,
                 double confidence);

// Values are known to `resolution` (a standard deviation): so equal ones do not pass for a scatter
// of nothing. Requires: at least 3 values in all.
Shift student_shift(std::span<const double> base, std::span<const double> new_values,
                    double confidence, double resolution);

// The least one-sided p that the signed-rank test can give, without zeros.
double signed_rank_p_least(std::size_t pairs);

// Takes time by the third power of the pairs: a millisecond for 100.
Shift signed_rank_shift(std::span<const double> differences, double confidence);

// Both values of a difference are known to `resolution`. Requires: at least 2 differences.
Shift paired_student_shift(std::span<const double> differences, double confidence,
                           double resolution);

// Student's t distribution, and the normal one as its limit. The tail comes of the incomplete beta function by its
// continued fraction (Lentz's algorithm): relative error below 1e-10.

// P(T > t) with so many degrees of freedom; of a standard normal from 1e6 on. Requires:
// degrees_of_freedom > 0.
double student_tail(double t, double degrees_of_freedom);

double normal_tail(double z);  // P(Z > z)

// The t with P(T > t) = tail. Requires: 0 < tail <= 0.5.
double student_quantile(double tail, double degrees_of_freedom);

}  // namespace drover::report
