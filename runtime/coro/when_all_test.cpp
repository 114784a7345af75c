#include "coro/scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
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
using testing::IsEmpty;

class WhenAllTest : public testing::Test {
 protected:
  Task<int> answer_after(Duration duration, int answer) {
    co_await sleep_for(duration);
    ++answered;
    co_return answer;
  }

  VirtualClock clock;
  Worker worker{clock};
  int answered = 0;
};

TEST_F(WhenAllTest, RunsSideBySideAndKeepsTheOrder) {
  std::vector<Task<int>> tasks;
  tasks.push_back(answer_after(3s, 1));
  tasks.push_back(answer_after(1s, 2));
  tasks.push_back(answer_after(2s, 3));
  EXPECT_THAT(block_on(worker, when_all(std::move(tasks))), ElementsAre(1, 2, 3));
  EXPECT_LT(clock.now(), Instant{} + 4s);
}

TEST_F(WhenAllTest, NothingIsDoneAtOnce) {
  EXPECT_THAT(block_on(worker, when_all(std::vector<Task<int>>())), IsEmpty());
}

TEST_F(WhenAllTest, ResultsMayBeMoveOnly) {
  auto make = [](int value) -> Task<std::unique_ptr<int>> {
    co_return std::make_unique<int>(value);
  };
  std::vector<Task<std::unique_ptr<int>>> tasks;
  tasks.push_back(make(1));
  tasks.push_back(make(2));
  const auto results = block_on(worker, when_all(std::move(tasks)));
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(*results[0] + 10 * *results[1], 21);
}

TEST_F(WhenAllTest, TheFirstErrorCancelsTheOthers) {
  auto failing = []() -> Task<int> {
    co_await sleep_for(1s);
    throw std::runtime_error("broken");
  };
  std::vector<Task<int>> tasks;
  tasks.push_back(answer_after(1h, 1));
  tasks.push_back(failing());
  tasks.push_back(answer_after(1ms, 3));
  EXPECT_THROW(block_on(worker, when_all(std::move(tasks))), std::runtime_error);
  EXPECT_EQ(answered, 1);
  EXPECT_LT(clock.now(), Instant{} + 2s);
}

TEST_F(WhenAllTest, ACancellationReachesAllOfThem) {
  auto body = [&]() -> Task<void> {
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 10; ++i) tasks.push_back(answer_after(1h, i));
    Task<std::vector<int>> all = when_all(std::move(tasks));
    EXPECT_THROW(co_await with_deadline(Worker::current().now() + 1s, std::move(all)),
                 DeadlineExceeded);
  };
  block_on(worker, body());
  EXPECT_EQ(answered, 0);
}

}  // namespace
}  // namespace drover::coro
