#include "ui/number_text.h"

#include <gtest/gtest.h>

namespace drover::ui {
namespace {

using namespace std::chrono_literals;

TEST(NumberText, TimesAreMinutesAndSeconds) {
  EXPECT_EQ(clock_text(0s), "0:00");
  EXPECT_EQ(clock_text(7999ms), "0:07");
  EXPECT_EQ(clock_text(754s), "12:34");
  EXPECT_EQ(clock_text(3723s), "1:02:03");
  EXPECT_EQ(clock_text(-5s), "0:00");
}

TEST(NumberText, CountsHaveThousands) {
  EXPECT_EQ(count_text(std::uint64_t{0}), "0");
  EXPECT_EQ(count_text(std::uint64_t{999}), "999");
  EXPECT_EQ(count_text(std::uint64_t{1000}), "1,000");
  EXPECT_EQ(count_text(std::uint64_t{18446744073709551615u}), "18,446,744,073,709,551,615");
  EXPECT_EQ(count_text(1234.6), "1,235");
  EXPECT_EQ(count_text(-3.0), "0");
  EXPECT_EQ(count_text(std::numeric_limits<double>::quiet_NaN()), "0");
  EXPECT_EQ(count_text(std::numeric_limits<double>::infinity()), "1,000,000,000,000,000,000");
}

TEST(NumberText, MillisecondsHaveThreeDigits) {
  EXPECT_EQ(milliseconds_text(3.456), "3.46");
  EXPECT_EQ(milliseconds_text(37.66), "37.7");
  EXPECT_EQ(milliseconds_text(1203.7), "1,204");
}

TEST(NumberText, RatesBytesAndThings) {
  EXPECT_EQ(rate_text(0.84), "0.8");
  EXPECT_EQ(rate_text(1203.7), "1,204");
  EXPECT_EQ(bytes_text(12), "12 B");
  EXPECT_EQ(bytes_text(1023), "1.00 KiB");
  EXPECT_EQ(bytes_text(34.0 * 1024 * 1024), "34.0 MiB");
}

}  // namespace
}  // namespace drover::ui
