#include "measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace drover::measure {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr auto relaxed = std::memory_order_relaxed;

std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) {
  return b > unlimited - a ? unlimited : a + b;
}

std::uint64_t subtract_to_zero(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

// Returns the rank of a percentile, counted from 1. The product comes first, because 99.9 * 1000 is
// exact and 99.9 / 100 is not. The remaining rounding error must not raise a whole number to the
// next.
std::uint64_t nearest_rank(double percent, std::uint64_t count) {
  const double exact = std::clamp(percent, 0.0, 100.0) * static_cast<double>(count) / 100.0;
  const double rank = std::ceil(exact * (1.0 - 1e-14));
  if (rank >= static_cast<double>(count)) return count;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
}

// Appends seven bits per byte, the lowest first. The highest bit of a byte means that another
// follows.
void put(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
  while (value >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(value));
}

// Removes the first number from `bytes`. Returns nothing if they begin with none.
std::optional<std::uint64_t> take(std::span<const std::uint8_t>& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const std::uint8_t byte = bytes.front();
    bytes = bytes.subspan(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

}  // namespace

void SparseHistogram::merge(const SparseHistogram& other) {
  if (other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  std::vector<std::pair<std::size_t, std::uint64_t>> sum;
  sum.reserve(buckets.size() + other.buckets.size());
  std::ranges::merge(buckets, other.buckets, std::back_inserter(sum));
  buckets.clear();
  for (const auto& [index, count] : sum) {
    if (!buckets.empty() && buckets.back().first == index) {
      buckets.back().second += count;
    } else {
      buckets.emplace_back(index, count);
    }
  }
  overflow += other.overflow;
  sum_ns = add_saturating(sum_ns, other.sum_ns);
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
}

// The bytes are numbers of variable length: overflow, sum, minimum, maximum, then the counts of the
// buckets from index 0 to the last bucket with samples. A count of 0 is followed by the number of
// empty buckets after it, so that a run of empty buckets takes two numbers.
std::vector<std::uint8_t> histogram_bytes(const SparseHistogram& histogram) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint64_t figure :
       {histogram.overflow, histogram.sum_ns, histogram.min_ns, histogram.max_ns}) {
    put(bytes, figure);
  }
  std::size_t next = 0;
  for (const auto& [index, count] : histogram.buckets) {
    if (index > next) {
      put(bytes, 0);
      put(bytes, index - next - 1);
    }
    put(bytes, count);
    next = index + 1;
  }
  return bytes;
}

std::optional<SparseHistogram> histogram_of(std::span<const std::uint8_t> bytes) {
  SparseHistogram histogram;
  for (std::uint64_t* figure :
       {&histogram.overflow, &histogram.sum_ns, &histogram.min_ns, &histogram.max_ns}) {
    const auto value = take(bytes);
    if (!value) return std::nullopt;
    *figure = *value;
  }
  std::size_t next = 0;
  while (!bytes.empty()) {
    const auto count = take(bytes);
    if (!count || next >= bucket_count) return std::nullopt;
    if (*count != 0) {
      histogram.buckets.emplace_back(next++, *count);
    } else if (const auto more = take(bytes); more && *more < bucket_count - next) {
      next += *more + 1;
    } else {
      return std::nullopt;
    }
  }
  return histogram;
}

void HistogramSnapshot::record(std::uint64_t value_ns) {
  if (value_ns < range_end_ns) {
    require_buckets();
    ++counts_[bucket_index(value_ns)];
  } else {
    ++overflow_;
  }
  ++count_;
  sum_ns_ = add_saturating(sum_ns_, value_ns);
  min_ns_ = std::min(min_ns_, value_ns);
  max_ns_ = std::max(max_ns_, value_ns);
}

void HistogramSnapshot::merge(const HistogramSnapshot& other) {
  if (!other.counts_.empty()) {
    require_buckets();
    for (std::size_t i = 0; i < bucket_count; ++i) counts_[i] += other.counts_[i];
  }
  count_ += other.count_;
  overflow_ += other.overflow_;
  sum_ns_ = add_saturating(sum_ns_, other.sum_ns_);
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

void HistogramSnapshot::subtract(const HistogramSnapshot& earlier) {
  overflow_ = subtract_to_zero(overflow_, earlier.overflow_);
  count_ = overflow_;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (!earlier.counts_.empty()) counts_[i] = subtract_to_zero(counts_[i], earlier.counts_[i]);
    count_ += counts_[i];
  }
  if (count_ == 0) {
    *this = HistogramSnapshot();
    return;
  }
  sum_ns_ = subtract_to_zero(sum_ns_, earlier.sum_ns_);
  tighten_extremes_to_buckets(earlier);
}

void HistogramSnapshot::tighten_extremes_to_buckets(const HistogramSnapshot& earlier) {
  const auto holds_something = [](std::uint64_t count) { return count != 0; };
  const bool max_is_new = max_ns_ > earlier.max_ns_;
  if (!max_is_new && overflow_ == 0) {
    const auto last = std::find_if(counts_.rbegin(), counts_.rend(), holds_something);
    const std::size_t index = static_cast<std::size_t>(counts_.rend() - last) - 1;
    max_ns_ = std::min(max_ns_, bucket_last_ns(index));
  }
  const bool min_is_new = min_ns_ < earlier.min_ns_;
  if (!min_is_new) {
    const auto first = std::find_if(counts_.begin(), counts_.end(), holds_something);
    const std::uint64_t bound =
        first == counts_.end() ? range_end_ns
                               : bucket_first_ns(static_cast<std::size_t>(first - counts_.begin()));
    min_ns_ = std::max(min_ns_, bound);
  }
}

double HistogramSnapshot::mean_ns() const {
  return empty() ? 0.0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
}

std::uint64_t HistogramSnapshot::percentile_ns(double percent) const {
  if (empty()) return 0;
  if (percent <= 0.0) return min_ns_;
  const std::uint64_t rank = nearest_rank(percent, count_);
  if (rank == count_) return max_ns_;  // exact
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) {
      // Not std::clamp, because a minimum read while the writer wrote may exceed the maximum.
      return std::min(max_ns_, std::max(min_ns_, bucket_middle_ns(i)));
    }
  }
  return max_ns_;
}

