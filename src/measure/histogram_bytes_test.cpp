#include "measure/histogram_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace drover::measure {
namespace {

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
  // A number without an end, and a number of more than 64 bits.
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
