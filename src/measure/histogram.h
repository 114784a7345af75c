// Latency histograms: Histogram, which one thread writes while others read it, and
// HistogramSnapshot, its plain values.
//
// Values are nanoseconds. Percentiles are within 1%; sum, minimum and maximum are exact. A value
// from range_end_ns (73 minutes) on is counted as overflow: it has no bucket, but counts in all
// other figures, and a percentile among such values is the maximum.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace drover::measure {

// Below 128 ns every value has its own bucket. Above, each octave [2^e, 2^(e+1)) is divided into 64
// buckets of equal width, as in HdrHistogram. A bucket of width w starts at 64 w or above and is
// reported by its middle, so the error is at most w/2 over 64 w, or 0.79%. The last octave ends at
// 2^42 ns, or 73 minutes.
inline constexpr unsigned sub_bucket_bits = 6;
inline constexpr std::uint64_t sub_buckets_per_octave = std::uint64_t{1} << sub_bucket_bits;
inline constexpr unsigned range_bits = 42;

// First value that has no bucket.
inline constexpr std::uint64_t range_end_ns = std::uint64_t{1} << range_bits;

inline constexpr std::size_t bucket_count =
    (range_bits - sub_bucket_bits + 1) * sub_buckets_per_octave;

// Requires: value_ns < range_end_ns.
constexpr std::size_t bucket_index(std::uint64_t value_ns) {
  const unsigned width_bits = static_cast<unsigned>(std::bit_width(value_ns));
  const unsigned shift = width_bits > sub_bucket_bits + 1 ? width_bits - sub_bucket_bits - 1 : 0;
  return shift * sub_buckets_per_octave + (value_ns >> shift);
}

// Returns the smallest value of a bucket. Requires: index < bucket_count.
constexpr std::uint64_t bucket_first_ns(std::size_t index) {
  if (index < 2 * sub_buckets_per_octave) return index;
  const std::size_t shift = index / sub_buckets_per_octave - 1;
  return (index - shift * sub_buckets_per_octave) << shift;
}

constexpr std::uint64_t bucket_last_ns(std::size_t index) {
  return bucket_first_ns(index + 1) - 1;
}

// Returns the value that a bucket reports.
constexpr std::uint64_t bucket_middle_ns(std::size_t index) {
  const std::uint64_t first = bucket_first_ns(index);
  return first + (bucket_last_ns(index) - first) / 2;
}

static_assert(bucket_index(0) == 0);
static_assert(bucket_index(range_end_ns - 1) == bucket_count - 1);
static_assert(bucket_last_ns(bucket_count - 1) == range_end_ns - 1);

// Histogram for files and messages: only the buckets that hold samples, in rising order of index.
struct SparseHistogram {
  std::vector<std::pair<std::size_t, std::uint64_t>> buckets;  // (bucket index, count)
  std::uint64_t overflow = 0;
  std::uint64_t sum_ns = 0;
  std::uint64_t min_ns = 0;  // 0 if there are no samples
  std::uint64_t max_ns = 0;

  bool empty() const { return buckets.empty() && overflow == 0; }

  void merge(const SparseHistogram& other);
};

// Returns a compact encoding of the histogram. The latencies of a second take about 350 bytes, less
// than a tenth of a SparseHistogram. Requires: buckets with counts above 0, in rising order of
// index.
std::vector<std::uint8_t> histogram_bytes(const SparseHistogram& histogram);

// Returns the histogram that the bytes encode, or nothing if they encode none.
std::optional<SparseHistogram> histogram_of(std::span<const std::uint8_t> bytes);

// Not synchronised.
class HistogramSnapshot {
 public:
  void record(std::uint64_t value_ns);

  void merge(const HistogramSnapshot& other);

  // Subtracts the samples of `earlier`, a snapshot of the same histogram. The remaining minimum and
  // maximum are exact if they are new (a new maximum must have happened since), otherwise they are
  // the bounds of their buckets. Sums and counts that were read while the writer wrote may differ
  // by a sample: they stop at zero.
  void subtract(const HistogramSnapshot& earlier);

  std::uint64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::uint64_t overflow_count() const { return overflow_; }

  // Return 0 without samples. The sum stops at 2^64 - 1, or 584 years.
  std::uint64_t sum_ns() const { return sum_ns_; }
  std::uint64_t min_ns() const { return empty() ? 0 : min_ns_; }
  std::uint64_t max_ns() const { return max_ns_; }
  double mean_ns() const;

  // Returns the nearest rank: the smallest value such that at least ceil(percent / 100 * count())
  // samples do not exceed it, within 1%, and within [min_ns(), max_ns()]. `percent` is limited to
  // [0, 100]; 0 gives the minimum.
  std::uint64_t percentile_ns(double percent) const;

  // Returns the number of samples at or below each bound, in rising order. A sample counts as the
  // middle of its bucket, so a bound inside a bucket is off by up to 0.79%. Overflow is above every
  // bound.
  std::vector<std::uint64_t> counts_up_to(std::span<const std::uint64_t> bounds_ns) const;

  SparseHistogram to_sparse() const;

  // Returns nothing if an index is out of range or out of order, a bucket is empty, or the minimum
  // exceeds the maximum.
  static std::optional<HistogramSnapshot> from_sparse(const SparseHistogram& sparse);

 private:
  friend class Histogram;

  void require_buckets() {
    if (counts_.empty()) counts_.resize(bucket_count);
  }
  void tighten_extremes_to_buckets(const HistogramSnapshot& earlier);

  std::vector<std::uint64_t> counts_;  // empty, or bucket_count of them
  std::uint64_t count_ = 0;            // sum of counts_, and overflow_
  std::uint64_t overflow_ = 0;
  std::uint64_t sum_ns_ = 0;
  std::uint64_t min_ns_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ns_ = 0;
};

// Written by one thread and read by any, without locks and locked instructions. Takes 19 KB once it
// has a sample, and a pointer before.
class Histogram {
 public:
  Histogram() = default;
  ~Histogram();
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  // Requires: called by the writing thread only. Allocates at the first sample.
  void record(std::uint64_t value_ns);

  // From any thread. While the writer writes, sum, minimum and maximum may be a few samples ahead
  // of or behind the counts. Once the writer has stopped, and the reader knows that by a
  // synchronisation, all figures are exact.
  HistogramSnapshot snapshot() const;

  // Merges the samples into a snapshot.
  void add_to(HistogramSnapshot& total) const;

 private:
  using Count = std::atomic<std::uint64_t>;
  using Counts = std::array<Count, bucket_count>;

  Counts& require_counts();

  // Written by the writer. The pointer is published with release (require_counts) and read with
  // acquire (add_to), so that a reader sees the array initialised.
  std::atomic<Counts*> counts_{nullptr};
  Count overflow_{0};
  Count sum_ns_{0};
  Count min_ns_{std::numeric_limits<std::uint64_t>::max()};
  Count max_ns_{0};
};

}  // namespace drover::measure
