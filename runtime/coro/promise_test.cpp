// Special cases of Promise and Future. runtime_test.cpp has the plain case.
#include "coro/promise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"

namespace drover::coro {
namespace {

using testing::ElementsAre;

// Value that can be moved `moves` times, and then throws.
class Fragile {
 public:
  explicit Fragile(int moves) : moves_(moves) {}
  Fragile(Fragile&& other) : moves_(other.moves_ - 1) {
    if (moves_ < 0) throw std::runtime_error("broken while it was moved");
  }
  Fragile& operator=(Fragile&&) = delete;
  int moves() const { return moves_; }

 private:
  int moves_;
};

class PromiseTest : public testing::Test {
 protected:
  Worker worker;
};

TEST_F(PromiseTest, AFutureMayBeGoneBeforeItsTaskIsAwaited) {
  auto body = []() -> Task<std::vector<int>> {
    std::vector<Promise<int>> promises;
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 10; ++i) {
      auto [promise, future] = make_promise<int>();
      promises.push_back(std::move(promise));
      tasks.push_back(std::move(future).get());
    }
    std::jthread other([given = std::move(promises)]() mutable {
      for (int i = 0; i < 10; ++i) given[static_cast<std::size_t>(i)].set_value(i);
    });
    co_return co_await when_all(std::move(tasks));
  };
  EXPECT_THAT(block_on(worker, body()), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

// If any of the moves throws, the waiting task gets an error.
TEST_F(PromiseTest, AValueThatThrowsWhileItIsMovedLosesNobody) {
  auto body = [](int moves) -> Task<int> {
    auto [promise, future] = make_promise<Fragile>();
    std::jthread other([moves, p = std::move(promise)]() mutable {
      try {
        p.set_value(Fragile(moves));
      } catch (const std::runtime_error&) {
        p.set_error(std::current_exception());
      }
    });
    const Fragile value = co_await std::move(future).get();
    co_return value.moves();
  };
  int arrived = 0;
  for (int moves = 0; moves < 10; ++moves) {
    try {
      EXPECT_GE(block_on(worker, body(moves)), 0);
      ++arrived;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "broken while it was moved");
    }
  }
  EXPECT_GT(arrived, 0);
  EXPECT_LT(arrived, 10);
}

TEST_F(PromiseTest, OneWhoseValueThrewAndThatIsDroppedThenIsBroken) {
  auto body = []() -> Task<void> {
    auto [promise, future] = make_promise<Fragile>();
    std::jthread other([p = std::move(promise)]() mutable {
      EXPECT_THROW(p.set_value(Fragile(0)), std::runtime_error);
      const Promise<Fragile> dropped = std::move(p);
    });
    co_await std::move(future).get();
  };
  EXPECT_THROW(block_on(worker, body()), BrokenPromise);
}

TEST_F(PromiseTest, IsSetOnceAndAskedOnce) {
  auto body = []() -> Task<int> {
    auto [promise, future] = make_promise<int>();
    promise.set_value(1);
    EXPECT_THROW(promise.set_value(2), std::logic_error);
    EXPECT_THROW(promise.set_error(nullptr), std::logic_error);
    Task<int> value = std::move(future).get();
    EXPECT_THROW((void)std::move(future).get(), std::logic_error);
    co_return co_await std::move(value);
  };
  EXPECT_EQ(block_on(worker, body()), 1);
}

TEST(PromiseOfADyingWorker, IsDestroyedWithIt) {
  const auto guard = std::make_shared<int>(0);
  {
    Worker worker;
    auto body = [&guard]() -> Task<void> {
      for (int i = 0; i < 10; ++i) make_promise<std::shared_ptr<int>>().first.set_value(guard);
      co_return;
    };
    block_on(worker, body());
  }
  EXPECT_EQ(guard.use_count(), 1);
}

}  // namespace
}  // namespace drover::coro
