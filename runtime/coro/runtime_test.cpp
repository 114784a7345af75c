// The runtime's guarantees, on virtual time where time matters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/event.h"
#include "coro/fd_watch.h"
#include "coro/promise.h"
#include "coro/scope.h"
#include "coro/semaphore.h"
#include "coro/sleep.h"
#include "coro/task.h"
#include "coro/worker.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr Duration wheel_tick = 8192ns;

class Runtime : public testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    return block_on(worker, std::move(task));
  }

  Duration elapsed() const { return clock.now() - Instant{}; }

  VirtualClock clock;
  Worker worker{clock};
};

Task<int> answer() {
  co_return 42;
}

Task<int> add_up(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await add_up(depth - 1);
}

Task<void> fail(std::string what) {
  throw std::runtime_error(what);
  co_return;
}

TEST_F(Runtime, HandsBackAResult) {
  EXPECT_EQ(run(answer()), 42);
}

TEST_F(Runtime, HandsBackAnError) {
  EXPECT_THROW(run(fail("broken")), std::runtime_error);
}

TEST_F(Runtime, AwaitsAHundredThousandDeepWithoutStack) {
  EXPECT_EQ(run(add_up(100'000)), 100'000);
}

TEST_F(Runtime, ATaskThatIsNeverAwaitedIsDestroyed) {
  auto guard = std::make_shared<int>(1);
  auto body = [](std::shared_ptr<int>) -> Task<void> { co_return; };
  {
    Task<void> task = body(guard);
    EXPECT_EQ(guard.use_count(), 2);
  }
  EXPECT_EQ(guard.use_count(), 1);
}

TEST_F(Runtime, SleepsNeverEarlyAndAtMostATickLate) {
  auto body = []() -> Task<void> {
    for (const Duration wanted : {Duration(1ns), Duration(1us), Duration(100us), Duration(3ms),
                                  Duration(2s), Duration(1h), Duration(240h)}) {
      const Instant before = Worker::current().now();
      co_await sleep_for(wanted);
      const Duration slept = Worker::current().now() - before;
      EXPECT_GE(slept, wanted);
      EXPECT_LE(slept, wanted + 2 * wheel_tick);
    }
  };
  run(body());
}

TEST_F(Runtime, RunsManySleepersInTheOrderOfTheirDeadlines) {
  std::vector<int> order;
  auto sleeper = [&order](int number, Duration duration) -> Task<void> {
    co_await sleep_for(duration);
    order.push_back(number);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(sleeper(3, 3s));
    scope.start(sleeper(1, 1ms));
    scope.start(sleeper(2, 40ms));
    scope.start(sleeper(4, 1h));
    co_return;
  };
  run(with_scope(body));
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
}

TEST_F(Runtime, AScopeWaitsForAllThatItStarted) {
  int done = 0;
  auto child = [&done](int i) -> Task<void> {
    co_await sleep_for(std::chrono::milliseconds(i));
    ++done;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 1000; ++i) scope.start(child(i));
    co_return;
  };
  run(with_scope(body));
  EXPECT_EQ(done, 1000);
}

TEST_F(Runtime, TheFirstErrorCancelsTheOthersAndIsThrown) {
  int cancelled = 0;
  auto patient = [&cancelled]() -> Task<void> {
    try {
      co_await sleep_for(1h);
    } catch (const Cancelled&) {
      ++cancelled;
      throw;
    }
  };
  auto failing = []() -> Task<void> {
    co_await sleep_for(1s);
    co_await fail("first");
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(patient());
    scope.start(failing());
    scope.start(patient());
    co_return;
  };
  EXPECT_THROW(run(with_scope(body)), std::runtime_error);
  EXPECT_EQ(cancelled, 2);
  EXPECT_LT(elapsed(), 2s);
}

TEST_F(Runtime, AScopeThatIsCutShortFromOutsideSaysSo) {
  bool went_on = false;
  auto inner = [](Scope& scope) -> Task<void> {
    scope.start([]() -> Task<void> { co_await sleep_for(1h); }());
    co_return;
  };
  auto victim = [&]() -> Task<void> {
    co_await with_scope(inner);
    went_on = true;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(victim());
    co_await sleep_for(1s);
    scope.cancel();
  };
  run(with_scope(body));
  EXPECT_FALSE(went_on);
}

TEST_F(Runtime, AnOperationThatHadFinishedKeepsItsResult) {
  bool slept = false;
  auto sleeper = [&slept]() -> Task<void> {
    co_await sleep_for(1s);
    slept = true;
  };
  // The canceller's timer is older, so it fires first in the same tick. Its task cancels the second
  // task after that one's timer has fired, but before the task is resumed.
  auto canceller = [](Scope& scope) -> Task<void> {
    co_await sleep_for(1s);
    scope.cancel();
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(canceller(scope));
    scope.start(sleeper());
    co_return;
  };
  run(with_scope(body));
  EXPECT_TRUE(slept);
}

TEST_F(Runtime, ACancelledSleepSaysFalseWhereAskedTo) {
  bool slept = true;
  auto sleeper = [&slept]() -> Task<void> {
    slept = co_await slept_until(Worker::current().now() + Duration(1h));
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(sleeper());
    co_await sleep_for(1s);
    scope.cancel();
  };
  run(with_scope(body));
  EXPECT_FALSE(slept);
  EXPECT_LT(elapsed(), 2s);
}

TEST_F(Runtime, ADeadlineCancelsWaitsAndReports) {
  bool cleaned_up = false;
  auto slow = [&cleaned_up]() -> Task<int> {
    try {
      co_await sleep_for(1h);
    } catch (const Cancelled&) {
      cleaned_up = true;
      throw;
    }
    co_return 1;
  };
  auto body = [&]() -> Task<int> {
    co_return co_await with_deadline(Worker::current().now() + Duration(5s), slow());
  };
  EXPECT_THROW(run(body()), DeadlineExceeded);
  EXPECT_TRUE(cleaned_up);
  EXPECT_GE(elapsed(), 5s);
  EXPECT_LT(elapsed(), 6s);
}

TEST_F(Runtime, DeadlinesComposeByTheEarlier) {
  auto slow = []() -> Task<void> { co_await sleep_for(1h); };
  auto inner = [&]() -> Task<void> {
    co_await with_deadline(Worker::current().now() + Duration(60s), slow());
  };
  auto body = [&]() -> Task<void> {
    co_await with_deadline(Worker::current().now() + Duration(5s), inner());
  };
  EXPECT_THROW(run(body()), DeadlineExceeded);
  EXPECT_LT(elapsed(), 6s);
}

TEST_F(Runtime, ATaskWithinItsDeadlineKeepsItsResult) {
  auto quick = []() -> Task<std::string> {
    co_await sleep_for(1s);
    co_return "done";
  };
  auto body = [&]() -> Task<std::string> {
    co_return co_await with_deadline(Worker::current().now() + Duration(5s), quick());
  };
  EXPECT_EQ(run(body()), "done");
  EXPECT_LT(elapsed(), 2s);
}

TEST_F(Runtime, ASemaphoreIsFifoAndNobodyBargesIn) {
  Semaphore semaphore(2);
  std::vector<int> order;
  int inside = 0;
  int inside_max = 0;
  auto user = [&](int number) -> Task<void> {
    const auto permit = co_await semaphore.acquire();
    inside_max = std::max(inside_max, ++inside);
    order.push_back(number);
    co_await sleep_for(1ms);
    --inside;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 6; ++i) scope.start(user(i));
    co_return;
  };
  run(with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(inside_max, 2);
  EXPECT_EQ(semaphore.available(), 2U);
}

TEST_F(Runtime, ACancelledWaiterLeavesTheSemaphoresQueue) {
  Semaphore semaphore(1);
  std::vector<int> order;
  auto user = [&](int number) -> Task<void> {
    const auto permit = co_await semaphore.acquire();
    order.push_back(number);
    co_await sleep_for(10s);
  };
  auto doomed = [&]() -> Task<void> {
    try {
      co_await with_deadline(Worker::current().now() + Duration(1s), user(1));
    } catch (const DeadlineExceeded&) {
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(user(0));
    scope.start(doomed());
    scope.start(user(2));
    co_return;
  };
  run(with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 2));
  EXPECT_EQ(semaphore.available(), 1U);
}

TEST_F(Runtime, AnEventWakesAllWhoWaitAndStaysSet) {
  Event event;
  int woken = 0;
  auto waiter = [&]() -> Task<void> {
    co_await event.wait();
    ++woken;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 3; ++i) scope.start(waiter());
    co_await sleep_for(1s);
    EXPECT_EQ(woken, 0);
    event.set();
    co_await waiter();
  };
  run(with_scope(body));
  EXPECT_EQ(woken, 4);
}

