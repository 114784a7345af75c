#include "workload/tpcc/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace drover::tpcc {
namespace {

Rng random_rng(uint64_t number) {
  return Rng::stream(7, RandomPurpose::Test, {number});
}

// The sum of squared deviations over the expected counts, in standard deviations of its own
// distribution. The seeds are fixed, so that a test gives the same value always.
double chi_square_sigma(const std::vector<int64_t>& counts,
                        const std::vector<double>& probabilities) {
  int64_t samples = 0;
  for (const int64_t count : counts) samples += count;
  double sum = 0;
  double degrees = -1;
  for (size_t cell = 0; cell < counts.size(); ++cell) {
    const double expected = probabilities[cell] * static_cast<double>(samples);
    if (expected == 0) {
      EXPECT_EQ(counts[cell], 0) << "cell " << cell << " cannot happen";
      continue;
    }
    const double deviation = static_cast<double>(counts[cell]) - expected;
    sum += deviation * deviation / expected;
    degrees += 1;
  }
  return (sum - degrees) / std::sqrt(2 * degrees);
}

double chi_square_sigma(const std::vector<int64_t>& counts) {
  return chi_square_sigma(
      counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

TEST(Rng, EachByteIsUniform) {
  for (int shift = 0; shift < 64; shift += 8) {
    Rng rng = random_rng(1);
    std::vector<int64_t> counts(256);
    for (int draw = 0; draw < 1'000'000; ++draw) ++counts[(rng.next() >> shift) & 0xff];
    EXPECT_LT(std::abs(chi_square_sigma(counts)), 6) << "bits from " << shift;
  }
}

TEST(Rng, PairsOfSuccessiveNumbersAreUniform) {
  Rng rng = random_rng(2);
  std::vector<int64_t> counts(64 * 64);
  uint64_t last = rng.next() >> 58;
  for (int draw = 0; draw < 1'000'000; ++draw) {
    const uint64_t next = rng.next() >> 58;
    ++counts[last * 64 + next];
    last = next;
  }
  EXPECT_LT(std::abs(chi_square_sigma(counts)), 6);
}

TEST(Rng, FirstNumbersOfNeighbouringStreamsAreUniform) {
  std::vector<int64_t> counts(64 * 64);
  for (uint64_t number = 0; number < 500'000; ++number) {
    const uint64_t one = random_rng(number).next() >> 58;
    const uint64_t other = random_rng(number + 1).next() >> 58;
    ++counts[one * 64 + other];
  }
  EXPECT_LT(std::abs(chi_square_sigma(counts)), 6);
}

TEST(Rng, StreamsDependOnEverythingInTheirPath) {
  std::set<uint64_t> firsts;
  size_t streams = 0;
  for (const uint64_t seed : {0, 1, 2}) {
    for (const auto purpose : {RandomPurpose::Terminal, RandomPurpose::Population}) {
      firsts.insert(Rng::stream(seed, purpose).next());
      firsts.insert(Rng::stream(seed, purpose, {0}).next());
      streams += 2;
      for (uint64_t one = 0; one < 20; ++one) {
        for (uint64_t two = 0; two < 20; ++two, ++streams) {
          firsts.insert(Rng::stream(seed, purpose, {one, two}).next());
        }
      }
    }
  }
  EXPECT_EQ(firsts.size(), streams);
  EXPECT_EQ(Rng::stream(3, RandomPurpose::Terminal, {1, 2}).next(),
            Rng::stream(3, RandomPurpose::Terminal, {1, 2}).next());
}

TEST(Rng, UniformIncludesBothEndsAndNothingElse) {
  Rng rng = random_rng(3);
  std::vector<int64_t> counts(11);
  for (int draw = 0; draw < 1'100'000; ++draw) {
    const int32_t value = rng.uniform(-5, 5);
    ASSERT_GE(value, -5);
    ASSERT_LE(value, 5);
    ++counts[static_cast<size_t>(value + 5)];
  }
  EXPECT_LT(std::abs(chi_square_sigma(counts)), 6);
  EXPECT_EQ(rng.uniform(17, 17), 17);
}

TEST(Rng, UniformSpansTheWholeOfInt32) {
  Rng rng = random_rng(4);
  int negative = 0;
  for (int draw = 0; draw < 10'000; ++draw) negative += rng.uniform(INT32_MIN, INT32_MAX) < 0;
  EXPECT_NEAR(negative, 5000, 300);
}

TEST(Rng, UnitIsAboveZeroAndUpToOne) {
  Rng rng = random_rng(5);
  double sum = 0;
  for (int draw = 0; draw < 1'000'000; ++draw) {
    const double value = rng.unit();
    ASSERT_GT(value, 0);
    ASSERT_LE(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 1e6, 0.5, 6 * 0.2887 / 1000);
}

// The probability of each value, from all pairs of the two draws.
std::vector<double> nurand_distribution(int32_t a, int32_t c, int32_t low, int32_t high) {
  const int32_t values = high - low + 1;
  std::vector<double> probabilities(static_cast<size_t>(values));
  const double pair = 1.0 / (static_cast<double>(a + 1) * values);
  for (int32_t mask = 0; mask <= a; ++mask) {
    for (int32_t value = low; value <= high; ++value) {
      probabilities[static_cast<size_t>(((mask | value) + c) % values)] += pair;
    }
  }
  return probabilities;
}

void expect_nurand(int32_t a, int32_t c, int32_t low, int32_t high) {
  Rng rng = random_rng(6);
  std::vector<int64_t> counts(static_cast<size_t>(high - low + 1));
  for (int draw = 0; draw < 4'000'000; ++draw) {
    const int32_t value = nurand(rng, a, c, low, high);
    ASSERT_GE(value, low);
    ASSERT_LE(value, high);
    ++counts[static_cast<size_t>(value - low)];
  }
  EXPECT_LT(std::abs(chi_square_sigma(counts, nurand_distribution(a, c, low, high))), 6);
}

TEST(Nurand, LastNamesHaveTheExactDistribution) {
  expect_nurand(nurand_a_c_last, 173, 0, 999);
}
TEST(Nurand, CustomersHaveTheExactDistribution) {
  expect_nurand(nurand_a_c_id, 259, 1, 3000);
}
TEST(Nurand, ItemsHaveTheExactDistribution) {
  // A tenth of the items, so that the test can go through all pairs of draws.
  expect_nurand(nurand_a_ol_i_id, 7911, 1, 10'000);
}

TEST(NurandConstants, DeltaRuleOfCLast) {
  EXPECT_FALSE(c_last_delta_valid(100, 100));
  EXPECT_FALSE(c_last_delta_valid(0, 64));
  EXPECT_TRUE(c_last_delta_valid(0, 65));
  EXPECT_TRUE(c_last_delta_valid(65, 0));
  EXPECT_FALSE(c_last_delta_valid(0, 96));
  EXPECT_FALSE(c_last_delta_valid(112, 0));
  EXPECT_TRUE(c_last_delta_valid(0, 119));
  EXPECT_FALSE(c_last_delta_valid(0, 120));
}

TEST(NurandConstants, RunFitsEveryLoad) {
  for (int32_t c_load = 0; c_load <= nurand_a_c_last; ++c_load) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      NurandConstants load;
      load.c_last = c_load;
      const NurandConstants run = run_constants(seed, load);
      ASSERT_TRUE(c_last_delta_valid(c_load, run.c_last));
      ASSERT_TRUE(run.c_last >= 0 && run.c_last <= nurand_a_c_last);
      ASSERT_TRUE(run.c_id >= 0 && run.c_id <= nurand_a_c_id);
      ASSERT_TRUE(run.ol_i_id >= 0 && run.ol_i_id <= nurand_a_ol_i_id);
    }
  }
}

TEST(NurandConstants, FollowTheSeed) {
  EXPECT_EQ(load_constants(5), load_constants(5));
  EXPECT_NE(load_constants(5), load_constants(6));
  EXPECT_EQ(run_constants(5, load_constants(5)), run_constants(5, load_constants(5)));
}

TEST(LastName, SyllablesOfTheDigits) {
  EXPECT_EQ(last_name(0), "BARBARBAR");
  EXPECT_EQ(last_name(371), "PRICALLYOUGHT");
  EXPECT_EQ(last_name(40), "BARPRESBAR");
  EXPECT_EQ(last_name(777), "CALLYCALLYCALLY");
  EXPECT_EQ(last_name(999), "EINGEINGEING");
  std::set<std::string_view> names;
  for (int32_t number = 0; number < 1000; ++number) names.insert(last_name(number));
  EXPECT_EQ(names.size(), 1000);
}

// Counts each character at each of the eight places of a random number.
template <typename Fill>
void expect_uniform_characters(Fill fill, std::string_view alphabet) {
  for (size_t place = 0; place < 8; ++place) {
    Rng rng = random_rng(8);
    std::vector<int64_t> counts(alphabet.size());
    char text[8];
    for (int draw = 0; draw < 300'000; ++draw) {
      fill(rng, text, sizeof(text));
      const size_t index = alphabet.find(text[place]);
      ASSERT_NE(index, std::string_view::npos);
      ++counts[index];
    }
    EXPECT_LT(std::abs(chi_square_sigma(counts)), 6) << "place " << place;
  }
}

TEST(RandomText, AlphanumericsAreUniform) {
  expect_uniform_characters(random_alphanumeric,
                            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

TEST(RandomText, DigitsAreUniform) {
  expect_uniform_characters(random_digits, "0123456789");
}

TEST(RandomText, LengthsAreUniformAndTheBytesBehindAreKept) {
  Rng rng = random_rng(9);
  std::vector<int64_t> counts(15);
  for (int draw = 0; draw < 150'000; ++draw) {
    Text<24> text;
    text.assign_alphanumeric(rng, 10, 24);
    ASSERT_GE(text.size, 10);
    ASSERT_LE(text.size, 24);
    ++counts[static_cast<size_t>(text.size - 10)];
  }
  EXPECT_LT(std::abs(chi_square_sigma(counts)), 6);

  std::string bytes(32, '!');
  random_alphanumeric(rng, bytes.data(), 17);
  EXPECT_EQ(bytes.substr(padded_text_size(17)), std::string(8, '!'));
}

}  // namespace
}  // namespace drover::tpcc
