#include "cli/metrics_option.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/usage_error.h"

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

struct Notes final : load::Observer {
  void on_note(std::string_view text) override { all.emplace_back(text); }
  std::vector<std::string> all;
};

TEST(MetricsOption, SaysWhereItListensAndToWhom) {
  Notes notes;
  {
    const auto endpoint = open_metrics_endpoint(*parse_metrics_address("0"), {}, "", notes);
    ASSERT_EQ(notes.all.size(), 1U);
    EXPECT_EQ(notes.all[0], "metrics: " + endpoint->url());
  }
  notes.all.clear();
  const auto endpoint = open_metrics_endpoint(*parse_metrics_address("0.0.0.0:0"), {}, "", notes);
  ASSERT_EQ(notes.all.size(), 2U);
  EXPECT_TRUE(notes.all[1].starts_with("note: whoever reaches ")) << notes.all[1];
  EXPECT_NE(notes.all[1].find(endpoint->url()), std::string::npos) << notes.all[1];
}

}  // namespace
}  // namespace drover::cli
