#include "coro/started_thread.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::coro {
namespace {

TEST(StartedThread, Runs) {
  int seen = 0;
  started_thread("a test", [&seen] { seen = 1; }).join();
  EXPECT_EQ(seen, 1);
}

TEST(StartedThread, ARefusalNamesTheThreadTheLimitsAndTheReason) {
  const std::string message =
      thread_refused(std::make_error_code(std::errc::resource_unavailable_try_again), "worker 3")
          .what();
  for (const char* part : {"thread of worker 3", "ulimit -u", "ulimit -v", "fewer threads",
                           "Resource temporarily unavailable"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace drover::coro
