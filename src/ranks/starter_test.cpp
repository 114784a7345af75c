#include "ranks/starter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "coro/block_on.h"
#include "coro/worker.h"

namespace drover::ranks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  EXPECT_THAT(refusal("a,,b"), HasSubstr("a host name in 'a,,b' is empty"));
  EXPECT_THAT(refusal("a,"), HasSubstr("empty"));
  EXPECT_THAT(refusal("a:2"), HasSubstr("To run two agents on a host, name it twice"));
  EXPECT_THAT(refusal("a, b"), HasSubstr("' b'"));
  EXPECT_THAT(refusal("fd00::1"), HasSubstr("an IPv6 address in ~/.ssh/config"));
  EXPECT_THAT(refusal("a/b"), HasSubstr("'a/b'"));
  EXPECT_THAT(refusal("--version"), HasSubstr("'--version'"));
  EXPECT_THAT(refusal(std::string(254, 'a')), HasSubstr("is not a host name"));
  std::string many = "a";
  for (int i = 0; i < 10'000; ++i) many += ",a";
  EXPECT_THAT(refusal(many), HasSubstr("10001 hosts"));
}

TEST(Hosts, ThisOneNeedsNoSsh) {
  for (const char* local : {"localhost", "127.0.0.1", "::1"}) {
    EXPECT_TRUE(parse_hosts(local).front().is_local()) << local;
  }
  for (const char* other : {"a", "localhost.example.org", "me@localhost", "127.0.0.2"}) {
    EXPECT_FALSE(parse_hosts(other).front().is_local()) << other;
  }
}

TEST(StartWords, ThroughSshOrDirectly) {
  const std::vector<std::string> words = {"/opt/the drover", "agent", "--x=it's"};
  EXPECT_EQ(start_words({"localhost", "localhost#2"}, "ssh", words), words);
  EXPECT_THAT(
      start_words({"me@b", "me@b"}, "ssh -F  bench.conf", words),
      ElementsAre("ssh", "-F", "bench.conf", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
                  "me@b", "exec '/opt/the drover' 'agent' '--x=it'\\''s'"));
}

TEST(EndReason, NamesWhatHappenedOnTheHost) {
  const auto exited = [](int code) { return code << 8; };
  const Host b{"b", "b"};
  EXPECT_EQ(end_reason(b, exited(127), "/opt/drover", "bash: not found"),
            "drover is missing on that host. Install it at /opt/drover, its path on this host");
  EXPECT_EQ(end_reason(b, exited(255), "/opt/drover", "ssh: connect to host b port 22: no"),
            "ssh: connect to host b port 22: no");
  EXPECT_EQ(end_reason(b, exited(255), "/opt/drover", ""), "ssh failed");
  EXPECT_EQ(end_reason(b, exited(1), "/opt/drover", "drover: error: no"),
            "its agent ended with exit code 1: drover: error: no");
  EXPECT_EQ(end_reason(b, 9, "/opt/drover", ""), "its ssh was ended by signal 9");
  EXPECT_EQ(end_reason({"::1", "::1"}, 9, "/opt/drover", ""), "its agent was ended by signal 9");
}

struct Told {
  std::vector<std::string> lines;
  int status = 0;
};

// Runs a shell command and waits for its end.
Told told_by(const std::string& script) {
  Told told;
  coro::Worker worker;
  auto run = [&]() -> coro::Task<void> {
    Starter starter({"sh", "-c", script}, "a secret\n", Starter::Lifetime::ends_with_starter);
    told.status =
        co_await starter.ended([&](std::string line) { told.lines.push_back(std::move(line)); });
  };
  coro::block_on(worker, run());
  return told;
}

TEST(StarterTest, TellsLinesAndTheEnd) {
  const Told told = told_by("echo one; printf 'two\\r\\n' >&2; printf three; exit 3");
  EXPECT_THAT(told.lines, ElementsAre("one", "two", "three"));
  EXPECT_EQ(WEXITSTATUS(told.status), 3);
  EXPECT_EQ(WTERMSIG(told_by("kill -9 $$").status), 9);
}

TEST(StarterTest, ALineThatNeverEndsIsCut) {
  const Told told = told_by("head -c 100000 /dev/zero | tr '\\0' x; echo; echo next");
  EXPECT_THAT(told.lines, ElementsAre(std::string(Starter::line_bytes_max, 'x'), "next"));
}

TEST(StarterTest, HasItsInputASessionOfItsOwnAndNoOtherFile) {
  const Told told = told_by(
      "read -r line; echo $line; read -r line || echo end;"
      "[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo own; set -- /proc/$$/fd/*; echo $#");
  // The three standard descriptors, and that of the folder which the shell lists.
  EXPECT_THAT(told.lines, ElementsAre("a secret", "end", "own", "4"));
}

// Another process may keep the child's output open, such as an ssh master connection.
TEST(StarterTest, EndsWithItsChild) {
  const Told told = told_by("sleep 1000 & echo $!");
  ASSERT_EQ(told.lines.size(), 1U);
  ::kill(std::stoi(told.lines[0]), SIGKILL);
}

TEST(StarterTest, KillsTheChildAndItsGroupAtItsEnd) {
  coro::Worker worker;
  pid_t child = 0;
  auto run = [&]() -> coro::Task<void> {
    const Starter starter({"sh", "-c", "sleep 1000 & wait"}, "",
                          Starter::Lifetime::ends_with_starter);
    child = starter.process();
    co_return;
  };
  coro::block_on(worker, run());
  EXPECT_EQ(::kill(child, 0), -1);
  // The child's own children are dead, or remain only until their new parent collects their status.
  while (::kill(-child, 0) == 0) ::usleep(1000);
}

TEST(StarterTest, OrLetsItGoOn) {
  coro::Worker worker;
  pid_t child = 0;
  auto run = [&]() -> coro::Task<void> {
    const Starter starter({"sh", "-c", "kill -STOP $$; exit 4"}, "", Starter::Lifetime::goes_on);
    child = starter.process();
    siginfo_t stopped{};
    ::waitid(P_PID, static_cast<id_t>(child), &stopped, WSTOPPED | WNOWAIT);
    co_return;
  };
  coro::block_on(worker, run());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(StarterTest, NamesAProgramThatIsMissing) {
  try {
    const Starter starter({"/nowhere/ssh"}, "", Starter::Lifetime::goes_on);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot start /nowhere/ssh: No such file or directory");
  }
}

}  // namespace
}  // namespace drover::ranks
