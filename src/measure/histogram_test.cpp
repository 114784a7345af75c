#include "measure/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace drover::measure {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t second = 1'000 * ms;
constexpr std::uint64_t hour = 3'600 * second;

const std::vector<double> percents = {0.001, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};

// Computes a percentile by its definition, in integers. `percent` is in thousandths.
std::uint64_t reference_percentile(const std::vector<std::uint64_t>& sorted, double percent) {
  const auto thousandths = static_cast<std::uint64_t>(std::llround(percent * 1000));
  const std::uint64_t rank = (thousandths * sorted.size() + 99'999) / 100'000;
  return sorted[std::max<std::uint64_t>(rank, 1) - 1];
}

void expect_matches_reference(std::vector<std::uint64_t> values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  std::sort(values.begin(), values.end());
  const HistogramSnapshot snapshot = histogram.snapshot();
  ASSERT_EQ(snapshot.count(), values.size());
  for (const double percent : percents) {
    const auto expected = static_cast<double>(reference_percentile(values, percent));
    const auto actual = static_cast<double>(snapshot.percentile_ns(percent));
    EXPECT_LE(std::abs(actual - expected), 0.01 * expected) << percent << " of " << values.size();
  }
  EXPECT_EQ(snapshot.max_ns(), values.back());
  EXPECT_EQ(snapshot.min_ns(), values.front());
}

TEST(Buckets, CoverTheRangeWithoutGapsAndKeepTheirError) {
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    const std::uint64_t first = bucket_first_ns(i);
    const std::uint64_t last = bucket_last_ns(i);
    const std::uint64_t middle = bucket_middle_ns(i);
    ASSERT_EQ(first, next) << i;
    ASSERT_EQ(bucket_index(first), i);
    ASSERT_EQ(bucket_index(last), i);
    // 1% of the bucket's own ends, in integers; whatever lies between errs less.
    ASSERT_LE((middle - first) * 100, first) << i;
    ASSERT_LE((last - middle) * 100, last) << i;
    next = last + 1;
  }
  EXPECT_EQ(next, range_end_ns);
  EXPECT_GT(range_end_ns, hour);
}

TEST(Buckets, TakeTwentyKilobytesAtMost) {
  EXPECT_LE(bucket_count * sizeof(std::uint64_t), 20u * 1024);
  EXPECT_LE(sizeof(Histogram), 64u);
}

