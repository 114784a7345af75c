#include "measure/counter.h"

#include <gtest/gtest.h>

#include <thread>

namespace drover::measure {
namespace {

TEST(Counter, StartsAtZeroAndAdds) {
  Counter counter;
  EXPECT_EQ(counter.get(), 0u);
  counter.add();
  counter.add(41);
  EXPECT_EQ(counter.get(), 42u);
}

TEST(Counter, IsReadByAnotherThreadWhileItRises) {
  Counter counter;
  constexpr std::uint64_t total = 100'000;
  std::thread writer([&counter] {
    for (std::uint64_t i = 0; i < total; ++i) counter.add();
  });
  std::uint64_t last = 0;
  bool fell = false;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t now = counter.get();
    fell = fell || now < last;
    last = now;
  }
  writer.join();
  EXPECT_FALSE(fell);
  EXPECT_EQ(counter.get(), total);
}

TEST(Counter, TakesEightBytes) {
  EXPECT_EQ(sizeof(Counter), 8u);
}

}  // namespace
}  // namespace drover::measure