TEST_F(Runtime, ABusyTaskDoesNotStarveTimers) {
  bool stop = false;
  auto busy = [&]() -> Task<void> {
    while (!stop) {
      clock.advance_to(clock.now() + Duration(1us));
      co_await yield();
    }
  };
  auto stopper = [&]() -> Task<void> {
    co_await sleep_for(10ms);
    stop = true;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(busy());
    scope.start(stopper());
    co_return;
  };
  run(with_scope(body));
  EXPECT_LT(elapsed(), 11ms);
}

TEST_F(Runtime, AHundredAndFiftyThousandSleepersAreCancelledTogether) {
  int ended = 0;
  auto sleeper = [&ended]() -> Task<void> {
    if (!co_await slept_until(Worker::current().now() + Duration(1h))) ++ended;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 150'000; ++i) scope.start(sleeper());
    co_await sleep_for(1s);
    scope.cancel();
  };
  run(with_scope(body));
  EXPECT_EQ(ended, 150'000);
}

class Sockets : public Runtime {
 protected:
  Sockets() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0); }
  ~Sockets() override {
    close(pair[0]);
    close(pair[1]);
  }
  int pair[2] = {-1, -1};
};

TEST_F(Sockets, AReaderIsWokenByAWriter) {
  std::string got;
  auto reader = [&]() -> Task<void> {
    FdWatch watch(pair[0]);
    co_await watch.ready(Readiness::read);
    char buffer[16];
    const ssize_t count = read(pair[0], buffer, sizeof buffer);
    got.assign(buffer, static_cast<std::size_t>(count));
  };
  auto writer = [&]() -> Task<void> {
    co_await sleep_for(1s);
    EXPECT_EQ(write(pair[1], "hello", 5), 5);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(reader());
    scope.start(writer());
    co_return;
  };
  run(with_scope(body));
  EXPECT_EQ(got, "hello");
}

