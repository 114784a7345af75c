// Logarithm and exponential with the same bits on every machine. Those of the C library differ
// between its versions, and between processors with and without a fused multiply-add, so a draw
// might give another key on another host. These functions are sums, products and quotients of
// doubles in a fixed order, which IEEE 754 defines to the last bit.
//
// For files of this library only, which is compiled without contraction into fused operations
// (CMakeLists.txt). Errors are below 2 units in the last place. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace drover::random {

// ln 2 in two parts. The first has 33 bits, so that its product with an exponent is exact.
inline constexpr double ln2_high = 0x1.62e42feep-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;

// Returns the natural logarithm. Requires: x is positive, normal and finite.
inline double portable_log(double x) {
  constexpr std::uint64_t mantissa_mask = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t sqrt_half_bits = 0x3fe6a09e667f3bcdULL;
  // x = m * 2^exponent with m in [sqrt(1/2), sqrt(2)), so that 1 and its neighbours keep exponent
  // 0.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) - sqrt_half_bits;
  const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits) >> 52);
  const double m = std::bit_cast<double>((bits & mantissa_mask) + sqrt_half_bits);
  // ln m = 2 artanh(s) by its series, where s is at most 0.1716.
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double low = (1.0 / 3 + z * (1.0 / 5)) + z2 * (1.0 / 7 + z * (1.0 / 9));
  const double middle = (1.0 / 11 + z * (1.0 / 13)) + z2 * (1.0 / 15 + z * (1.0 / 17));
  const double high = 1.0 / 19 + z * (1.0 / 21);
  const double series = low + z4 * (middle + z4 * high);
  const double twice = s + s;
  return exponent * ln2_high + (twice + (twice * z * series + exponent * ln2_low));
}

// Returns e^x. Requires: x <= 700. Values below -700 count as -700.
inline double portable_exp(double x) {
  x = std::max(x, -700.0);
  constexpr double to_integer = 0x1.8p52;  // adding and subtracting it rounds to an integer
  constexpr double log2_e = 0x1.71547652b82fep+0;
  const double shifted = x * log2_e + to_integer;
  const double exponent = shifted - to_integer;
  const double r = (x - exponent * ln2_high) - exponent * ln2_low;  // |r| <= 0.3466
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double from_2 = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
  const double from_6 = (1.0 / 720 + r * (1.0 / 5'040)) + r2 * (1.0 / 40'320 + r * (1.0 / 362'880));
  const double from_10 = (1.0 / 3'628'800 + r * (1.0 / 39'916'800)) +
                         r2 * (1.0 / 479'001'600 + r * (1.0 / 6'227'020'800.0));
  const double e_to_r = 1 + (r + r2 * (from_2 + r4 * (from_6 + r4 * from_10)));
  const auto biased = static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent) + 1023);
  return e_to_r * std::bit_cast<double>(biased << 52);
}

// Returns ln(1 + t), exact also for small t. Requires: t > -1.
inline double portable_log1p(double t) {
  const double one_more = 1 + t;
  const double lost = t - (one_more - 1);
  return portable_log(one_more) + lost / one_more;
}

// Returns e^t - 1, exact also for small t (W. Kahan's method). Requires: |t| <= 700.
inline double portable_expm1(double t) {
  const double power = portable_exp(t);
  if (power == 1) return t;
  const double less_one = power - 1;
  if (less_one == -1) return -1;
  return less_one * t / portable_log(power);
}

}  // namespace drover::random
