#include "load/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace drover::load {
namespace {

std::vector<Share> shares_by(const std::vector<std::uint64_t>& weights) {
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  std::vector<Share> shares;
  std::uint64_t before = 0;
  for (std::size_t rank = 0; rank < weights.size(); ++rank) {
    shares.push_back({before, weights[rank], total, rank, weights.size()});
    before += weights[rank];
  }
  return shares;
}

TEST(Share, AHostAloneHasAll) {
  const Share share;
  EXPECT_TRUE(share.is_whole());
  EXPECT_EQ(share.begin(400), 0U);
  EXPECT_EQ(share.end(400), 400U);
  EXPECT_EQ(share.of_rate(0.1), 0.1);
}

TEST(Share, ByWeights) {
  const std::vector<Share> shares = shares_by({2, 1, 1});
  EXPECT_EQ(shares[0].of(400), 200U);
  EXPECT_EQ(shares[1].begin(400), 200U);
  EXPECT_EQ(shares[2].end(400), 400U);
  EXPECT_DOUBLE_EQ(shares[0].of_rate(1000), 500);
}

TEST(Share, FewerThingsThanHosts) {
  std::uint64_t sum = 0;
  for (const Share& share : shares_by({1, 1, 1, 1, 1})) {
    EXPECT_LE(share.of(3), 1U);
    sum += share.of(3);
  }
  EXPECT_EQ(sum, 3U);
}

// Of any weights and any number of things: one behind the other, none left out, none twice, and
// nobody is a whole thing away from what is due to him.
TEST(Share, NoneIsLeftOutAndNoneIsTwice) {
  std::mt19937_64 random(16);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::uint64_t> weights(1 + random() % 40);
    for (std::uint64_t& weight : weights) weight = 1 + random() % 1'000'000;
    const std::uint64_t count = random() >> (1 + random() % 63);
    std::uint64_t next = 0;
    double rate = 0;
    for (const Share& share : shares_by(weights)) {
      ASSERT_EQ(share.begin(count), next);
      ASSERT_GE(share.end(count), next);
      next = share.end(count);
      rate += share.of_rate(1000);
      const long double due = static_cast<long double>(count) *
                              static_cast<long double>(share.own) /
                              static_cast<long double>(share.total);
      ASSERT_LE(std::abs(static_cast<long double>(share.of(count)) - due), 1.001L);
    }
    ASSERT_EQ(next, count);
    ASSERT_NEAR(rate, 1000, 1e-6);
  }
}

}  // namespace
}  // namespace drover::load
