#include "random/original_zipfian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "random/fnv.h"
#include "random/zeta.h"

namespace drover::random {
namespace {

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

// 1 / 26.47, however many items there are: the flaw for which it is no more than a choice.
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

// Known from the definition of the hash; the first is the hottest key of every run.
TEST(Fnv, OfNumbers) {
  EXPECT_EQ(fnv1a_64(0), 0xa8c7f832281a39c5ULL);
  EXPECT_EQ(fnv1a_64_absolute(0), 6'284'781'860'667'377'211);
  EXPECT_EQ(fnv1a_64_absolute(1), 8'517'097'267'634'966'620);
  EXPECT_NE(fnv1a_64(1), fnv1a_64(std::uint64_t{1} << 56));
}

}  // namespace
}  // namespace drover::random
