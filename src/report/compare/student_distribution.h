// Student's t distribution, and the normal one as its limit: what intervals and tests of means
// need.
//
// Pure functions. The tail comes of the incomplete beta function by its continued fraction (Lentz's
// algorithm): relative error below 1e-10.
#pragma once

namespace drover::report {

// P(T > t) with so many degrees of freedom; of a standard normal from 1e6 on. Requires:
// degrees_of_freedom > 0.
double student_tail(double t, double degrees_of_freedom);

double normal_tail(double z);  // P(Z > z)

// The t with P(T > t) = tail. Requires: 0 < tail <= 0.5.
double student_quantile(double tail, double degrees_of_freedom);

}  // namespace drover::report