TEST_F(Sockets, AWriterWaitsUntilThereIsRoom) {
  std::size_t written = 0;
  std::size_t consumed = 0;
  const std::string block(65536, 'x');
  auto writer = [&]() -> Task<void> {
    FdWatch watch(pair[1]);
    while (written < 4'000'000) {
      const ssize_t count = write(pair[1], block.data(), block.size());
      if (count > 0) {
        written += static_cast<std::size_t>(count);
      } else {
        co_await watch.ready(Readiness::write);
      }
    }
    shutdown(pair[1], SHUT_WR);
  };
  auto reader = [&]() -> Task<void> {
    FdWatch watch(pair[0]);
    std::string buffer(50'000, '\0');
    for (;;) {
      co_await watch.ready(Readiness::read);
      const ssize_t count = read(pair[0], buffer.data(), buffer.size());
      if (count <= 0) break;
      consumed += static_cast<std::size_t>(count);
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(writer());
    scope.start(reader());
    co_return;
  };
  run(with_scope(body));
  EXPECT_EQ(written, consumed);
}

TEST_F(Sockets, AWaitForADescriptorCanBeCancelledAndTakenUpAgain) {
  auto reader = [&]() -> Task<void> {
    FdWatch watch(pair[0]);
    auto wait = [&watch]() -> Task<void> { co_await watch.ready(Readiness::read); };
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + Duration(1s), wait()),
                 DeadlineExceeded);
    EXPECT_EQ(write(pair[1], "x", 1), 1);
    co_await wait();
  };
  run(reader());
}

