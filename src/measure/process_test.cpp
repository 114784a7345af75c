#include "measure/process.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace drover::measure {
namespace {

TEST(Process, ParsesTheKernelsText) {
  const ProcessUsage usage = parse_process_status(
      "Name:\tVmRSS: 7\nVmHWM:\t   2048 kB\nVmRSS:\t    1024 kB\nThreads:\t12\n");
  EXPECT_EQ(usage.peak_rss_bytes, 2048u * 1024);
  EXPECT_EQ(usage.rss_bytes, 1024u * 1024);
  EXPECT_EQ(usage.threads, 12u);
}

TEST(Process, MissingAndBrokenLinesAreZero) {
  for (const char* text : {"", "\n\n", "VmHWM:", "VmRSS:\tnone kB\nThreads: \n", "VmHWM"}) {
    const ProcessUsage usage = parse_process_status(text);
    EXPECT_EQ(usage.peak_rss_bytes, 0u) << text;
    EXPECT_EQ(usage.rss_bytes, 0u) << text;
    EXPECT_EQ(usage.threads, 0u) << text;
  }
}

TEST(Process, SeesItsOwnMemoryAndThreads) {
  const ProcessUsage before = read_process_usage();
  EXPECT_GT(before.rss_bytes, 100'000u);
  EXPECT_GE(before.peak_rss_bytes, before.rss_bytes);

  constexpr std::size_t size = 64u << 20;
  std::vector<char> memory(size);
  // By a volatile pointer, so that the compiler does not remove the writes.
  volatile char* bytes = memory.data();
  for (std::size_t i = 0; i < size; i += 4096) bytes[i] = 'x';
  EXPECT_GE(read_process_usage().peak_rss_bytes, size);

  std::latch seen(1);
  std::thread other([&seen] { seen.wait(); });
  // A sanitizer may have started another thread.
  EXPECT_GE(read_process_usage().threads, before.threads + 1);
  seen.count_down();
  other.join();
}

TEST(Process, CpuTimeRisesWithWork) {
  const double before = read_process_usage().cpu_seconds;
  volatile std::uint64_t sum = 0;
  double after = before;
  // Limited by the work, because the kernel counts time in ticks of some milliseconds.
  for (int round = 0; round < 1'000 && after <= before; ++round) {
    for (std::uint64_t i = 0; i < 1'000'000; ++i) sum = sum + i;
    after = read_process_usage().cpu_seconds;
  }
  EXPECT_GT(after, before);
}

const std::string fields =
    " S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 4 0 123456 10000 200 18446744073709551615\n";

TEST(ProcessStart, IsTheField22) {
  EXPECT_EQ(start_ticks_of("7 (drover)" + fields), 123456);
  EXPECT_EQ(start_ticks_of("7 (a) b ) 1 2 3 4 5 6 7 8 9 (c)" + fields), 123456);
}

TEST(ProcessStart, OfNonsenseIsUnknown) {
  for (const char* text : {"", "7", "7 (drover)", "7 (drover) S 1 1", "(((((", ")))"}) {
    EXPECT_FALSE(start_ticks_of(text)) << text;
  }
  EXPECT_FALSE(start_ticks_of("7 (x) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 4 0 ticks 1"));
}

TEST(ProcessStart, WasBeforeNowAndAfterTheLastBoot) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const double start = process_start_unix_s();
  EXPECT_LE(start, now + 1);
  EXPECT_GT(start, now - 3600);  // a test program that takes an hour has other troubles
}

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

// Computes until the thread has used this processor time.
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

// Two threads share one processor, so one waits while the other works.
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
  // The thread that ended last waited about as long as the other one worked.
  const int longer = waited[0].waited > waited[1].waited ? 0 : 1;
  EXPECT_GE(waited[longer].waited, std::chrono::milliseconds(100));
  EXPECT_GE(waited[longer].slices, 1u);
}

TEST(Host, FindsValuesInBothForms) {
  EXPECT_EQ(value_of_line("processor\t: 0\nmodel name\t: Xeon (R) X\n", "model name"),
            "Xeon (R) X");
  EXPECT_EQ(value_of_line("NAME=x\nPRETTY_NAME=\"Debian 12\"\n", "PRETTY_NAME"), "Debian 12");
  EXPECT_EQ(value_of_line("NAME=x", "NAME"), "x");
  EXPECT_EQ(value_of_line("NAMES=x\n", "NAME"), "");
  EXPECT_EQ(value_of_line("NAME=\n", "NAME"), "");
  EXPECT_EQ(value_of_line("NAME", "NAME"), "");
  EXPECT_EQ(value_of_line("", "NAME"), "");
}

TEST(Host, NamesProcessorsByNumbersWhereTheyHaveNoName) {
  constexpr std::string_view neoverse =
      "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd atomics\n"
      "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
      "CPU revision\t: 1\n";
  EXPECT_EQ(cpu_model(neoverse), "ARM, implementer 0x41, part 0xd0c");
  EXPECT_EQ(cpu_model("processor\t: 0\nmodel name\t: Xeon (R) X\n"), "Xeon (R) X");
  EXPECT_EQ(cpu_model("processor\t: 0\nCPU implementer\t: 0x41\n"), "");
  EXPECT_EQ(cpu_model(""), "");
}

TEST(Host, KnowsThisOne) {
  const Host host = describe_host();
  EXPECT_FALSE(host.hostname.empty());
  EXPECT_NE(host.os.find("Linux"), std::string::npos);
  EXPECT_GE(host.cpus, 1u);
}

}  // namespace
}  // namespace drover::measure
