#include "ranks/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/worker.h"

namespace drover::ranks {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(Hosts, ARankEachInTheirOrder) {
  EXPECT_THAT(parse_hosts("b,a.example.org,10.0.0.7"),
              ElementsAre(Host{"b", "b"}, Host{"a.example.org", "a.example.org"},
                          Host{"10.0.0.7", "10.0.0.7"}));
}

TEST(Hosts, TwiceTheSameAreTwoRanks) {
  EXPECT_THAT(parse_hosts("a,b,a,a"),
              ElementsAre(Host{"a", "a"}, Host{"b", "b"}, Host{"a", "a#2"}, Host{"a", "a#3"}));
}

std::string refusal(const std::string& text) {
  try {
    parse_hosts(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "taken";
}

TEST(Hosts, WhatIsNoNameIsRefusedWithWhatWasExpected) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("a,,b"), HasSubstr("empty in 'a,,b'"));
  EXPECT_THAT(refusal("a,"), HasSubstr("empty"));
  EXPECT_THAT(refusal("me@a"), HasSubstr("~/.ssh/config"));
  EXPECT_THAT(refusal("a:2"), HasSubstr("named twice"));
  EXPECT_THAT(refusal("a, b"), HasSubstr("' b'"));
  EXPECT_THAT(refusal("fd00::1"), HasSubstr("an address of IPv6 belongs into ~/.ssh/config"));
  EXPECT_THAT(refusal("a/b"), HasSubstr("'a/b'"));
  EXPECT_THAT(refusal("--version"), HasSubstr("'--version'"));
  EXPECT_THAT(refusal(std::string(254, 'a')), HasSubstr("is no host's name"));
  std::string many = "a";
  for (int i = 0; i < 10'000; ++i) many += ",a";
  EXPECT_THAT(refusal(many), HasSubstr("10001 hosts"));
}

LaunchRequest request() {
  return {parse_hosts("b,a,b"), "/opt/drover", {"member", "a word"}, {"ONE", "TWO"}, "x-1"};
}

TEST(MpirunWords, ProgramAndItsWordsAreTheLast) {
  const std::vector<std::string> words = mpirun_words(request());
  EXPECT_EQ(words.front(), "mpirun");
  const std::vector<std::string> last(words.end() - 7, words.end());
  EXPECT_THAT(last, ElementsAre("-x", "ONE", "-x", "TWO", "/opt/drover", "member", "a word"));
  EXPECT_THAT(words, Contains("b,a,b"));
  EXPECT_THAT(words, Contains("--enable-recovery"));
  EXPECT_THAT(words, Contains("/tmp/drover-mpi.x-1"));
}

// Open MPI 4.1.4: "the regex parser has detected the presence of an illegal character".
TEST(MpirunWords, HostsWithAnUnderscore) {
  LaunchRequest at = request();
  EXPECT_THAT(mpirun_words(at), Not(Contains("regx")));
  at.hosts = parse_hosts("node_1,b");
  EXPECT_THAT(mpirun_words(at), IsSupersetOf({"node_1,b", "regx", "reverse"}));
}

TEST(MpirunWords, WhatTheUserHasSetIsLeftToHim) {
  EXPECT_THAT(mpirun_words(request()), Contains("oob_tcp_keepalive_time"));
  EXPECT_THAT(mpirun_words(request()), Contains("plm_rsh_args"));
  ::setenv("OMPI_MCA_oob_tcp_keepalive_time", "60", 1);
  ::setenv("OMPI_MCA_plm_rsh_agent", "/opt/agent", 1);
  ::setenv("OMPI_MCA_orte_tmpdir_base", "/scratch", 1);
  const std::vector<std::string> words = mpirun_words(request());
  ::unsetenv("OMPI_MCA_oob_tcp_keepalive_time");
  ::unsetenv("OMPI_MCA_plm_rsh_agent");
  ::unsetenv("OMPI_MCA_orte_tmpdir_base");
  EXPECT_THAT(words, Contains("/scratch/drover-mpi.x-1"));
  EXPECT_THAT(words, Not(Contains("oob_tcp_keepalive_time")));
  EXPECT_THAT(words, Not(Contains("plm_rsh_args")));
  EXPECT_THAT(words, Contains("oob_tcp_keepalive_probes"));
}

// Killed, and nobody has asked for its status yet.
bool is_zombie(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  return stat.find(") Z ") != std::string::npos;
}

struct Told {
  std::vector<std::string> lines;
  LaunchEnd end;
};

// Runs a shell's command as if it were mpirun; `meanwhile` is called with each line.
Told told_by(const std::string& script,
             const std::function<void(Launch&, coro::Scope&)>& at_first_line = {}) {
  Told told;
  coro::Worker worker;
  auto run = [&](coro::Scope& scope) -> coro::Task<void> {
    Launch launch({"sh", "-c", script}, {"DROVER_TEST_SECRET=of the launch"});
    told.end = co_await launch.ended([&](std::string line) {
      told.lines.push_back(std::move(line));
      if (at_first_line && told.lines.size() == 1) at_first_line(launch, scope);
    });
  };
  coro::block_on(worker, coro::with_scope(run));
  return told;
}

TEST(LaunchTest, TellsLinesAndTheEnd) {
  const Told told = told_by("echo one; echo two >&2; printf three; exit 3");
  EXPECT_THAT(told.lines, ElementsAre("one", "two", "three"));
  EXPECT_EQ(told.end.what, "ended with exit code 3");
  EXPECT_FALSE(told.end.succeeded);
  EXPECT_TRUE(told_by("exit 0").end.succeeded);
  EXPECT_EQ(told_by("kill -9 $$").end.what, "was ended by signal 9");
}

TEST(LaunchTest, ALineThatNeverEndsIsCut) {
  const Told told = told_by("head -c 100000 /dev/zero | tr '\\0' x; echo; echo next");
  EXPECT_THAT(told.lines, ElementsAre(std::string(Launch::line_bytes_max, 'x'), "next"));
}

TEST(LaunchTest, HasNothingToReadASessionOfItsOwnAndTheVariables) {
  ::setenv("DROVER_TEST_SECRET", "of the caller", 1);
  ::setenv("DROVER_TEST_INHERITED", "yes", 1);
  const Told told = told_by(
      "read -r line || echo nothing; [ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo own;"
      "echo $DROVER_TEST_SECRET, $DROVER_TEST_INHERITED; set -- /proc/$$/fd/*; echo $#");
  // Three, and that of the folder which the shell reads.
  EXPECT_THAT(told.lines, ElementsAre("nothing", "own", "of the launch, yes", "4"));
}

TEST(LaunchTest, IsAskedToEndAndThenKilled) {
  const auto end = [](Launch& launch, coro::Scope& scope) {
    scope.start(launch.end(std::chrono::hours(1)));
  };
  const Told asked =
      told_by("trap 'echo asked; exit 5' TERM; echo up; while :; do sleep 0.01; done", end);
  EXPECT_THAT(asked.lines, ElementsAre("up", "asked"));
  EXPECT_EQ(asked.end.what, "ended with exit code 5");
  const auto end_soon = [](Launch& launch, coro::Scope& scope) {
    scope.start(launch.end(std::chrono::milliseconds(1)));
  };
  const Told killed = told_by("trap '' TERM; echo up; while :; do sleep 0.01; done", end_soon);
  EXPECT_EQ(killed.end.what, "was ended by signal 9");
}

TEST(LaunchTest, NothingThatItHasStartedStaysBehindIt) {
  // With its output open, as an ssh to a host that is lost.
  const Told told = told_by("sleep 1000 & echo $!");
  ASSERT_EQ(told.lines.size(), 1U);
  EXPECT_TRUE(told.end.succeeded);
  const int left = std::stoi(told.lines[0]);
  while (::kill(left, 0) == 0 && !is_zombie(left)) ::usleep(1000);
}

TEST(LaunchTest, WhoLeavesItKillsIt) {
  coro::Worker worker;
  pid_t process = 0;
  auto run = [&]() -> coro::Task<void> {
    const Launch launch({"sh", "-c", "exec sleep 1000"}, {});
    process = launch.process();
    co_return;
  };
  coro::block_on(worker, run());
  EXPECT_EQ(::kill(process, 0), -1);
}

TEST(LaunchTest, SaysWhatToInstall) {
  try {
    const Launch launch({"/nowhere/mpirun"}, {});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot start /nowhere/mpirun: No such file or directory"));
    EXPECT_THAT(error.what(), HasSubstr("openmpi-bin"));
  }
}

}  // namespace
}  // namespace drover::ranks
