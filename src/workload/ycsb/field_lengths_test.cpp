#include "workload/ycsb/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace drover::ycsb {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Properties lengths(FieldLengthDistribution distribution, std::int64_t low, std::int64_t high) {
  Properties properties;
  properties.field_length_distribution = distribution;
  properties.field_length_min = low;
  properties.field_length = high;
  return properties;
}

std::map<std::size_t, int> drawn(const FieldLengths& field_lengths) {
  std::map<std::size_t, int> counts;
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    ++counts[field_lengths.length({.key = key, .field = 1}, 7)];
  }
  return counts;
}

std::string histogram_refusal(std::string_view text) {
  try {
    parse_length_histogram(text);
  } catch (const PropertyError& error) {
    return error.what();
  }
  return "nothing";
}

std::string written(const FieldLengths& field_lengths, FieldPlace place, std::uint64_t stamp) {
  std::string text(field_lengths.length(place, stamp), '\0');
  write_value(text, place, {.version = 1, .stamp = stamp});
  return text;
}

TEST(FieldLengths, ConstantIsTheLongest) {
  const FieldLengths constant(lengths(FieldLengthDistribution::constant, 1, 100));
  EXPECT_EQ(drawn(constant), (std::map<std::size_t, int>{{100, 10'000}}));
  EXPECT_EQ(constant.length_min(), 100U);
}

TEST(FieldLengths, UniformHasBothEnds) {
  const auto counts = drawn(FieldLengths(lengths(FieldLengthDistribution::uniform, 3, 7)));
  EXPECT_EQ(counts.size(), 5U);
  for (const auto& [length, count] : counts) EXPECT_NEAR(count, 2'000, 200) << length;
}

TEST(FieldLengths, ZipfianFavoursShortOnes) {
  const auto counts = drawn(FieldLengths(lengths(FieldLengthDistribution::zipfian, 10, 12)));
  EXPECT_EQ(counts.size(), 3U);
  EXPECT_GT(counts.at(10), 1.8 * counts.at(11));
  EXPECT_GT(counts.at(11), counts.at(12));
}

TEST(FieldLengths, OneLengthNeedsNoDistribution) {
  for (const auto distribution :
       {FieldLengthDistribution::uniform, FieldLengthDistribution::zipfian}) {
    EXPECT_EQ(FieldLengths(lengths(distribution, 5, 5)).length({}, 1), 5U);
  }
}

TEST(FieldLengths, FollowAHistogram) {
  const FieldLengths field_lengths(parse_length_histogram("BlockSize\t10\n0\t1\n2\t3\n3 0\n"));
  const auto counts = drawn(field_lengths);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_NEAR(counts.at(10), 2'500, 200);
  EXPECT_NEAR(counts.at(30), 7'500, 200);
  EXPECT_EQ(field_lengths.length_min(), 10U);
  EXPECT_EQ(field_lengths.length_max(), 30U);
}

TEST(FieldLengths, OtherHistogramsAreRefused) {
  EXPECT_THAT(histogram_refusal(""), HasSubstr("expected a bucket"));
  EXPECT_THAT(histogram_refusal("BlockSize\t10\n1\t0\n"), HasSubstr("expected a bucket"));
  EXPECT_THAT(histogram_refusal("0\t1\n"), StartsWith("line 1: expected BlockSize"));
  EXPECT_THAT(histogram_refusal("BlockSize\t0\n"), StartsWith("line 1: expected BlockSize"));
  EXPECT_THAT(histogram_refusal("BlockSize\n"), StartsWith("line 1: expected BlockSize"));
  EXPECT_THAT(histogram_refusal("BlockSize\t10\n\n-1\t1\n"),
              StartsWith("line 3: expected the number"));
  EXPECT_THAT(histogram_refusal("BlockSize\t10\n1\tx\n"),
              StartsWith("line 2: expected the number"));
  EXPECT_THAT(histogram_refusal("BlockSize\t10\n1\n"), StartsWith("line 2: expected the number"));
  EXPECT_THAT(histogram_refusal("BlockSize\t10\n104857\t1\n"), HasSubstr("would be longer"));
  EXPECT_THAT(histogram_refusal("BlockSize\t10\n18446744073709551615\t1\n"),
              HasSubstr("would be longer"));
  EXPECT_EQ(histogram_refusal("BlockSize\t10\r\n104856\t1\r\n"), "nothing");
  EXPECT_THROW(FieldLengths(std::vector<LengthCount>{}), PropertyError);
}

TEST(FieldLengths, ReadTheirFile) {
  Properties properties = lengths(FieldLengthDistribution::histogram, 1, 100);
  properties.field_length_histogram = testing::TempDir() + "/drover_ycsb_hist.txt";
  std::ofstream(properties.field_length_histogram) << "BlockSize\t64\n1\t5\n";
  EXPECT_EQ(FieldLengths(properties).length({}, 0), 128U);
  std::filesystem::remove(properties.field_length_histogram);
  EXPECT_THROW(FieldLengths{properties}, PropertyError);
}

TEST(FieldLengths, VerifyWhatWasWritten) {
  for (const auto distribution :
       {FieldLengthDistribution::constant, FieldLengthDistribution::uniform,
        FieldLengthDistribution::zipfian}) {
    const FieldLengths field_lengths(lengths(distribution, 1, 60));
    for (std::uint64_t stamp = 0; stamp < 200; ++stamp) {
      const FieldPlace place = {.key = stamp % 10, .field = 2};
      EXPECT_EQ(field_lengths.verify(written(field_lengths, place, stamp), place), std::nullopt);
    }
  }
}

TEST(FieldLengths, FindCutFields) {
  const FieldPlace place = {.key = 1, .field = 2};
  const FieldLengths constant(lengths(FieldLengthDistribution::constant, 1, 100));
  std::string text = written(constant, place, 5);
  text.pop_back();
  const std::optional<ValueMismatch> cut = constant.verify(text, place);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->part, ValuePart::length);
  EXPECT_EQ(cut->message,
            "field 2 of the row 1 has 99 characters instead of the 100 that the writer "
            "0000000000000005 wrote");
  EXPECT_EQ(constant.verify(text.substr(0, 20), place)->part, ValuePart::tail);
  EXPECT_EQ(constant.verify("", place)->part, ValuePart::length);
}

}  // namespace
}  // namespace drover::ycsb
