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
  EXPECT_EQ(record.sessions_refused, 1U);
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

// Answers every 20 ms from the beginning until `until`.
void answer_until(Availability& availability, coro::Duration until) {
  availability.work_began(at(0s));
  for (coro::Duration time = 20ms; time <= until; time += 20ms) {
    availability.transaction_succeeded(at(time));
  }
}

TEST(AvailabilityTest, AStallIsASilenceInWhichSomebodyWaits) {
  Availability availability;
  answer_until(availability, 5s);
  EXPECT_EQ(availability.silent_for(at(5s + 900ms)), 0s);
  EXPECT_EQ(availability.silent_for(at(7s)), 2s);
  EXPECT_TRUE(availability.stalls(at(7s)));
  const auto before = availability.epoch();
  availability.transaction_succeeded(at(17s));
  EXPECT_NE(availability.epoch(), before) << "who waited meanwhile waited for the database";
  EXPECT_EQ(availability.epoch() % 2, 0U);
  const AvailabilityRecord record = availability.record(at(20s));
  ASSERT_EQ(record.stalls.size(), 2U);
  EXPECT_EQ(record.stalls[0].start, at(5s));
  EXPECT_EQ(record.stalls[0].end, at(17s));
  EXPECT_EQ(record.stalls[1].start, at(17s));
  EXPECT_FALSE(record.stalls[1].end.has_value()) << "it goes on";
  EXPECT_TRUE(record.outages.empty());
}

TEST(AvailabilityTest, WhereNobodyWaitsNothingStalls) {
  Availability availability;
  for (int i = 0; i < 5; ++i) {
    availability.work_began(at(10s * i));
    availability.transaction_succeeded(at(10s * i + 5ms));
    availability.work_ended(at(10s * i + 5ms));
  }
  EXPECT_TRUE(availability.record(at(1h)).stalls.empty());
}

TEST(AvailabilityTest, WorkThatEndsWithoutAnAnswerHasStalledUntilThen) {
  Availability availability;
  answer_until(availability, 5s);
  availability.work_ended(at(13s));  // cancelled, or timed out
  availability.work_began(at(14s));
  availability.transaction_succeeded(at(14s + 20ms));
  const AvailabilityRecord record = availability.record(at(14s + 500ms));
  ASSERT_EQ(record.stalls.size(), 1U);
  EXPECT_EQ(record.stalls[0].start, at(5s));
  EXPECT_EQ(record.stalls[0].end, at(13s));
}

TEST(AvailabilityTest, AnOutageBeginsAtTheLastSignOfLife) {
  Availability availability;
  answer_until(availability, 5s);
  availability.transaction_lost(at(13s), "the server does not answer");
  availability.session_reopened(at(13s + 50ms));
  const AvailabilityRecord record = availability.record(at(13s + 60ms));
  ASSERT_EQ(record.outages.size(), 1U);
  EXPECT_EQ(record.outages[0].start, at(5s));
  EXPECT_EQ(record.outages[0].end, at(13s + 50ms));
  EXPECT_TRUE(record.stalls.empty()) << "it is listed once";
}

TEST(AvailabilityTest, SlowTransactionsOfFewConnectionsAreNoStall) {
  Availability availability;
  availability.work_began(at(0s));
  for (int i = 1; i < 20; ++i) availability.transaction_succeeded(at(2s * i));
  EXPECT_TRUE(availability.record(at(38s)).stalls.empty());
  availability.transaction_succeeded(at(50s));
  EXPECT_EQ(availability.record(at(50s)).stalls.size(), 1U);
}

TEST(AvailabilityTest, FrozenBeforeTheFirstAnswer) {
  Availability availability;
  availability.work_began(at(0s));
  EXPECT_EQ(availability.record(at(12s)).stalls.size(), 1U);
  availability.transaction_succeeded(at(12s));
  EXPECT_EQ(availability.record(at(12s)).stalls.size(), 1U);
}

TEST(AvailabilityTest, WhileTheClientStoodStillNobodyElseIsToBlame) {
  Availability availability;
  answer_until(availability, 5s);
  availability.client_stood_still(at(5s + 50ms), at(10s));
  availability.client_stood_still(at(5s + 60ms), at(10s + 1ms));  // another worker says the same
  availability.transaction_succeeded(at(10s + 2ms));
  EXPECT_TRUE(availability.record(at(10s + 3ms)).stalls.empty());
  // A database that is silent before and after is seen in two pieces.
  availability.client_stood_still(at(13s), at(15s));
  availability.transaction_succeeded(at(18s));
  const AvailabilityRecord record = availability.record(at(18s));
  ASSERT_EQ(record.stalls.size(), 2U);
  EXPECT_EQ(record.stalls[0].end, at(13s));
  EXPECT_EQ(record.stalls[1].start, at(15s));
}

TEST(AvailabilityTest, WhatIsSilentAfterTheEndOfARunIsNoStallOfIt) {
  Availability availability;
  answer_until(availability, 5s);
  availability.work_ended(at(9s));
  EXPECT_TRUE(availability.record(at(5s + 100ms)).stalls.empty());
  const AvailabilityRecord record = availability.record(at(6s + 500ms));
  ASSERT_EQ(record.stalls.size(), 1U);
  EXPECT_FALSE(record.stalls[0].end.has_value());
}

// For the thread sanitizer, and for the counts: every loss is in some outage or interruption.
TEST(AvailabilityTest, WorkersMayWriteAtTheSameTime) {
  Availability availability;
  constexpr int rounds = 2'000;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&availability] {
      for (int i = 0; i < rounds; ++i) {
        availability.work_began(at(1ms * i));
        availability.transaction_lost(at(1ms * i), "closed");
        availability.session_lost();
        availability.transaction_succeeded(at(1ms * i + 200ms));
        (void)availability.epoch();
        availability.client_stood_still(at(1ms * i), at(1ms * i + 1ms));
        availability.work_ended(at(1ms * i + 200ms));
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
