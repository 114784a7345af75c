#include "database/postgres/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/error.h"
#include "support/temporary_folder.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Task;
using testing::HasSubstr;
using testing::Not;

class Passwords : public testing::Test {
 protected:
  std::string answer(const std::string& command, coro::Duration patience = 60s) {
    return coro::block_on(worker, ask_password(command, patience));
  }

  // Empty if there is an answer.
  std::string failure(const std::string& command, coro::Duration patience = 60s) {
    try {
      answer(command, patience);
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::unavailable);
      return error.what();
    }
    return "";
  }

  std::size_t executions() const {
    std::ifstream file(log());
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  std::string log() const { return folder.path() / "log"; }

  test::TemporaryFolder folder;
  coro::Worker worker;
};

TEST_F(Passwords, AreTheFirstLine) {
  EXPECT_EQ(answer("echo one; echo two"), "one");
  EXPECT_EQ(answer("printf 'no end of line'"), "no end of line");
  EXPECT_EQ(answer("printf ' blanks stay \\n'"), " blanks stay ");
  EXPECT_EQ(answer("cat; echo nothing to read"), "nothing to read");
}

TEST_F(Passwords, MayBeLongAndComeLate) {
  EXPECT_EQ(answer("sleep 0.1; head -c 60000 /dev/zero | tr '\\0' x").size(), 60'000U);
  EXPECT_EQ(answer("head -c 1000000 /dev/zero >&2; echo word"), "word")
      << "its complaints are read";
}

TEST_F(Passwords, SayWhyThereIsNone) {
  EXPECT_THAT(failure("exit 7"), HasSubstr("exit code 7"));
  EXPECT_THAT(failure("kill -KILL $$"), HasSubstr("signal 9"));
  EXPECT_THAT(failure("true"), HasSubstr("is empty"));
  EXPECT_THAT(failure("printf 'a\\0b'"), HasSubstr("zero byte"));
  EXPECT_THAT(failure("head -c 65537 /dev/zero | tr '\\0' x"), HasSubstr("more than 65536 bytes"));
  EXPECT_THAT(failure("no-such-program-at-all"), HasSubstr("exit code 127. Its output: "));
  EXPECT_THAT(failure("printf 'first\\nand\\tthe last\\n' >&2; exit 1"),
              testing::AllOf(HasSubstr("and the last"), Not(HasSubstr("first"))));
}

TEST_F(Passwords, AreNotTold) {
  for (const char* command : {"echo secret; echo secret >&2; exit 1", "set -x; echo secret; exit 1",
                              "echo other; echo secret; echo got secret >&2; exit 1",
                              "echo; echo secret; echo secret >&2"}) {
    EXPECT_THAT(failure(command), Not(HasSubstr("secret"))) << command;
  }
}

TEST_F(Passwords, ASlowCommandIsEndedWithWhatItHasStarted) {
  const std::string pids = folder.path() / "pids";
  EXPECT_THAT(failure("sleep 3600 & echo $! > " + pids + "; wait", 1s), HasSubstr("within 1 s"));
  pid_t child = 0;
  std::ifstream(pids) >> child;
  ASSERT_GT(child, 0);
  // It was killed; whoever reaps orphans may not have come to it yet.
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  const auto is_running = [&] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string number, name, state;
    return static_cast<bool>(stat >> number >> name >> state) && state != "Z";
  };
  while (is_running() && std::chrono::steady_clock::now() < give_up) usleep(1'000);
  EXPECT_FALSE(is_running());
}

TEST_F(Passwords, WhoComesMeanwhileHasTheSameAnswer) {
  const std::string go = folder.path() / "go";
  const std::string command =
      "echo >> " + log() + "; while [ ! -e " + go + " ]; do sleep 0.01; done; echo shared";
  std::vector<std::string> answers;
  auto ask = [&]() -> Task<void> { answers.push_back(co_await ask_password(command, 60s)); };
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (int i = 0; i < 1'000; ++i) scope.start(ask());
    while (executions() == 0) co_await coro::sleep_for(1ms);
    std::ofstream(go) << "";
  };
  coro::block_on(worker, coro::with_scope(body));
  EXPECT_EQ(answers, std::vector<std::string>(1'000, "shared"));
  EXPECT_EQ(executions(), 1U);
  EXPECT_EQ(answer(command), "shared");
  EXPECT_EQ(executions(), 2U) << "whoever comes afterwards has one of his own";
}

TEST_F(Passwords, AFailureIsSharedToo) {
  int failures = 0;
  const std::string command = "echo >> " + log() + "; sleep 0.1; exit 1";
  auto ask = [&]() -> Task<void> {
    try {
      co_await ask_password(command, 60s);
    } catch (const Error&) {
      ++failures;
    }
  };
  auto body = [&](coro::Scope& scope) -> Task<void> {
    for (int i = 0; i < 10; ++i) scope.start(ask());
    co_return;
  };
  coro::block_on(worker, coro::with_scope(body));
  EXPECT_EQ(failures, 10);
  EXPECT_EQ(executions(), 1U);
}

// The command that the first has started dies with it, and the second starts its own.
TEST_F(Passwords, ACancelledOneLeavesTheOthersTheirAnswer) {
  const std::string go = folder.path() / "go";
  const std::string command =
      "echo >> " + log() + "; while [ ! -e " + go + " ]; do sleep 0.01; done; echo word";
  std::string second;
  auto ask = [&]() -> Task<void> { second = co_await ask_password(command, 60s); };
  auto body = [&](coro::Scope& scope) -> Task<void> {
    coro::Scope first(co_await coro::current_source());
    auto ask_in_vain = [&]() -> Task<void> { co_await ask_password(command, 60s); };
    first.start(ask_in_vain());
    while (executions() == 0) co_await coro::sleep_for(1ms);
    scope.start(ask());
    co_await coro::sleep_for(1ms);
    first.cancel();
    co_await first.join();
    while (executions() == 1) co_await coro::sleep_for(1ms);
    std::ofstream(go) << "";
  };
  coro::block_on(worker, coro::with_scope(body));
  EXPECT_EQ(second, "word");
  EXPECT_EQ(executions(), 2U);
}

}  // namespace
}  // namespace drover::database::postgres
