#include "measure/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace drover::measure {
namespace {

const std::string fields =
    " S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 4 0 123456 10000 200 18446744073709551615\n";

TEST(ProcessStart, IsTheField22) {
  EXPECT_EQ(start_ticks_of("7 (drover)" + fields), 123456);
  EXPECT_EQ(start_ticks_of("7 (a) b ) 1 2 3 4 5 6 7 8 9 (c)" + fields), 123456);
}

TEST(ProcessStart, OfNonsenseIsUnknown) {
  for (const char* text : {"", "7", "7 (drover)", "7 (drover) S 1 1", "(((((", ")))"}) {
    EXPECT_FALSE(start_ticks_of(text)) << text;
  }
  EXPECT_FALSE(start_ticks_of("7 (x) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 4 0 ticks 1"));
}

TEST(ProcessStart, WasBeforeNowAndAfterTheLastBoot) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const double start = process_start_unix_s();
  EXPECT_LE(start, now + 1);
  EXPECT_GT(start, now - 3600);  // a test program that takes an hour has other troubles
}

}  // namespace
}  // namespace drover::measure
