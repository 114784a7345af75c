#include "cli/duration.h"

#include <gtest/gtest.h>

#include "cli/usage_error.h"

namespace drover::cli {
namespace {

using namespace std::chrono_literals;

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

TEST(Duration, IsWrittenShort) {
  EXPECT_EQ(format_duration(10min), "10m");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(2h), "2h");
  EXPECT_EQ(format_duration(1500ms), "1.5s");
  EXPECT_EQ(format_duration(250ms), "250ms");
  EXPECT_EQ(format_duration(0s), "0s");
}

}  // namespace
}  // namespace drover::cli
