#include "run/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/sleep.h"
#include "run/usage_error.h"

namespace drover::run {
namespace {

TEST(InterruptWatch, CallsBackOnTheFirstSignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    // In a child: what follows the first signal is for the whole process.
    const pid_t child = fork();
    if (child == 0) {
      BlockedInterrupts blocked;
      int calls = 0;
      InterruptWatch interrupt([&] { ++calls; });
      kill(getpid(), signal);
      coro::Worker worker;
      coro::block_on(worker, interrupt.watch());
      _exit(calls == 1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

// How a child ends that gets a second signal at the given time after the first.
int code_after_two_signals(coro::Duration between) {
  const pid_t child = fork();
  if (child == 0) {
    BlockedInterrupts blocked;
    coro::VirtualClock clock(coro::Instant(std::chrono::hours(1)));
    InterruptWatch interrupt(
        [&] {
          clock.advance_to(clock.now() + between);
          kill(getpid(), SIGINT);
        },
        clock);
    kill(getpid(), SIGINT);
    coro::Worker worker;
    coro::block_on(worker, interrupt.watch());
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(InterruptWatch, TheSecondSignalEndsTheProcess) {
  EXPECT_EQ(code_after_two_signals(one_request_lasts), exit_interrupted);
  EXPECT_EQ(code_after_two_signals(std::chrono::hours(5)), exit_interrupted);
}

TEST(InterruptWatch, TwoSignalsAtOnceAreOneRequest) {
  EXPECT_EQ(code_after_two_signals(coro::Duration::zero()), 0);
  EXPECT_EQ(code_after_two_signals(one_request_lasts - coro::Duration(1)), 0);
}

coro::Task<void> start_and_cancel(InterruptWatch& interrupt) {
  auto body = [&](coro::Scope& scope) -> coro::Task<void> {
    scope.start(interrupt.watch());
    co_await coro::yield();
    scope.cancel();
  };
  co_await coro::with_scope(body);
}

TEST(InterruptWatch, EndsWhenItIsCancelled) {
  BlockedInterrupts blocked;
  bool called = false;
  InterruptWatch interrupt([&] { called = true; });
  coro::Worker worker;
  coro::block_on(worker, start_and_cancel(interrupt));
  EXPECT_FALSE(called);
}

TEST(BlockedInterrupts, PutsTheMaskBack) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    BlockedInterrupts blocked;
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
  EXPECT_EQ(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// As long as it lives.
class Limited {
 public:
  Limited(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    getrlimit(resource_, &before_);
    rlimit limit = before_;
    limit.rlim_cur = value;
    setrlimit(resource_, &limit);
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited() { setrlimit(resource_, &before_); }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

TEST(Needs, DescriptorsThatAreThereAreEnough) {
  const Limited limit(RLIMIT_NOFILE, 64);
  EXPECT_NO_THROW(require_descriptors(DatabaseKind::postgres, 10, 2));
}

TEST(Needs, TooFewDescriptorsAreCounted) {
  const Limited limit(RLIMIT_NOFILE, 64);
  EXPECT_THAT([] { require_descriptors(DatabaseKind::postgres, 100, 4); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("100 connections on 4 threads"), HasSubstr("may open only 64"),
                        HasSubstr("ulimit -n"), HasSubstr("fewer connections"))));
}

TEST(Needs, MemoryIsReadFromTheKernelsText) {
  EXPECT_EQ(parse_memory_available("MemTotal:  9 kB\nMemAvailable:   2048 kB\n"), 2U << 20);
  EXPECT_EQ(parse_memory_available("MemTotal:  9 kB\n"), std::nullopt);
  EXPECT_EQ(parse_memory_available("MemAvailable:   lots\n"), std::nullopt);
}

TEST(Needs, ThreadsWhoseStacksDoNotFitAreRefusedWithBothFigures) {
  EXPECT_NO_THROW(require_address_space_for_threads(1'000'000)) << "without a limit";
  const Limited limit(RLIMIT_AS, rlim_t{1} << 60);  // a sanitizer has mapped terabytes
  EXPECT_NO_THROW(require_address_space_for_threads(2));
  EXPECT_THAT([] { require_address_space_for_threads(std::size_t{1} << 40); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("1099511627776 threads"), HasSubstr("GiB of address space"),
                        HasSubstr("ulimit -v"), HasSubstr("fewer threads"))));
}

TEST(Needs, TerminalsThatDoNotFitAreRefusedWithBothFigures) {
  EXPECT_NO_THROW(require_memory_for_terminals(10));
  EXPECT_GT(memory_available(), 0U);
  EXPECT_THAT(
      [] { require_memory_for_terminals(std::size_t{1} << 50); },
      ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("GiB of memory"), HasSubstr("available"),
                                              HasSubstr("fewer terminals or clients"))));
}

}  // namespace
}  // namespace drover::run
