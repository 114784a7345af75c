// By how much one sample of runs lies above another: an estimate, its interval and the tests.
//
// Two ways. The rank test of Mann and Whitney asks nothing of the distribution, so that a run that
// the machine spoilt weighs no more than its rank; its estimate is the median of all differences
// (Hodges and Lehmann), its interval follows from the same ranks. It is exact, ties included, where
// the runs of the smaller side times those of both are at most 1,800 (30 and 30, 17 and 88, 2 and
// any number that is compared), and a normal approximation above. But few runs have few orders:
// with n and m runs its one-sided p is never below 1 / C(n + m, n), which is 5% for 3 and 3. Where
// that is too coarse, Student's t test with a common deviation stands in: it believes in normal
// values.
//
// Pure functions; values are on a scale where differences make sense (logarithms, mostly).
#pragma once

#include <cstddef>
#include <span>

namespace drover::report {

struct Shift {
  double estimate = 0;  // of the new less the base
  double low = 0;       // the interval of the confidence asked for; infinite where it has no end
  double high = 0;
  // One-sided: how often chance alone takes the new so far below, or above, the base.
  double p_lower = 1;
  double p_higher = 1;
};

double median_of(std::span<const double> values);  // 0 of none

// The least one-sided p that the rank test can give, without ties: by the same way, exact or
// approximate, as rank_shift() takes for so many.
double rank_test_p_least(std::size_t base_count, std::size_t new_count);

// One-sided probabilities.
struct Tails {
  double lower = 1;
  double higher = 1;
};

// The p of rank_shift() alone, without the n * m differences. Requires: values on both sides.
Tails rank_test(std::span<const double> base, std::span<const double> new_values);

// Requires: values on both sides; 0 < confidence < 1.
Shift rank_shift(std::span<const double> base, std::span<const double> new_values,
                 double confidence);

// Values are known to `resolution` (a standard deviation): so equal ones do not pass for a scatter
// of nothing. Requires: at least 1 value on each side and 3 in all; 0 < confidence < 1.
Shift student_shift(std::span<const double> base, std::span<const double> new_values,
                    double confidence, double resolution);

}  // namespace drover::report
