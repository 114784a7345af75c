#include "coro/semaphore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class MutexTest : public testing::Test {
 protected:
  VirtualClock clock;
  Worker worker{clock};
  Mutex mutex;
  std::vector<int> order;
};

TEST_F(MutexTest, OneAtATimeInTheOrderOfAsking) {
  int inside = 0;
  auto user = [&](int number) -> Task<void> {
    const auto lock = co_await mutex.lock();
    EXPECT_EQ(++inside, 1);
    order.push_back(number);
    co_await sleep_for(1ms);
    --inside;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    for (int i = 0; i < 5; ++i) scope.start(user(i));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(mutex.locked());
}

// A task that unlocks and locks again at once queues behind the waiting tasks.
TEST_F(MutexTest, NobodyBargesIn) {
  auto user = [&](int number) -> Task<void> {
    for (int round = 0; round < 2; ++round) {
      const auto lock = co_await mutex.lock();
      order.push_back(number);
      co_await yield();
    }
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(user(1));
    scope.start(user(2));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(1, 2, 1, 2));
}

TEST_F(MutexTest, AnErrorInsideUnlocks) {
  auto failing = [&]() -> Task<void> {
    const auto lock = co_await mutex.lock();
    throw std::runtime_error("inside");
  };
  EXPECT_THROW(block_on(worker, failing()), std::runtime_error);
  EXPECT_FALSE(mutex.locked());
}

TEST_F(MutexTest, ACancelledWaiterLeavesTheQueue) {
  auto user = [&](int number) -> Task<void> {
    const auto lock = co_await mutex.lock();
    order.push_back(number);
    co_await sleep_for(10s);
  };
  auto impatient = [&]() -> Task<void> {
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + 1s, user(1)), DeadlineExceeded);
    EXPECT_EQ(mutex.waiting(), 1U);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(user(0));
    scope.start(impatient());
    scope.start(user(2));
    co_return;
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(0, 2));
  EXPECT_FALSE(mutex.locked());
}

// The cancellation comes after the lock was handed over, but before the task is resumed.
TEST_F(MutexTest, AWaiterThatIsCancelledAfterItGotTheLockGivesItBack) {
  bool got = false;
  auto user = [&]() -> Task<void> {
    const auto lock = co_await mutex.lock();
    got = true;
    co_await sleep_for(1h);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    std::optional<Mutex::Lock> lock(co_await mutex.lock());
    scope.start(user());
    co_await sleep_for(1s);
    EXPECT_EQ(mutex.waiting(), 1U);
    lock.reset();
    scope.cancel();
  };
  block_on(worker, with_scope(body));
  EXPECT_TRUE(got);
  EXPECT_FALSE(mutex.locked());
  EXPECT_LT(clock.now(), Instant{} + 2s);
}

TEST_F(MutexTest, ALockCanBeMovedToAnotherTask) {
  auto holder = [&](Mutex::Lock) -> Task<void> {
    co_await sleep_for(1s);
    order.push_back(1);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    Mutex::Lock held = co_await mutex.lock();
    scope.start(holder(std::move(held)));
    const auto lock = co_await mutex.lock();
    order.push_back(2);
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(1, 2));
}

}  // namespace
}  // namespace drover::coro
