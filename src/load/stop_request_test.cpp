#include "load/surroundings.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include "coro/block_on.h"
#include "coro/clock.h"
#include "coro/deadline.h"
#include "coro/scope.h"
#include "coro/sleep.h"

namespace drover::load {
namespace {

using namespace std::chrono_literals;
using coro::Task;

Task<void> an_hour() {
  co_await coro::sleep_for(1h);
}

class StopRequestTest : public testing::Test {
 protected:
  void run(Task<void> task) {
    coro::Worker worker(clock_);
    coro::block_on(worker, std::move(task));
  }

  coro::VirtualClock clock_;
  StopRequest stop_;
};

TEST_F(StopRequestTest, WaitsToTheEndWhereNobodyAsks) {
  bool has_ended = false;
  run([](StopRequest& stop, bool& ended) -> Task<void> {
    ended = co_await stop.unless_requested(an_hour());
  }(stop_, has_ended));
  EXPECT_TRUE(has_ended);
}

TEST_F(StopRequestTest, ARequestEndsTheWaitAndDoesWhatItDoesBesides) {
  int told = 0;
  stop_.on_request([&] { ++told; });
  std::optional<bool> has_ended;
  run([](StopRequest& stop, std::optional<bool>& ended) -> Task<void> {
    auto ask = [](StopRequest& request) -> Task<void> {
      co_await coro::sleep_for(1s);
      request.request();
    };
    coro::Scope asking(co_await coro::current_source());
    asking.start(ask(stop));
    ended = co_await stop.unless_requested(an_hour());
    co_await asking.join();
  }(stop_, has_ended));
  EXPECT_EQ(has_ended, false);
  EXPECT_EQ(told, 1);
  // As before.
  stop_.request();
  EXPECT_EQ(told, 2);
}

TEST_F(StopRequestTest, SomebodyElsesCancellationIsNoRequest) {
  bool in_time = true;
  run([](StopRequest& stop, bool& waited) -> Task<void> {
    auto wait = [](StopRequest& request) -> Task<void> {
      co_await request.unless_requested(an_hour());
    };
    try {
      co_await coro::with_deadline(coro::Worker::current().now() + 1s, wait(stop));
    } catch (const coro::DeadlineExceeded&) {
      waited = false;
    }
  }(stop_, in_time));
  EXPECT_FALSE(in_time);
  EXPECT_FALSE(stop_.requested());
}

TEST_F(StopRequestTest, AnErrorOfTheWaitIsHandedOn) {
  auto fail = []() -> Task<void> {
    co_await coro::sleep_for(1s);
    throw std::runtime_error("gone");
  };
  const auto wait = [](StopRequest& stop, Task<void> failing) -> Task<void> {
    co_await stop.unless_requested(std::move(failing));
  };
  EXPECT_THROW(run(wait(stop_, fail())), std::runtime_error);
}

}  // namespace
}  // namespace drover::load
