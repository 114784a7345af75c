// A clock of the day that is wrong: by as many seconds as CLOCK_AHEAD_S says; where that is not set
// it jumps, and each reading of it is an hour ahead of the truth or an hour behind it, in turns.
// For LD_PRELOAD, on Linux with glibc; the monotonic clocks stay as they are.
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

time_t jump() noexcept {
  static const char* const ahead = getenv("CLOCK_AHEAD_S");
  if (ahead != nullptr) return atol(ahead);
  static std::atomic<unsigned> readings{0};
  return readings.fetch_add(1, std::memory_order_relaxed) % 2 == 0 ? 3600 : -3600;
}

}  // namespace

extern "C" {

// By the system call: to look for the C library's own function would find this one.
int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long failed = syscall(SYS_clock_gettime, clock, now);
  const bool of_the_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (failed == 0 && of_the_day) now->tv_sec += jump();
  return static_cast<int>(failed);
}

time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval* result, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return 0;
}

}  // extern "C"
