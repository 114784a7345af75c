// Nested cancellation sources, and scopes that several tasks join.
#include "coro/cancellation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <deque>
#include <stdexcept>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"

namespace drover::coro {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class Recorder final : public CancelNode {
 public:
  Recorder(std::vector<int>& order, int number) : order_(order), number_(number) {}

 private:
  void on_cancel() noexcept override { order_.push_back(number_); }

  std::vector<int>& order_;
  int number_;
};

TEST(CancelSourceTest, CancelsWhatIsBelowInTheOrderOfAllThatCame) {
  VirtualClock clock;
  Worker worker(clock);
  std::vector<int> order;
  CancelSource root(worker);
  Recorder first(order, 1);
  root.add(first);
  CancelSource child(root);
  Recorder second(order, 2);
  child.add(second);
  CancelSource empty(child);
  CancelSource grandchild(child);
  Recorder third(order, 3);
  grandchild.add(third);
  Recorder fourth(order, 4);
  child.add(fourth);
  Recorder last(order, 5);
  root.add(last);
  root.cancel();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(child.cancelled() && empty.cancelled() && grandchild.cancelled());
  root.cancel();
  EXPECT_EQ(order.size(), 5U);
}

// On a stack that has less than a byte for each source.
void* cancel_many_nested(void* all_cancelled) {
  constexpr int depth = 1'000'000;
  VirtualClock clock;
  Worker worker(clock);
  std::deque<CancelSource> sources;
  sources.emplace_back(worker);
  for (int i = 1; i < depth; ++i) sources.emplace_back(sources.back());
  sources.front().cancel();
  *static_cast<bool*>(all_cancelled) = sources.back().cancelled();
  while (!sources.empty()) sources.pop_back();
  return nullptr;
}

TEST(CancelSourceTest, CancelsAMillionNestedOnesOnASmallStack) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 512 * 1024), 0);
  bool all_cancelled = false;
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, &cancel_many_nested, &all_cancelled), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(all_cancelled);
}

TEST(ScopeTest, SeveralMayJoinAndEachGetsTheError) {
  VirtualClock clock;
  Worker worker(clock);
  std::vector<int> order;
  auto failing = []() -> Task<void> {
    co_await sleep_for(1s);
    throw std::runtime_error("broken");
  };
  auto join = [&order](Scope& joined, int number) -> Task<void> {
    EXPECT_THROW(co_await joined.join(), std::runtime_error);
    order.push_back(number);
  };
  auto body = [&](Scope& scope) -> Task<void> {
    Scope joined(worker);
    joined.start(failing());
    for (int i = 1; i <= 3; ++i) scope.start(join(joined, i));
    co_await sleep_for(2s);
    EXPECT_NO_THROW(co_await joined.join());  // it has been thrown
  };
  block_on(worker, with_scope(body));
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace drover::coro
