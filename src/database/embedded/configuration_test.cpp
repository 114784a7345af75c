#include "database/embedded/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database/embedded/server_error.h"

namespace drover::database::embedded {
namespace {

using testing::HasSubstr;

constexpr uint64_t gibibyte = 1024ULL * 1024 * 1024;

TEST(ConfigurationTest, BuffersAreAQuarterOfTheMemoryWithinLimits) {
  EXPECT_THAT(configuration_text(16 * gibibyte, {}), HasSubstr("shared_buffers = 4096MB\n"));
  EXPECT_THAT(configuration_text(256 * gibibyte, {}), HasSubstr("shared_buffers = 8192MB\n"));
  EXPECT_THAT(configuration_text(gibibyte / 8, {}), HasSubstr("shared_buffers = 128MB\n"));
}

TEST(ConfigurationTest, ServerKeepsItsDurabilityUnlessAsked) {
  EXPECT_THAT(configuration_text(gibibyte, {}), testing::Not(HasSubstr("fsync")));
}

TEST(ConfigurationTest, SettingsOfTheUserComeLastAndQuoted) {
  const std::string text =
      configuration_text(gibibyte, {{"max_connections", "20"}, {"search_path", "a'b\\c"}});
  EXPECT_GT(text.find("max_connections = '20'\n"), text.find("max_connections = 500\n"));
  EXPECT_THAT(text, HasSubstr("search_path = 'a''b\\\\c'\n"));
}

TEST(ConfigurationTest, ParsesSettings) {
  EXPECT_EQ(parse_setting("fsync=off").name, "fsync");
  EXPECT_EQ(parse_setting("fsync=off").value, "off");
  EXPECT_EQ(parse_setting("auto_explain.log_format=a=b").value, "a=b");
}

TEST(ConfigurationTest, RefusesWhatIsNoSetting) {
  for (const char* text : {"fsync", "=off", "a b=c", "1a=b", "a=b\nport=1", "include '/x'=1"}) {
    EXPECT_THROW(parse_setting(text), ServerError) << text;
  }
}

TEST(ConfigurationTest, RefusesToLeaveItsFolderAndSocket) {
  EXPECT_THROW(parse_setting("listen_addresses=*"), ServerError);
  EXPECT_THROW(parse_setting("Port=5433"), ServerError);
}

TEST(ConfigurationTest, FindsTheMemoryOfTheMachine) {
  EXPECT_GT(memory_bytes_of_machine(), 0U);
}

}  // namespace
}  // namespace drover::database::embedded
