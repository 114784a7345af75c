// What the weights of a Zipf distribution come to. Pure functions; any thread.
#pragma once

#include <cstdint>

namespace drover::random {

// 1^-skew + 2^-skew + ... + items^-skew, to 13 digits; 0 of no items. The first hundred are added up, the others
// approximated by the formula of Euler and Maclaurin, so that it costs the same for any number of items.
// Throws std::invalid_argument unless skew is in [0, 10].
double zeta(std::uint64_t items, double skew);

// The integral of x^-skew from 1 to x. Requires: x > 0, and |(1 - skew) ln x| <= 700.
double power_integral(double x, double skew);

}  // namespace drover::random
