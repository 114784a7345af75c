#include "cli/count_option.h"

#include <gtest/gtest.h>

#include "cli/usage_error.h"

namespace drover::cli {
namespace {

TEST(CountOption, IsAWholeNumberInItsRange) {
  EXPECT_EQ(parse_count("-w", "10", 1, 100), 10);
  EXPECT_EQ(parse_count_or_auto("--threads", "auto", 1, 64, 3), 3);
  EXPECT_EQ(parse_count_or_auto("--threads", "5", 1, 64, 3), 5);
  for (const char* text :
       {"0", "101", "abc", "", "1.5", "-1", "99999999999999999999", " 5", "5 "}) {
    EXPECT_THROW(parse_count("-w", text, 1, 100), UsageError) << text;
  }
  EXPECT_THROW(parse_count("-w", "auto", 1, 100), UsageError);
}

}  // namespace
}  // namespace drover::cli