std::vector<std::uint64_t> HistogramSnapshot::counts_up_to(
    std::span<const std::uint64_t> bounds_ns) const {
  std::vector<std::uint64_t> counts;
  counts.reserve(bounds_ns.size());
  std::uint64_t seen = 0;
  std::size_t i = 0;
  for (const std::uint64_t bound : bounds_ns) {
    for (; i < counts_.size() && bucket_middle_ns(i) <= bound; ++i) seen += counts_[i];
    counts.push_back(seen);
  }
  return counts;
}

SparseHistogram HistogramSnapshot::to_sparse() const {
  SparseHistogram sparse;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) sparse.buckets.emplace_back(i, counts_[i]);
  }
  sparse.overflow = overflow_;
  sparse.sum_ns = sum_ns_;
  sparse.min_ns = min_ns();
  sparse.max_ns = max_ns_;
  return sparse;
}

std::optional<HistogramSnapshot> HistogramSnapshot::from_sparse(const SparseHistogram& sparse) {
  HistogramSnapshot snapshot;
  std::size_t next_index = 0;
  for (const auto& [index, count] : sparse.buckets) {
    if (index < next_index || index >= bucket_count || count == 0) return std::nullopt;
    snapshot.require_buckets();
    snapshot.counts_[index] = count;
    snapshot.count_ += count;
    next_index = index + 1;
  }
  snapshot.overflow_ = sparse.overflow;
  snapshot.count_ += sparse.overflow;
  if (snapshot.count_ == 0) return snapshot;
  if (sparse.min_ns > sparse.max_ns) return std::nullopt;
  snapshot.sum_ns_ = sparse.sum_ns;
  snapshot.min_ns_ = sparse.min_ns;
  snapshot.max_ns_ = sparse.max_ns;
  return snapshot;
}

Histogram::~Histogram() {
  delete counts_.load(relaxed);
}

Histogram::Counts& Histogram::require_counts() {
  Counts* counts = counts_.load(relaxed);
  if (counts == nullptr) {
    counts = new Counts{};
    counts_.store(counts, std::memory_order_release);  // pairs with the acquire in add_to
  }
  return *counts;
}

void Histogram::record(std::uint64_t value_ns) {
  if (value_ns < min_ns_.load(relaxed)) min_ns_.store(value_ns, relaxed);
  if (value_ns > max_ns_.load(relaxed)) max_ns_.store(value_ns, relaxed);
  sum_ns_.store(add_saturating(sum_ns_.load(relaxed), value_ns), relaxed);
  Count& count = value_ns < range_end_ns ? require_counts()[bucket_index(value_ns)] : overflow_;
  count.store(count.load(relaxed) + 1, relaxed);
}

HistogramSnapshot Histogram::snapshot() const {
  HistogramSnapshot result;
  add_to(result);
  return result;
}

void Histogram::add_to(HistogramSnapshot& total) const {
  std::uint64_t count = overflow_.load(relaxed);
  total.overflow_ += count;
  const Counts* counts = counts_.load(std::memory_order_acquire);  // see require_counts
  if (counts != nullptr) {
    total.require_buckets();
    for (std::size_t i = 0; i < bucket_count; ++i) {
      const std::uint64_t in_bucket = (*counts)[i].load(relaxed);
      total.counts_[i] += in_bucket;
      count += in_bucket;
    }
  }
  if (count == 0) return;
  total.count_ += count;
  total.sum_ns_ = add_saturating(total.sum_ns_, sum_ns_.load(relaxed));
  total.min_ns_ = std::min(total.min_ns_, min_ns_.load(relaxed));
  total.max_ns_ = std::max(total.max_ns_, max_ns_.load(relaxed));
}

}  // namespace drover::measure
