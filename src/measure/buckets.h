// The log-linear division of durations into buckets, shared by both histogram classes.
//
// Values are nanoseconds. Below 128 ns every value has a bucket of its own; above, each octave
// [2^e, 2^(e+1)) is divided into 64 buckets of equal width, the idea of HdrHistogram. A bucket of
// width w starts at 64 w or above, and is reported by its middle: the error is at most w/2 over
// 64 w, that is 1/128 or 0.79%. The last octave ends at 2^42 ns, which is 73 minutes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace drover::measure {

inline constexpr unsigned sub_bucket_bits = 6;
inline constexpr std::uint64_t sub_buckets_per_octave = std::uint64_t{1} << sub_bucket_bits;
inline constexpr unsigned range_bits = 42;

// The first value that has no bucket: it is counted as overflow.
inline constexpr std::uint64_t range_end_ns = std::uint64_t{1} << range_bits;

inline constexpr std::size_t bucket_count =
    (range_bits - sub_bucket_bits + 1) * sub_buckets_per_octave;

// Requires: value_ns < range_end_ns.
constexpr std::size_t bucket_index(std::uint64_t value_ns) {
  const unsigned width_bits = static_cast<unsigned>(std::bit_width(value_ns));
  const unsigned shift = width_bits > sub_bucket_bits + 1 ? width_bits - sub_bucket_bits - 1 : 0;
  return shift * sub_buckets_per_octave + (value_ns >> shift);
}

// The smallest value of a bucket. Requires: index < bucket_count.
constexpr std::uint64_t bucket_first_ns(std::size_t index) {
  if (index < 2 * sub_buckets_per_octave) return index;
  const std::size_t shift = index / sub_buckets_per_octave - 1;
  return (index - shift * sub_buckets_per_octave) << shift;
}

// The largest value of a bucket. Requires: index < bucket_count.
constexpr std::uint64_t bucket_last_ns(std::size_t index) {
  return bucket_first_ns(index + 1) - 1;
}

// The value that stands for all of a bucket. Requires: index < bucket_count.
constexpr std::uint64_t bucket_middle_ns(std::size_t index) {
  const std::uint64_t first = bucket_first_ns(index);
  return first + (bucket_last_ns(index) - first) / 2;
}

static_assert(bucket_index(0) == 0);
static_assert(bucket_index(range_end_ns - 1) == bucket_count - 1);
static_assert(bucket_last_ns(bucket_count - 1) == range_end_ns - 1);

}  // namespace drover::measure
