#include "cli/run_options.h"

#include <gtest/gtest.h>

#include "run/usage_error.h"

namespace drover::cli {
namespace {

TEST(MetricsOption, IsAnAddressOrNothing) {
  EXPECT_FALSE(parse_metrics_address(""));
  EXPECT_EQ(parse_metrics_address("9464")->text(), "127.0.0.1:9464");
  EXPECT_EQ(parse_metrics_address("[::1]:9464")->text(), "[::1]:9464");
  EXPECT_FALSE(parse_metrics_address("0.0.0.0:9464")->loopback);
}

TEST(MetricsOption, SaysWhatItExpects) {
  for (const char* text : {"localhost", "example.com:9464", "70000", "::1:9464", "9464 "}) {
    try {
      parse_metrics_address(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("--metrics " + std::string(text) + ": expected ")) << message;
      EXPECT_NE(message.find("127.0.0.1:9464"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace drover::cli
