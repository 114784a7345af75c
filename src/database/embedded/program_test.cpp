#include "database/embedded/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "database/embedded/server_error.h"

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

}  // namespace
}  // namespace drover::database::embedded
