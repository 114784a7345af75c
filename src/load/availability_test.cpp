#include "load/availability.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace drover::load {
namespace {

using namespace std::chrono_literals;
using coro::Instant;

Instant at(coro::Duration time) {
  return Instant{} + time;
}

TEST(AvailabilityTest, AnOutageRunsFromTheFirstFailureToTheFirstSuccess) {
  Availability availability;
  availability.transaction_succeeded(at(1s));
  availability.transaction_lost(at(2s), "closed");
  availability.transaction_lost(at(2s + 1ms), "closed, too");
  availability.session_refused(at(3s), "refused");
  EXPECT_TRUE(availability.down());
  EXPECT_EQ(availability.away_for(at(5s)), 3s);
  availability.session_reopened(at(7s));
  availability.transaction_succeeded(at(7s + 1ms));
  EXPECT_FALSE(availability.down());
  const AvailabilityRecord record = availability.record(at(10s));
  ASSERT_EQ(record.outages.size(), 1U);
  EXPECT_EQ(record.outages[0].start, at(2s));
  EXPECT_EQ(record.outages[0].end, at(7s));
  EXPECT_EQ(record.outages[0].transactions_lost, 2U);
  EXPECT_EQ(record.outages[0].first_error, "closed");
  EXPECT_EQ(record.interruptions, 0U);
  EXPECT_EQ(record.sessions_reopened, 1U);
}

TEST(AvailabilityTest, ASessionThatIsReopenedAtOnceIsAnInterruption) {
  Availability availability;
  for (int i = 0; i < 3; ++i) {
    availability.session_lost();
    availability.transaction_lost(at(1s * i), "killed");
    availability.session_reopened(at(1s * i + 99ms));
  }
  const AvailabilityRecord record = availability.record(at(10s));
  EXPECT_TRUE(record.outages.empty());
  EXPECT_EQ(record.interruptions, 3U);
  EXPECT_EQ(record.sessions_lost, 3U);
}

TEST(AvailabilityTest, AnOutageThatGoesOnHasNoEnd) {
  Availability availability;
  availability.session_refused(at(1s), "refused");
  EXPECT_EQ(availability.away_for(at(1s + 50ms)), 0s);
  EXPECT_EQ(availability.record(at(1s + 50ms)).interruptions, 1U);
  const AvailabilityRecord record = availability.record(at(9s));
  ASSERT_EQ(record.outages.size(), 1U);
  EXPECT_FALSE(record.outages[0].end.has_value());
}

TEST(AvailabilityTest, TheEpochTellsWhetherAnOutageLayBetween) {
  Availability availability;
  const auto before = availability.epoch();
  availability.transaction_succeeded(at(1s));
  EXPECT_EQ(availability.epoch(), before);
  availability.transaction_lost(at(2s), "closed");
  EXPECT_EQ(availability.epoch() % 2, 1U);
  availability.transaction_succeeded(at(3s));
  EXPECT_EQ(availability.epoch(), before + 2);
}

TEST(AvailabilityTest, KeepsSoManyOutagesAndCountsTheRest) {
  Availability availability;
  for (std::size_t i = 0; i < Availability::outages_most + 5; ++i) {
    const auto start = at(1s * static_cast<int>(i));
    availability.transaction_lost(start, "closed");
    availability.transaction_succeeded(start + 500ms);
  }
  const AvailabilityRecord record = availability.record(at(1s));
  EXPECT_EQ(record.outages.size(), Availability::outages_most);
  EXPECT_EQ(record.outages_dropped, 5U);
}

// For the thread sanitizer, and for the counts: every loss is in some outage or interruption.
TEST(AvailabilityTest, WorkersMayWriteAtTheSameTime) {
  Availability availability;
  constexpr int rounds = 2'000;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&availability] {
      for (int i = 0; i < rounds; ++i) {
        availability.transaction_lost(at(1ms * i), "closed");
        availability.session_lost();
        availability.transaction_succeeded(at(1ms * i + 200ms));
        (void)availability.epoch();
      }
    });
  }
  threads.clear();
  availability.transaction_succeeded(at(1h));
  const AvailabilityRecord record = availability.record(at(2h));
  EXPECT_EQ(record.sessions_lost, 4U * rounds);
  EXPECT_GT(record.outages.size() + record.interruptions + record.outages_dropped, 0U);
  EXPECT_FALSE(availability.down());
  EXPECT_EQ(availability.epoch() % 2, 0U);
}

}  // namespace
}  // namespace drover::load
