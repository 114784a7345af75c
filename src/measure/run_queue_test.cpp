#include "measure/process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <thread>

namespace drover::measure {
namespace {

using std::chrono::nanoseconds;

TEST(RunQueue, ParsesTheKernelsText) {
  const auto times = parse_run_queue_times("776739 7712 2\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->running, nanoseconds(776'739));
  EXPECT_EQ(times->waited, nanoseconds(7'712));
  EXPECT_EQ(times->slices, 2u);
  EXPECT_TRUE(parse_run_queue_times("0 0 0"));
  EXPECT_TRUE(parse_run_queue_times("1 2 3 4\n")) << "a later kernel may say more";
}

TEST(RunQueue, WhatIsNotThatTextIsNothing) {
  for (const char* text : {"", "\n", "1 2", "1 2 \n", "a b c", "1,2,3", "-1 2 3", "1 2 3x",
                           "99999999999999999999 2 3"}) {
    EXPECT_FALSE(parse_run_queue_times(text)) << text;
  }
}

TEST(RunQueue, OfNoThreadOfOursNothingIsKnown) {
  EXPECT_FALSE(read_run_queue_times(1 << 30));
  EXPECT_FALSE(read_run_queue_times(-1));
}

// Burns processor time until the thread's own clock has moved on so far.
void work_for(nanoseconds time) {
  const auto now = [] {
    timespec clock{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &clock);
    return std::chrono::seconds(clock.tv_sec) + nanoseconds(clock.tv_nsec);
  };
  const auto end = now() + time;
  while (now() < end) {
  }
}

class RunQueueOfThisKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (!read_run_queue_times(gettid())) {
      GTEST_SKIP() << "this kernel has no /proc/self/task/<tid>/schedstat";
    }
  }
};

TEST_F(RunQueueOfThisKernel, RunningTimeRisesWithWork) {
  const auto before = read_run_queue_times(gettid());
  work_for(std::chrono::milliseconds(60));
  std::this_thread::yield();  // the kernel adds up when it switches
  const auto after = read_run_queue_times(gettid());
  ASSERT_TRUE(before && after);
  // A tick of the slowest kernels is 10 ms.
  EXPECT_GE(after->running - before->running, std::chrono::milliseconds(45));
}

// Two threads that share one processor: while one works, the other waits.
TEST_F(RunQueueOfThisKernel, WaitingForAProcessorIsSeen) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);

  std::latch both(2);
  RunQueueTimes waited[2];
  const auto compete = [&](int index) {
    sched_setaffinity(0, sizeof one, &one);
    both.arrive_and_wait();
    const auto before = read_run_queue_times(gettid());
    work_for(std::chrono::milliseconds(200));
    const auto after = read_run_queue_times(gettid());
    if (before && after) {
      waited[index].waited = after->waited - before->waited;
      waited[index].slices = after->slices - before->slices;
    }
  };
  {
    std::jthread first(compete, 0);
    std::jthread second(compete, 1);
  }
  // The one that ended last waited for about as long as the other worked beside it.
  const int longer = waited[0].waited > waited[1].waited ? 0 : 1;
  EXPECT_GE(waited[longer].waited, std::chrono::milliseconds(100));
  EXPECT_GE(waited[longer].slices, 1u);
}

}  // namespace
}  // namespace drover::measure