TEST(Histogram, PercentilesOfRandomDataAreWithinOnePercent) {
  std::mt19937_64 random(20'261'120);
  std::lognormal_distribution<double> lognormal(std::log(5e6), 1.5);
  std::exponential_distribution<double> exponential(1 / 12e9);
  std::uniform_int_distribution<std::uint64_t> narrow(0, 3'000);
  std::uniform_int_distribution<std::uint64_t> wide(0, range_end_ns - 1);
  for (const std::size_t size : {1u, 2u, 3u, 10u, 99u, 100u, 101u, 1'000u, 50'000u}) {
    std::vector<std::uint64_t> values[4];
    for (std::size_t i = 0; i < size; ++i) {
      values[0].push_back(static_cast<std::uint64_t>(lognormal(random)));
      values[1].push_back(static_cast<std::uint64_t>(exponential(random)));
      values[2].push_back(narrow(random));
      values[3].push_back(wide(random));
    }
    for (auto& some : values) expect_matches_reference(std::move(some));
  }
}

TEST(Histogram, NearestRankIsNotPushedUpByRounding) {
  HistogramSnapshot snapshot;
  for (std::uint64_t i = 0; i < 1'000; ++i) snapshot.record(i < 999 ? 100 : 10 * second);
  EXPECT_EQ(snapshot.percentile_ns(99.9), 100u);
  EXPECT_EQ(snapshot.percentile_ns(99.91), 10 * second);
  EXPECT_EQ(snapshot.percentile_ns(100), 10 * second);
}

TEST(Histogram, PercentilesStayWithinTheExtremes) {
  HistogramSnapshot snapshot;
  snapshot.record(1'000'003);
  EXPECT_EQ(snapshot.percentile_ns(0), 1'000'003u);
  EXPECT_EQ(snapshot.percentile_ns(50), 1'000'003u);
  EXPECT_EQ(snapshot.percentile_ns(100), 1'000'003u);
  EXPECT_EQ(snapshot.percentile_ns(-3), 1'000'003u);
  EXPECT_EQ(snapshot.percentile_ns(1000), 1'000'003u);
}

TEST(Histogram, WithoutSamplesIsZeroThroughout) {
  const HistogramSnapshot snapshot = Histogram().snapshot();
  EXPECT_TRUE(snapshot.empty());
  EXPECT_EQ(snapshot.percentile_ns(50), 0u);
  EXPECT_EQ(snapshot.min_ns(), 0u);
  EXPECT_EQ(snapshot.max_ns(), 0u);
  EXPECT_EQ(snapshot.mean_ns(), 0.0);
  EXPECT_TRUE(snapshot.to_sparse().buckets.empty());
}

TEST(Histogram, SumAndMeanAreExact) {
  Histogram histogram;
  histogram.record(1'234'567'891);
  histogram.record(2);
  histogram.record(0);
  const HistogramSnapshot snapshot = histogram.snapshot();
  EXPECT_EQ(snapshot.sum_ns(), 1'234'567'893u);
  EXPECT_DOUBLE_EQ(snapshot.mean_ns(), 1'234'567'893.0 / 3);
  EXPECT_EQ(snapshot.min_ns(), 0u);
}

TEST(Histogram, CountsOverflowAndKeepsTheExactMaximum) {
  Histogram histogram;
  histogram.record(5 * ms);
  histogram.record(range_end_ns - 1);
  histogram.record(range_end_ns);
  histogram.record(24 * hour);
  const HistogramSnapshot snapshot = histogram.snapshot();
  EXPECT_EQ(snapshot.count(), 4u);
  EXPECT_EQ(snapshot.overflow_count(), 2u);
  EXPECT_EQ(snapshot.max_ns(), 24 * hour);
  EXPECT_EQ(snapshot.percentile_ns(75), 24 * hour);
  EXPECT_LT(snapshot.percentile_ns(50), range_end_ns);
}

TEST(Histogram, OnlyOverflow) {
  Histogram histogram;
  histogram.record(2 * hour);
  EXPECT_EQ(histogram.snapshot().percentile_ns(50), 2 * hour);
  EXPECT_EQ(histogram.snapshot().min_ns(), 2 * hour);
}

TEST(Histogram, SumSaturates) {
  Histogram histogram;
  histogram.record(std::numeric_limits<std::uint64_t>::max());
  histogram.record(10);
  EXPECT_EQ(histogram.snapshot().sum_ns(), std::numeric_limits<std::uint64_t>::max());
}

TEST(HistogramSnapshot, MergeIsTheSameAsRecordingAll) {
  std::mt19937_64 random(7);
  Histogram one, two;
  HistogramSnapshot both;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t value = random() % (2 * hour);
    (i % 3 == 0 ? one : two).record(value);
    both.record(value);
  }
  HistogramSnapshot merged = one.snapshot();
  merged.merge(two.snapshot());
  merged.merge(HistogramSnapshot());
  HistogramSnapshot added;
  two.add_to(added);
  one.add_to(added);
  SparseHistogram sparse;
  sparse.merge(two.snapshot().to_sparse());
  sparse.merge({});
  sparse.merge(one.snapshot().to_sparse());
  for (const HistogramSnapshot& some :
       {merged, added, HistogramSnapshot::from_sparse(sparse).value()}) {
    EXPECT_EQ(some.to_sparse().buckets, both.to_sparse().buckets);
    EXPECT_EQ(some.count(), 10'000u);
    EXPECT_EQ(some.overflow_count(), both.overflow_count());
    EXPECT_EQ(some.sum_ns(), both.sum_ns());
    EXPECT_EQ(some.min_ns(), both.min_ns());
    EXPECT_EQ(some.max_ns(), both.max_ns());
  }
}

TEST(HistogramSnapshot, SubtractLeavesTheInterval) {
  Histogram histogram;
  for (int i = 0; i < 100; ++i) histogram.record(900 * ms);
  histogram.record(1 * ms);
  const HistogramSnapshot earlier = histogram.snapshot();
  for (int i = 0; i < 50; ++i) histogram.record(20 * ms);
  HistogramSnapshot interval = histogram.snapshot();
  interval.subtract(earlier);
  EXPECT_EQ(interval.count(), 50u);
  EXPECT_EQ(interval.sum_ns(), 50 * 20 * ms);
  // Neither extreme is new, so both are known only by their bucket.
  const auto expected = static_cast<double>(20 * ms);
  EXPECT_NEAR(static_cast<double>(interval.max_ns()), expected, 0.02 * expected);
  EXPECT_NEAR(static_cast<double>(interval.min_ns()), expected, 0.02 * expected);
  EXPECT_GE(interval.max_ns(), 20 * ms);
  EXPECT_LE(interval.min_ns(), 20 * ms);
  EXPECT_NEAR(static_cast<double>(interval.percentile_ns(99)), expected, 0.01 * expected);
}

TEST(HistogramSnapshot, SubtractKeepsNewExtremesExact) {
  Histogram histogram;
  histogram.record(5 * ms);
  const HistogramSnapshot earlier = histogram.snapshot();
  histogram.record(7'000'001);
  histogram.record(3'000'001);
  HistogramSnapshot interval = histogram.snapshot();
  interval.subtract(earlier);
  EXPECT_EQ(interval.max_ns(), 7'000'001u);
  EXPECT_EQ(interval.min_ns(), 3'000'001u);
}

TEST(HistogramSnapshot, SubtractOfOverflowAndOfEverything) {
  Histogram histogram;
  histogram.record(3 * hour);
  const HistogramSnapshot earlier = histogram.snapshot();
  histogram.record(2 * hour);
  HistogramSnapshot interval = histogram.snapshot();
  interval.subtract(earlier);
  EXPECT_EQ(interval.count(), 1u);
  EXPECT_EQ(interval.max_ns(), 3 * hour);
  EXPECT_GE(interval.min_ns(), range_end_ns);

  HistogramSnapshot nothing = earlier;
  nothing.subtract(earlier);
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.max_ns(), 0u);
  EXPECT_EQ(nothing.min_ns(), 0u);
}

TEST(HistogramSnapshot, SparseFormGoesThereAndBack) {
  HistogramSnapshot snapshot;
  for (const std::uint64_t value : {0ul, 17ul, 17ul, 5 * ms, 2 * hour}) snapshot.record(value);
  const SparseHistogram sparse = snapshot.to_sparse();
  ASSERT_EQ(sparse.buckets.size(), 3u);
  EXPECT_EQ(sparse.buckets[0], (std::pair<std::size_t, std::uint64_t>{0, 1}));
  EXPECT_EQ(sparse.buckets[1], (std::pair<std::size_t, std::uint64_t>{17, 2}));
  EXPECT_EQ(sparse.overflow, 1u);
  const auto back = HistogramSnapshot::from_sparse(sparse);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->count(), 5u);
  EXPECT_EQ(back->sum_ns(), snapshot.sum_ns());
  EXPECT_EQ(back->min_ns(), 0u);
  EXPECT_EQ(back->max_ns(), 2 * hour);
  for (const double percent : percents) {
    EXPECT_EQ(back->percentile_ns(percent), snapshot.percentile_ns(percent));
  }
  EXPECT_TRUE(HistogramSnapshot::from_sparse(SparseHistogram())->empty());
}

TEST(HistogramSnapshot, SparseFormIsChecked) {
  const auto refused = [](const SparseHistogram& sparse) {
    return !HistogramSnapshot::from_sparse(sparse).has_value();
  };
  EXPECT_TRUE(refused({.buckets = {{bucket_count, 1}}, .max_ns = 1}));
  EXPECT_TRUE(refused({.buckets = {{5, 1}, {4, 1}}, .max_ns = 9}));
  EXPECT_TRUE(refused({.buckets = {{5, 1}, {5, 1}}, .max_ns = 9}));
  EXPECT_TRUE(refused({.buckets = {{5, 0}}, .max_ns = 9}));
  EXPECT_TRUE(refused({.buckets = {{5, 1}}, .min_ns = 6, .max_ns = 5}));
}

TEST(HistogramSnapshot, CountsUpToBounds) {
  HistogramSnapshot snapshot;
  const std::vector<std::uint64_t> bounds = {50, 100, ms, 5 * second, hour};
  EXPECT_EQ(snapshot.counts_up_to(bounds), std::vector<std::uint64_t>(5, 0));
  // Small values have their own buckets, which include the bound.
  for (const std::uint64_t value : {50, 51, 100, 101}) snapshot.record(value);
  snapshot.record(ms - ms / 100);
  snapshot.record(ms + ms / 100);
  snapshot.record(5 * second - second / 10);
  snapshot.record(5 * second + second / 10);
  snapshot.record(2 * hour);  // overflow
  EXPECT_EQ(snapshot.counts_up_to(bounds), (std::vector<std::uint64_t>{1, 3, 5, 7, 8}));
  EXPECT_EQ(snapshot.count(), 9U);
  EXPECT_TRUE(snapshot.counts_up_to({}).empty());
}

TEST(HistogramSnapshot, CountsUpToABoundWithinABucket) {
  HistogramSnapshot snapshot;
  for (int i = 0; i < 1000; ++i) snapshot.record(5 * second);
  const std::size_t bucket = bucket_index(5 * second);
  const std::uint64_t middle = bucket_middle_ns(bucket);
  const std::vector<std::uint64_t> bounds = {bucket_first_ns(bucket), middle - 1, middle,
                                             bucket_last_ns(bucket)};
  EXPECT_EQ(snapshot.counts_up_to(bounds), (std::vector<std::uint64_t>{0, 0, 1000, 1000}));
  EXPECT_LE(static_cast<double>(bucket_last_ns(bucket) - middle), 0.0079 * 5 * second);
}

TEST(Histogram, IsReadWhileItIsWritten) {
  Histogram histogram;
  constexpr std::uint64_t total = 200'000;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= total; ++i) histogram.record(i * 1'000);
    done.store(true, std::memory_order_release);
  });
  std::uint64_t last_count = 0;
  bool fell = false;
  bool above_max = false;
  while (!done.load(std::memory_order_acquire)) {
    const HistogramSnapshot snapshot = histogram.snapshot();
    fell = fell || snapshot.count() < last_count;
    above_max = above_max || snapshot.percentile_ns(100) > snapshot.max_ns();
    last_count = snapshot.count();
  }
  writer.join();
  EXPECT_FALSE(fell);
  EXPECT_FALSE(above_max);
  const HistogramSnapshot snapshot = histogram.snapshot();
  EXPECT_EQ(snapshot.count(), total);
  EXPECT_EQ(snapshot.sum_ns(), 1'000 * total * (total + 1) / 2);
  EXPECT_EQ(snapshot.max_ns(), 1'000 * total);
}

void expect_equal(const SparseHistogram& one, const SparseHistogram& other) {
  ASSERT_EQ(one.buckets, other.buckets);
  ASSERT_EQ(one.overflow, other.overflow);
  ASSERT_EQ(one.sum_ns, other.sum_ns);
  ASSERT_EQ(one.min_ns, other.min_ns);
  ASSERT_EQ(one.max_ns, other.max_ns);
}

TEST(HistogramBytes, ThereAndBack) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    HistogramSnapshot histogram;
    for (std::uint64_t n = random() % 50; n > 0; --n) histogram.record(random() >> (random() % 64));
    const SparseHistogram sparse = histogram.to_sparse();
    const auto again = histogram_of(histogram_bytes(sparse));
    ASSERT_TRUE(again);
    expect_equal(*again, sparse);
  }
}

