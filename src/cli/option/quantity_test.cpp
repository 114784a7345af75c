#include "cli/option/quantity.h"

#include <gtest/gtest.h>

#include "run/usage_error.h"

namespace drover::cli {
namespace {

using namespace std::chrono_literals;

TEST(CountOption, IsAWholeNumberInItsRange) {
  EXPECT_EQ(parse_count("-w", "10", 1, 100), 10);
  EXPECT_EQ(parse_count_or_auto("--threads", "auto", 1, 64), std::nullopt);
  EXPECT_EQ(parse_count_or_auto("--threads", "5", 1, 64), 5);
  for (const char* text :
       {"0", "101", "abc", "", "1.5", "-1", "99999999999999999999", " 5", "5 "}) {
    EXPECT_THROW(parse_count("-w", text, 1, 100), UsageError) << text;
  }
  EXPECT_THROW(parse_count("-w", "auto", 1, 100), UsageError);
}

TEST(PartOption, IsOneOfSeveral) {
  using Part = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(parse_part("--share", "2/4", 10), Part(2, 4));
  EXPECT_EQ(parse_part("--share", "1/1", 10), Part(1, 1));
  EXPECT_EQ(parse_part("--share", "10/10", 10), Part(10, 10));
  for (const char* text : {"", "2", "/", "2/", "/4", "0/4", "5/4", "1/11", "1/2/3", "-1/2", "1 /2",
                           "1-2", "a/b", "1.5/2"}) {
    EXPECT_THROW(parse_part("--share", text, 10), UsageError) << text;
  }
}

TEST(RangeOption, HasBothEnds) {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(parse_range("--warehouse-range", "1-100", 100), Range(1, 100));
  EXPECT_EQ(parse_range("--warehouse-range", "7-7", 100), Range(7, 7));
  for (const char* text : {"", "7", "-", "7-", "-7", "0-7", "8-7", "1-101", "1-2-3", "1/2"}) {
    EXPECT_THROW(parse_range("--warehouse-range", text, 100), UsageError) << text;
  }
}

TEST(Duration, HasAUnit) {
  EXPECT_EQ(parse_duration("--duration", "10m"), 10min);
  EXPECT_EQ(parse_duration("--duration", "1.5h"), 90min);
  EXPECT_EQ(parse_duration("--duration", "250ms"), 250ms);
  EXPECT_EQ(parse_duration("--duration", "0"), 0s);
  EXPECT_EQ(parse_duration("--duration", "0s"), 0s);
}

TEST(Duration, WithoutAUnitOrOtherwiseWrongIsRefused) {
  for (const char* text :
       {"5", "abc", "", "-5s", "5x", "5 s", "nan", "inf", "1e300s", "s", "400d"}) {
    EXPECT_THROW(parse_duration("--duration", text), UsageError) << text;
  }
}

}  // namespace
}  // namespace drover::cli
