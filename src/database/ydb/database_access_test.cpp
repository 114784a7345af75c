#include "database/ydb/database_access.h"

#include <gtest/gtest.h>

#include <gmock/gmock.h>
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
    coro::block_on(worker, with_retries(work));
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

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Partitions, AreCutAtKeys) {
  EXPECT_THAT(keys_of_ranges(1), IsEmpty());
  EXPECT_THAT(keys_of_ranges(3), ElementsAre("2", "3"));
  EXPECT_EQ(keys_of_ranges(50).size(), 49U);
  EXPECT_EQ(keys_of_ranges(51).size(), 25U);
  const auto keys = keys_of_ranges(100'000'000'000);
  EXPECT_EQ(keys.size(), 49U);
  EXPECT_EQ(keys.back(), "98000000001");
}

TEST(Partitions, AreNotMergedAndMayGrow) {
  EXPECT_EQ(partition_settings(60, {"7", "9"}),
            " WITH (AUTO_PARTITIONING_BY_LOAD = DISABLED, AUTO_PARTITIONING_PARTITION_SIZE_MB = "
            "2000, AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = 60, "
            "AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = 120, PARTITION_AT_KEYS = (7, 9))");
  EXPECT_THAT(partition_settings(1, {}), HasSubstr("MAX_PARTITIONS_COUNT = 100)"));
  EXPECT_THAT(partition_settings(1, {}), Not(HasSubstr("PARTITION_AT_KEYS")));
}

}  // namespace
}  // namespace drover::database::ydb
