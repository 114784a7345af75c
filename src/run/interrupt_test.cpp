#include "run/interrupt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

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

}  // namespace
}  // namespace drover::run