TEST(HistogramBytes, TheFirstAndTheLastBucket) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const SparseHistogram sparse{.buckets = {{0, most}, {1, 1}, {3, 1}, {bucket_count - 1, most}},
                               .overflow = most,
                               .sum_ns = most,
                               .min_ns = 0,
                               .max_ns = most};
  const auto again = histogram_of(histogram_bytes(sparse));
  ASSERT_TRUE(again);
  expect_equal(*again, sparse);
}

TEST(HistogramBytes, RefusesBytesThatAreNoHistogram) {
  using Bytes = std::vector<std::uint8_t>;
  const Bytes right = {0, 5, 5, 5, 0, 4, 1};
  ASSERT_TRUE(histogram_of(right));
  EXPECT_EQ(histogram_of(right)->buckets, (SparseHistogram{.buckets = {{5, 1}}}.buckets));
  for (const std::size_t length : {0U, 1U, 3U, 5U}) {
    EXPECT_FALSE(histogram_of(std::span(right).first(length))) << length;
  }
  // A number without its last byte, and a number of more than 64 bits.
  EXPECT_FALSE(histogram_of(Bytes{0, 0, 0, 0, 0x80}));
  EXPECT_FALSE(histogram_of(Bytes(11, 0xff)));
  // Empty buckets, and a count, beyond the last bucket, whose index is 37 * 64 - 1 = 2367.
  EXPECT_TRUE(histogram_of(Bytes{0, 0, 0, 0, 0, 0xbe, 0x12, 1}));
  EXPECT_FALSE(histogram_of(Bytes{0, 0, 0, 0, 0, 0xbf, 0x12, 1}));
  EXPECT_FALSE(histogram_of(Bytes{0, 0, 0, 0, 0, 0xbe, 0x12, 1, 1}));
  EXPECT_FALSE(histogram_of(
      Bytes{0, 0, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1}));
}

}  // namespace
}  // namespace drover::measure
