#include "coro/event.h"

#include <gtest/gtest.h>

#include <chrono>

#include "coro/block_on.h"
#include "coro/deadline.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;

class LatchTest : public testing::Test {
 protected:
  VirtualClock clock;
  Worker worker{clock};
};

TEST_F(LatchTest, LetsAllThroughAtZeroAndFromThenOn) {
  Latch latch(3);
  int through = 0;
  auto waiter = [&]() -> Task<void> {
    co_await latch.wait();
    ++through;
  };
  auto body = [&](Scope& scope) -> Task<void> {
    scope.start(waiter());
    scope.start(waiter());
    co_await sleep_for(1s);
    latch.count_down();
    latch.count_down();
    co_await sleep_for(1s);
    EXPECT_EQ(through, 0);
    EXPECT_EQ(latch.count(), 1U);
    latch.count_down();
    co_await waiter();
  };
  block_on(worker, with_scope(body));
  EXPECT_EQ(through, 3);
}

TEST_F(LatchTest, OneOfNothingIsOpen) {
  Latch latch(0);
  auto body = [&]() -> Task<void> { co_await latch.wait(); };
  block_on(worker, body());
  EXPECT_EQ(latch.count(), 0U);
}

TEST_F(LatchTest, CountsDownByMore) {
  Latch latch(5);
  auto body = [&]() -> Task<void> {
    latch.count_down(2);
    latch.count_down(3);
    co_await latch.wait();
  };
  block_on(worker, body());
  EXPECT_EQ(latch.count(), 0U);
}

TEST_F(LatchTest, ACancelledWaiterLeavesAndTheLatchGoesOn) {
  Latch latch(1);
  auto wait = [&]() -> Task<void> { co_await latch.wait(); };
  auto body = [&]() -> Task<void> {
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + 1s, wait()), DeadlineExceeded);
    latch.count_down();
    co_await wait();
  };
  block_on(worker, body());
  EXPECT_LT(clock.now(), Instant{} + 2s);
}

}  // namespace
}  // namespace drover::coro
