#include "cli/run_options.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

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

// Returns the error message for a result that cannot be written.
std::string failure_to_write(const report::Result& result) {
  run::MeasuredRun run;
  run.result = result;
  RunRequest written;
  written.json = "/dev/full";
  try {
    finish_run(run, written, [](const report::Result&, std::size_t) { return std::string(); });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ResultThatCannotBeWritten, CanBeMadeOfTheParts) {
  report::Result result;
  EXPECT_TRUE(failure_to_write(result).ends_with("name a file on another disk"));
  result.ranks.resize(2);
  result.ranks[1].name = "b";
  result.ranks[1].part = "/home/bench/parts/5f0e-rank1.json";
  const std::string text = failure_to_write(result);
  EXPECT_NE(text.find("/dev/full"), std::string::npos) << text;
  EXPECT_NE(text.find("No space left on device"), std::string::npos) << text;
  EXPECT_TRUE(
      text.ends_with("such as \"/home/bench/parts/5f0e-rank1.json\" on host b. Copy the "
                     "parts to one place and join them with 'drover merge'"))
      << text;
}

}  // namespace
}  // namespace drover::cli
