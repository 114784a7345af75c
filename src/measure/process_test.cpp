#include "measure/process.h"

#include <gtest/gtest.h>

#include <latch>
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
  // Through a volatile pointer, or an optimising compiler leaves the memory out.
  volatile char* bytes = memory.data();
  for (std::size_t i = 0; i < size; i += 4096) bytes[i] = 'x';
  EXPECT_GE(read_process_usage().peak_rss_bytes, size);

  std::latch seen(1);
  std::thread other([&seen] { seen.wait(); });
  // A sanitizer may have started a thread of its own besides.
  EXPECT_GE(read_process_usage().threads, before.threads + 1);
  seen.count_down();
  other.join();
}

TEST(Process, CpuTimeRisesWithWork) {
  const double before = read_process_usage().cpu_seconds;
  volatile std::uint64_t sum = 0;
  double after = before;
  // Bounded by the work and not by the clock: the kernel accounts in ticks of some milliseconds.
  for (int round = 0; round < 1'000 && after <= before; ++round) {
    for (std::uint64_t i = 0; i < 1'000'000; ++i) sum = sum + i;
    after = read_process_usage().cpu_seconds;
  }
  EXPECT_GT(after, before);
}

}  // namespace
}  // namespace drover::measure
