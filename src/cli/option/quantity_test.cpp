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
