#include "database/ydb/database_access.h"

#include <gtest/gtest.h>

#include <chrono>

#include "coro/block_on.h"
#include "coro/worker.h"

namespace drover::database::ydb {
namespace {

using std::chrono::milliseconds;

YdbError error_with(Status status) {
  return {status, "", "BulkUpsert", Stage::working};
}

// How often it is attempted before it goes well, or fails for good.
int attempts(int failures, YdbError error) {
  int made = 0;
  auto work = [&]() -> coro::Task<void> {
    if (++made <= failures) throw YdbError(error);
    co_return;
  };
  coro::VirtualClock clock;
  coro::Worker worker(clock);
  try {
    coro::block_on(worker, patiently(work));
  } catch (const YdbError&) {
    return -made;
  }
  return made;
}

TEST(Patience, PausesAreDoubledUpToALimit) {
  EXPECT_EQ(pause_before(1, 1.0), milliseconds(10));
  EXPECT_EQ(pause_before(2, 0.5), milliseconds(10));
  EXPECT_EQ(pause_before(5, 1.0), milliseconds(160));
  EXPECT_EQ(pause_before(6, 1.0), milliseconds(320));
  EXPECT_EQ(pause_before(99, 1.0), milliseconds(320));
}

TEST(Patience, TriesAgainWhatMayPass) {
  EXPECT_EQ(attempts(0, error_with(Status::overloaded)), 1);
  EXPECT_EQ(attempts(3, error_with(Status::overloaded)), 4);
  EXPECT_EQ(attempts(99, error_with(Status::unavailable)), 100);
  EXPECT_EQ(attempts(2, {TransportStatus::unavailable, "", "BulkUpsert", "here", Stage::working}),
            3);
}

TEST(Patience, EndsAfterAHundredAttempts) {
  EXPECT_EQ(attempts(100, error_with(Status::overloaded)), -100);
}

TEST(Patience, DoesNotTryAgainWhatWouldFailAgain) {
  EXPECT_EQ(attempts(1, error_with(Status::scheme_error)), -1);
  EXPECT_EQ(attempts(1, error_with(Status::unauthorized)), -1);
}

}  // namespace
}  // namespace drover::database::ydb
