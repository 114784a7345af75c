#include "random/zipfian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "random/permutation.h"

namespace drover::random {
namespace {

// Pearson's statistic of each of the hottest items and of all others together. With this many
// degrees of freedom it is nearly normal. The seed is fixed, so five standard deviations are no
// risk.
void expect_exact(std::uint64_t items, double skew, int draws, std::uint64_t seed) {
  const Zipfian zipfian(items, skew);
  const auto hottest = static_cast<std::size_t>(std::min<std::uint64_t>(items, 1'000));
  std::vector<int> counts(hottest + 1);
  Rng rng(seed);
  for (int i = 0; i < draws; ++i) {
    const std::uint64_t rank = zipfian.draw(rng);
    ASSERT_LT(rank, items);
    ++counts[std::min<std::uint64_t>(rank, hottest)];
  }
  const double sum = zeta(items, skew);
  double statistic = 0;
  double others = 1;
  for (std::size_t rank = 0; rank <= hottest; ++rank) {
    const double share =
        rank < hottest ? std::pow(static_cast<double>(rank + 1), -skew) / sum : others;
    others -= share;
    const double expected = share * draws;
    if (expected < 1e-6) continue;  // there are no others
    ASSERT_GE(expected, 5) << "too few draws for " << rank;
    statistic += (counts[rank] - expected) * (counts[rank] - expected) / expected;
  }
  const auto freedom = static_cast<double>(hottest - (items == hottest ? 1 : 0));
  EXPECT_NEAR(statistic, freedom, 5 * std::sqrt(2 * std::max(freedom, 1.0)))
      << items << " " << skew;
}

TEST(Zipfian, IsExactForTheHottestOfMany) {
  std::uint64_t seed = 100;
  for (const double skew : {0.5, 0.99, 1.2}) {
    for (const std::uint64_t items : {10'000, 1'000'000, 100'000'000}) {
      expect_exact(items, skew, skew == 0.5 && items > 1'000'000 ? 4'000'000 : 1'000'000, ++seed);
    }
  }
}

TEST(Zipfian, IsExactAtAndBesideSkewOne) {
  for (const double skew : {1.0, 1.0 - 1e-15, 1.0 + 1e-15, 1.0 - 1e-9, 1.0 + 1e-9}) {
    expect_exact(1'000'000, skew, 500'000, 77);
  }
}

TEST(Zipfian, IsExactAtSkewTwo) {
  expect_exact(1'000, 2.0, 10'000'000, 1);
}

TEST(Zipfian, IsExactForFew) {
  for (const std::uint64_t items : {2, 3, 5, 50}) {
    for (const double skew : {0.5, 0.99, 1.0, 1.5, 2.0}) expect_exact(items, skew, 100'000, items);
  }
}

TEST(Zipfian, OfOneItemDrawsIt) {
  for (const double skew : {0.5, 1.0, 2.0, 1000.0}) {
    const Zipfian zipfian(1, skew);
    Rng rng(1);
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(zipfian.draw(rng), 0U);
  }
}

TEST(Zipfian, OfAsManyAsThereMayBeStaysWithinThem) {
  for (const std::uint64_t items : {Zipfian::items_max, Zipfian::items_max - 1}) {
    for (const double skew : {0.5, 0.99, 1.0, 1.01, 1.5, 2.0, 40.0, 1000.0}) {
      const Zipfian zipfian(items, skew);
      Rng rng(1);
      std::uint64_t largest = 0;
      for (int i = 0; i < 100'000; ++i) largest = std::max(largest, zipfian.draw(rng));
      EXPECT_LT(largest, items);
      if (skew <= 1) {
        EXPECT_GT(largest, items / 100);
      }
    }
  }
}

// The published shares of the hottest key at skew 0.99.
TEST(Zipfian, HottestHasItsShare) {
  const std::vector<std::uint64_t> items = {1'000, 1'000'000, 1'000'000'000};
  const std::vector<double> shares = {0.129, 0.065, 0.042};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Zipfian zipfian(items[i], 0.99);
    Rng rng(i);
    int hits = 0;
    for (int draw = 0; draw < 200'000; ++draw) hits += zipfian.draw(rng) == 0 ? 1 : 0;
    EXPECT_NEAR(hits / 200'000.0, shares[i], 0.002);
  }
}

TEST(Zipfian, ResizedIsTheSameAsNew) {
  Zipfian grown(1, 0.99);
  for (const std::uint64_t items : {2, 1'000, 1'000'000, 17}) {
    grown.resize(items);
    EXPECT_EQ(grown.items(), items);
    const Zipfian made(items, 0.99);
    Rng one(items);
    Rng other(items);
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(grown.draw(one), made.draw(other));
  }
}

TEST(Zipfian, DrawsTheSameOnEveryMachine) {
  const Zipfian zipfian(100'000'000, 0.99);
  Rng rng(2026);
  std::uint64_t mixed = 0;
  for (int i = 0; i < 100'000; ++i) mixed = mixed * 0x9e3779b97f4a7c15ULL + zipfian.draw(rng);
  EXPECT_EQ(mixed, 17'615'927'544'654'992'714ULL);
}

TEST(Zipfian, RefusesOtherArguments) {
  EXPECT_THROW(Zipfian(0, 1), std::invalid_argument);
  EXPECT_THROW(Zipfian(Zipfian::items_max + 1, 1), std::invalid_argument);
  EXPECT_THROW(Zipfian(10, 0.49), std::invalid_argument);
  EXPECT_THROW(Zipfian(10, 1000.1), std::invalid_argument);
  EXPECT_THROW(Zipfian(10, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  Zipfian zipfian(10, 1);
  EXPECT_THROW(zipfian.resize(0), std::invalid_argument);
  EXPECT_EQ(zipfian.items(), 10U);
}

double summed(std::uint64_t items, double skew) {
  double sum = 0;
  for (std::uint64_t i = items; i > 0; --i) sum += std::pow(static_cast<double>(i), -skew);
  return sum;
}

TEST(Zeta, IsTheSum) {
  for (const std::uint64_t items : {0, 1, 2, 99, 100, 101, 1'000, 1'000'000}) {
    for (const double skew : {0.0, 0.5, 0.99, 1.0, 1.2, 2.0, 10.0}) {
      const double sum = summed(items, skew);
      EXPECT_NEAR(zeta(items, skew), sum, 2e-13 * sum) << items << " " << skew;
    }
  }
}

TEST(Zeta, ComesToWhatIsKnown) {
  EXPECT_NEAR(zeta(std::uint64_t{1} << 62, 2), 1.6449340668482264, 1e-13);    // pi^2 / 6
  EXPECT_NEAR(zeta(10'000'000'000, 0.99), 26.46902820178302, 1e-7);           // as published
  EXPECT_NEAR(zeta(1'000'000'000, 1), std::log(1e9) + 0.57721566540, 1e-10);  // Euler's constant
}

TEST(Zeta, RefusesOtherSkews) {
  EXPECT_THROW(zeta(10, -0.1), std::invalid_argument);
  EXPECT_THROW(zeta(10, 10.1), std::invalid_argument);
  EXPECT_THROW(zeta(10, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

TEST(OriginalZipfian, HasTheSharesOfTheFirstTwo) {
  const OriginalZipfian zipfian(1'000'000, 0.99);
  Rng rng(1);
  std::vector<int> counts(3);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t rank = zipfian.draw(rng);
    ASSERT_LT(rank, 1'000'000U);
    ++counts[rank < 2 ? rank : 2];
  }
  const double sum = zeta(1'000'000, 0.99);
  EXPECT_NEAR(counts[0] / 200'000.0, 1 / sum, 0.002);
  EXPECT_NEAR(counts[1] / 200'000.0, std::pow(0.5, 0.99) / sum, 0.002);
}

TEST(OriginalZipfian, OfFewStaysWithinThem) {
  for (const std::uint64_t items : {1, 2, 3, 4}) {
    for (const double skew : {0.01, 0.5, 0.99}) {
      const OriginalZipfian zipfian(items, skew);
      Rng rng(items);
      std::vector<bool> seen(items);
      for (int i = 0; i < 10'000; ++i) seen.at(zipfian.draw(rng)) = true;
      for (const bool drawn : seen) EXPECT_TRUE(drawn) << items << " " << skew;
    }
  }
}

TEST(OriginalZipfian, RefusesOtherArguments) {
  EXPECT_THROW(OriginalZipfian(0, 0.99), std::invalid_argument);
  EXPECT_THROW(OriginalZipfian(10, 0), std::invalid_argument);
  EXPECT_THROW(OriginalZipfian(10, 1), std::invalid_argument);
  EXPECT_THROW(OriginalZipfian(10, std::numeric_limits<double>::quiet_NaN()),
               std::invalid_argument);
  EXPECT_THROW(OriginalZipfian(10, 0.99, 0.5), std::invalid_argument);
  EXPECT_THROW(ScrambledOriginalZipfian(0), std::invalid_argument);
}

// The share is 1 / 26.47 for any number of items, which is the flaw of this distribution.
TEST(ScrambledOriginalZipfian, GivesTheHottestThePublishedShare) {
  for (const std::uint64_t items : {1'000, 1'000'000, 1'000'000'000}) {
    const ScrambledOriginalZipfian zipfian(items);
    const auto hottest = static_cast<std::uint64_t>(fnv1a_64_absolute(0)) % items;
    Rng rng(items);
    int hits = 0;
    for (int i = 0; i < 200'000; ++i) {
      const std::uint64_t number = zipfian.draw(rng);
      ASSERT_LT(number, items);
      hits += number == hottest ? 1 : 0;
    }
    EXPECT_NEAR(hits / 200'000.0, 0.038, 0.0025);
  }
}

// From the definition of the hash. The first is the hottest key of every run.
TEST(Fnv, OfNumbers) {
  EXPECT_EQ(fnv1a_64(0), 0xa8c7f832281a39c5ULL);
  EXPECT_EQ(fnv1a_64_absolute(0), 6'284'781'860'667'377'211);
  EXPECT_EQ(fnv1a_64_absolute(1), 8'517'097'267'634'966'620);
  EXPECT_NE(fnv1a_64(1), fnv1a_64(std::uint64_t{1} << 56));
}

}  // namespace
}  // namespace drover::random