TEST(Threads, APromiseIsKeptFromAnotherThread) {
  Worker worker;
  auto body = []() -> Task<int> {
    auto [promise, future] = make_promise<int>();
    std::jthread other([p = std::move(promise)]() mutable { p.set_value(7); });
    co_return co_await std::move(future).get();
  };
  EXPECT_EQ(block_on(worker, body()), 7);
}

TEST(Threads, ABrokenPromiseIsAnError) {
  Worker worker;
  auto body = []() -> Task<int> {
    auto [promise, future] = make_promise<int>();
    std::jthread other([p = std::move(promise)]() mutable { Promise<int> dropped = std::move(p); });
    co_return co_await std::move(future).get();
  };
  EXPECT_THROW(block_on(worker, body()), BrokenPromise);
}

// In each round the worker sleeps and each poster wakes it. A lost wake-up hangs the test.
TEST(Threads, NoPostIsSleptOver) {
  Worker worker;
  constexpr int posters = 4;
  constexpr int posts = 20'000;
  int received = 0;
  std::vector<std::jthread> threads;
  auto body = [&]() -> Task<void> {
    Event all;
    for (int i = 0; i < posters; ++i) {
      threads.emplace_back([&worker, &received, &all] {
        for (int n = 0; n < posts; ++n) {
          worker.post([&received, &all] {
            if (++received == posters * posts) all.set();
          });
        }
      });
    }
    co_await all.wait();
  };
  block_on(worker, body());
  EXPECT_EQ(received, posters * posts);
}

// Posts beside a distant timer, for which a lost wake-up would wait.
TEST(Threads, NoPostIsSleptOverBesideATimer) {
  Worker worker;
  constexpr int rounds = 20'000;
  std::atomic<int> asked{0};
  Event* answered = nullptr;
  std::jthread other([&] {
    for (int round = 1; round <= rounds; ++round) {
      asked.wait(round - 1);
      worker.post([&answered] { answered->set(); });
    }
  });
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start([]() -> Task<void> { co_await slept_until(Worker::current().now() + 1h); }());
    for (int round = 1; round <= rounds; ++round) {
      Event event;
      answered = &event;
      asked.store(round);
      asked.notify_one();
      co_await event.wait();
    }
    scope.cancel();
  };
  const Instant before = SteadyClock::instance().now();
  block_on(worker, with_scope(body));
  EXPECT_LT(SteadyClock::instance().now() - before, 30min);
}

TEST(Threads, AHundredForeignThreadsOneAfterTheOther) {
  Worker worker;
  int sum = 0;
  auto body = [&sum]() -> Task<void> {
    for (int i = 0; i < 100; ++i) {
      auto [promise, future] = make_promise<int>();
      std::jthread other([p = std::move(promise)]() mutable { p.set_value(1); });
      sum += co_await std::move(future).get();
    }
  };
  block_on(worker, body());
  EXPECT_EQ(sum, 100);
}

// The count of sleeps is 0 if the machine was suspended for that time just before.
TEST(RealTime, AnIdleWorkerSleepsInTheKernel) {
  Worker worker;
  auto body = []() -> Task<void> { co_await sleep_for(30ms); };
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  const Instant start = SteadyClock::instance().now();
  block_on(worker, body());
  EXPECT_GE(SteadyClock::instance().now() - start, 30ms);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const auto cpu_ns =
      (after.tv_sec - before.tv_sec) * 1'000'000'000 + after.tv_nsec - before.tv_nsec;
  EXPECT_LT(cpu_ns, 15'000'000);  // half of it: only a spinning loop comes near
  EXPECT_LT(worker.cpu_time(), 15ms);
  EXPECT_LT(worker.statistics().sleeps.load(), 20U);
  for (int more = 0; more < 100 && worker.statistics().sleeps.load() == 0; ++more)
    block_on(worker, body());
  EXPECT_GE(worker.statistics().sleeps.load(), 1U);
}

}  // namespace
}  // namespace drover::coro
