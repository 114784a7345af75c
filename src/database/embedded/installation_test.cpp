#include "database/embedded/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "database/embedded/server_error.h"
#include "support/temporary_folder.h"

namespace drover::database::embedded {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

fs::path make_fake_installation(const fs::path& folder, const std::string& version) {
  fs::create_directories(folder);
  for (const char* name : {"postgres", "initdb"}) {
    std::ofstream(folder / name) << "#!/bin/sh\necho '" << name << " (PostgreSQL) " << version
                                 << "'\n";
    fs::permissions(folder / name, fs::perms(0755));
  }
  return folder;
}

class InstallationTest : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("DROVER_PG_BINDIR"); }
  test::TemporaryFolder folder_;
};

TEST_F(InstallationTest, TakesTheNewest) {
  const fs::path nine = make_fake_installation(folder_.path() / "9", "9.6.24");
  const fs::path fifteen = make_fake_installation(folder_.path() / "15", "15.8 (Debian 15.8-0)");
  const fs::path sixteen = make_fake_installation(folder_.path() / "16", "16.10");
  const fs::path older_sixteen = make_fake_installation(folder_.path() / "16b", "16.9");
  const Installation found = newest_installation({nine, sixteen, older_sixteen, fifteen});
  EXPECT_EQ(found.bin_folder, sixteen);
  EXPECT_EQ(found.major, 16);
  EXPECT_EQ(found.version, "16.10");
}

TEST_F(InstallationTest, PassesOverFoldersWithoutAServer) {
  const fs::path client = folder_.path() / "client";
  fs::create_directories(client);
  const fs::path broken = make_fake_installation(folder_.path() / "broken", "no number");
  const fs::path good = make_fake_installation(folder_.path() / "good", "17beta1");
  EXPECT_EQ(newest_installation({client, broken, "/nowhere", good}).major, 17);
}

TEST_F(InstallationTest, WithoutAnyNamesThePackage) {
  EXPECT_THAT([] { newest_installation({"/nowhere"}); },
              ThrowsMessage<ServerError>(HasSubstr("apt install postgresql")));
}

TEST_F(InstallationTest, EnvironmentOverrides) {
  const fs::path chosen = make_fake_installation(folder_.path() / "chosen", "12.1");
  ::setenv("DROVER_PG_BINDIR", chosen.c_str(), 1);
  EXPECT_EQ(find_installation().bin_folder, chosen);
  ::setenv("DROVER_PG_BINDIR", "/nowhere", 1);
  EXPECT_THAT([] { find_installation(); },
              ThrowsMessage<ServerError>(HasSubstr("DROVER_PG_BINDIR is '/nowhere'")));
}

TEST_F(InstallationTest, APsqlOfItsOwnOrAnotherOne) {
  Installation installation;
  installation.bin_folder = make_fake_installation(folder_.path() / "embedded", "18.6");
  const fs::path another = find_psql(installation);  // the tests of servers want one
  EXPECT_EQ(another.filename(), "psql");
  EXPECT_NE(another.parent_path(), installation.bin_folder);
  std::ofstream(installation.program("psql")) << "#!/bin/sh\n";
  fs::permissions(installation.program("psql"), fs::perms(0755));
  EXPECT_EQ(find_psql(installation), installation.program("psql"));
}

TEST_F(InstallationTest, FindsTheOneOfThisMachine) {
  EXPECT_GE(find_installation().major, 12);
}

}  // namespace
}  // namespace drover::database::embedded
