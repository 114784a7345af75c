#include "database/embedded/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "database/embedded/program.h"
#include "support/temporary_folder.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Account somebody{1234, 1234, "somebody"};

TEST(LayoutTest, SocketStaysWithTheDataWhenItsPathIsShort) {
  EXPECT_EQ(layout_of("/data/drover", 15).socket_folder(somebody),
            "/data/drover/postgresql-15/run");
}

TEST(LayoutTest, SocketMovesExactlyAtTheLimitOfTheSystem) {
  // 107 bytes, less "/postgresql-15/run" and "/.s.PGSQL.5432".
  const size_t root_bytes_max = 107 - 18 - 14;
  const std::string longest = "/" + std::string(root_bytes_max - 1, 'x');
  EXPECT_EQ(layout_of(longest, 15).socket_folder(somebody), longest + "/postgresql-15/run");
  const fs::path moved = layout_of(longest + "x", 15).socket_folder(somebody);
  EXPECT_THAT(moved.string(), testing::StartsWith("/tmp/drover-1234-"));
  EXPECT_NE(moved, layout_of(longest + "y", 15).socket_folder(somebody));
  EXPECT_EQ(moved, layout_of(longest + "x", 15).socket_folder(somebody));
}

TEST(LayoutTest, SocketMovesFromNamesThatNeedQuoting) {
  for (const char* root : {"/with space", "/with,comma", "/with'quote", "/with\"quotes"}) {
    EXPECT_THAT(layout_of(root, 15).socket_folder(somebody).string(),
                testing::StartsWith("/tmp/drover-1234-"));
  }
}

TEST(LayoutTest, OnePlaceHasOneName) {
  EXPECT_EQ(layout_of("/a/./b/../b/", 15).base, "/a/b/postgresql-15");
}

TEST(LayoutTest, DefaultRootFollowsTheEnvironment) {
  ::setenv("DROVER_DATA_HOME", "/chosen", 1);
  EXPECT_EQ(default_data_root(), "/chosen");
  ::unsetenv("DROVER_DATA_HOME");
  if (::geteuid() == 0) {
    EXPECT_EQ(default_data_root(), "/var/lib/drover");
  } else {
    EXPECT_TRUE(default_data_root().is_absolute());
  }
}

TEST(LayoutTest, SocketFolderIsClosedToOthers) {
  const test::TemporaryFolder folder;
  const fs::path socket_folder = folder.path() / "run";
  const Account account = account_for_new_server();
  make_socket_folder(socket_folder, account);
  ::chmod(socket_folder.c_str(), 0755);
  make_socket_folder(socket_folder, account);
  struct stat status{};
  ASSERT_EQ(::stat(socket_folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  EXPECT_EQ(status.st_uid, account.uid);
}

TEST(LayoutTest, RefusesASocketFolderOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a folder somebody else's";
  const test::TemporaryFolder folder;
  const fs::path squatted = folder.path() / "run";
  fs::create_directory(squatted);
  ASSERT_EQ(::chown(squatted.c_str(), somebody.uid, somebody.gid), 0);
  const Account account = account_for_new_server();
  EXPECT_THAT([&] { make_socket_folder(squatted, account); },
              ThrowsMessage<ServerError>(HasSubstr("belongs to the user '1234'")));
}

TEST(LayoutTest, RefusesASymbolicLinkAsSocketFolder) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder.path() / "target");
  fs::create_symlink(folder.path() / "target", folder.path() / "run");
  const Account account = account_for_new_server();
  EXPECT_THROW(make_socket_folder(folder.path() / "run", account), ServerError);
}

TEST(LayoutTest, SaysThatTheRootIsNoFolder) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  const Layout layout = layout_of(folder.path() / "file", 15);
  EXPECT_THAT([&] { make_folders(layout, account_of_cluster(layout)); },
              ThrowsMessage<ServerError>(HasSubstr("Not a directory")));
}

TEST(LayoutTest, SaysThatTheServersAccountCannotEnter) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root runs the server as another";
  const test::TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0700);
  const Layout layout = layout_of(folder.path() / "root", 15);
  EXPECT_THAT([&] { make_folders(layout, account_of_cluster(layout)); },
              ThrowsMessage<ServerError>(HasSubstr("cannot enter the folder")));
}

TEST(LayoutTest, RefusesDataOfRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make data of root";
  const test::TemporaryFolder folder;
  const Layout layout = layout_of(folder.path(), 15);
  fs::create_directories(layout.data());
  EXPECT_THAT([&] { account_of_cluster(layout); },
              ThrowsMessage<ServerError>(HasSubstr("belongs to the user 'root'")));
}

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
