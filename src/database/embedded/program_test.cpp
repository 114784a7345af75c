#include "database/embedded/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/temporary_folder.h"

namespace drover::database::embedded {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ProgramTest, ReturnsOutputAndExitCode) {
  const ProgramResult result =
      run_to_end({"/bin/sh", {"-c", "cat; echo out; echo err >&2; exit 7"}, own_account(), "in\n"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output, "in\nout\nerr\n");
}

TEST(ProgramTest, TellsOfTheSignalThatEndedIt) {
  EXPECT_EQ(run_to_end({"/bin/sh", {"-c", "kill -TERM $$"}, own_account(), ""}).exit_code,
            128 + SIGTERM);
}

TEST(ProgramTest, SaysWhatCannotBeStarted) {
  EXPECT_THAT([] { run_to_end({"/nowhere/program", {}, own_account(), ""}); },
              ThrowsMessage<ServerError>(
                  HasSubstr("cannot start /nowhere/program: No such file or directory")));
}

TEST(ProgramTest, InheritsNeitherFilesNorSignalsNorVariablesOfOurServer) {
  const int leak = ::dup(STDIN_FILENO);  // without close-on-exec
  ::setenv("PGDATA", "/elsewhere", 1);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const ProgramResult result = run_to_end(
      {"/bin/sh",
       {"-c", "[ -z \"$PGDATA\" ] || echo variable; [ ! -e /proc/$$/fd/" + std::to_string(leak) +
                  " ] || echo file; grep -q 'SigBlk:.0*$' /proc/self/status || echo signal"},
       own_account(),
       ""});
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::unsetenv("PGDATA");
  ::close(leak);
  EXPECT_EQ(result.output, "");
}

TEST(ProgramTest, WorksWithTheStandardFilesClosed) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(file);
    const ProgramResult result =
        run_to_end({"/bin/sh", {"-c", "cat; echo out"}, own_account(), "in\n"});
    ::_exit(result.output == "in\nout\n" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ProgramTest, RootBecomesAnotherForGood) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root drops privileges";
  const Account account = account_for_new_server();
  ASSERT_NE(account.uid, 0U);
  const ProgramResult result =
      run_to_end({"/bin/sh",
                  {"-c", "grep -E '^(Uid|Gid|Groups|CapEff|NoNewPrivs)' /proc/$$/status"},
                  account,
                  ""});
  const std::string uid = std::to_string(account.uid);
  const std::string gid = std::to_string(account.gid);
  EXPECT_THAT(result.output, HasSubstr("Uid:\t" + uid + "\t" + uid + "\t" + uid + "\t" + uid));
  EXPECT_THAT(result.output, HasSubstr("Gid:\t" + gid + "\t" + gid + "\t" + gid + "\t" + gid));
  EXPECT_THAT(result.output, HasSubstr("Groups:\t" + gid + " \n"));
  EXPECT_THAT(result.output, HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_THAT(result.output, HasSubstr("NoNewPrivs:\t1\n"));
}

TEST(ProgramTest, KnowsWhereAnAccountMayWrite) {
  EXPECT_TRUE(may_write_to(own_account(), "/tmp"));
  EXPECT_FALSE(may_write_to(own_account(), "/nowhere"));
  if (::geteuid() == 0) {
    EXPECT_FALSE(may_write_to(account_for_new_server(), "/root"));
  }
}

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
