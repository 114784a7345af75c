#include "workload/ycsb/clients/insert_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace drover::ycsb {
namespace {

TEST(InsertSequence, CountsWhatIsSettledWithoutAGap) {
  InsertSequence sequence(1'000);
  EXPECT_EQ(sequence.next(), 1'000U);
  EXPECT_EQ(sequence.next(), 1'001U);
  EXPECT_EQ(sequence.next(), 1'002U);
  EXPECT_EQ(sequence.existing(), 0U);
  sequence.acknowledge(1'001);
  EXPECT_EQ(sequence.existing(), 0U);
  sequence.acknowledge(1'000);
  EXPECT_EQ(sequence.existing(), 2U);
  sequence.acknowledge(1'002);
  EXPECT_EQ(sequence.existing(), 3U);
  EXPECT_EQ(sequence.missing(), 0U);
}

TEST(InsertSequence, FailedInsertDoesNotHoldBackOthers) {
  InsertSequence sequence(0);
  for (int i = 0; i < 3; ++i) sequence.next();
  sequence.acknowledge(1);
  sequence.abandon(2);
  EXPECT_EQ(sequence.missing(), 0U);
  sequence.abandon(0);
  EXPECT_EQ(sequence.existing(), 1U);
  EXPECT_EQ(sequence.missing(), 2U);
}

TEST(InsertSequence, WhatWasGivenUpIsNoRow) {
  InsertSequence sequence(100, 2);
  for (int i = 0; i < 10; ++i) sequence.next();
  for (const std::uint64_t given_up : {100, 106, 108}) sequence.abandon(given_up);
  for (const std::uint64_t inserted : {112, 102, 104, 110}) sequence.acknowledge(inserted);
  ASSERT_EQ(sequence.existing(), 4U);
  for (const std::uint64_t later : {114, 118}) sequence.acknowledge(later);
  sequence.abandon(116);
  ASSERT_EQ(sequence.existing(), 6U);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < 6; ++i) rows.push_back(sequence.number(i));
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{102, 104, 110, 112, 114, 118}));
}

TEST(InsertSequence, StripesDoNotMeet) {
  InsertSequence first(100, 3);
  InsertSequence third(102, 3);
  EXPECT_EQ(first.next(), 100U);
  EXPECT_EQ(first.next(), 103U);
  EXPECT_EQ(third.next(), 102U);
  EXPECT_EQ(third.next(), 105U);
  third.acknowledge(105);
  third.acknowledge(102);
  EXPECT_EQ(third.existing(), 2U);
  EXPECT_EQ(third.number(1), 105U);
}

TEST(InsertSequence, PassesOverWhatIsNeverSettled) {
  InsertSequence sequence(0, 1, 4);
  for (int i = 0; i < 10; ++i) sequence.next();
  for (std::uint64_t number = 1; number < 4; ++number) sequence.acknowledge(number);
  EXPECT_EQ(sequence.existing(), 0U);
  sequence.acknowledge(4);
  EXPECT_EQ(sequence.existing(), 4U);
  EXPECT_EQ(sequence.missing(), 1U);
  sequence.acknowledge(0);  // late
  EXPECT_EQ(sequence.existing(), 4U);
  EXPECT_EQ(sequence.missing(), 1U);
  sequence.acknowledge(9);  // 5 is as far back as it may be, and one more
  EXPECT_EQ(sequence.missing(), 2U);
  sequence.acknowledge(6);
  EXPECT_EQ(sequence.existing(), 5U);
  EXPECT_EQ(sequence.number(4), 6U);
}

TEST(InsertSequence, NeverRunsOut) {
  InsertSequence sequence(0);
  sequence.next();
  for (std::uint64_t number = 1; number < 200'000; ++number) {
    ASSERT_EQ(sequence.next(), number);
    sequence.acknowledge(number);
  }
  EXPECT_EQ(sequence.existing(), 0U);
  sequence.acknowledge(0);
  EXPECT_EQ(sequence.existing(), 200'000U);
}

TEST(InsertSequence, GivesEachNumberToOneThread) {
  constexpr std::uint64_t each = 20'000;
  InsertSequence sequence(7);
  std::vector<std::vector<std::uint64_t>> taken(3);
  std::vector<std::thread> threads;
  for (auto& numbers : taken) {
    threads.emplace_back([&] {
      std::uint64_t seen = 0;
      for (std::uint64_t i = 0; i < each; ++i) {
        numbers.push_back(sequence.next());
        if (i % 100 == 0) {
          sequence.abandon(numbers.back());
        } else {
          sequence.acknowledge(numbers.back());
        }
        const std::uint64_t existing = sequence.existing();
        EXPECT_GE(existing, seen);
        if (existing > 0) EXPECT_GE(sequence.number(existing - 1), 7 + existing - 1);
        seen = existing;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::uint64_t> all;
  for (const auto& numbers : taken) all.insert(all.end(), numbers.begin(), numbers.end());
  std::sort(all.begin(), all.end());
  for (std::uint64_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], 7 + i);
  EXPECT_EQ(sequence.existing(), 3 * each - 3 * each / 100);
  EXPECT_EQ(sequence.missing(), 3 * each / 100);
}

TEST(InsertSequence, RefusesOtherArguments) {
  EXPECT_THROW(InsertSequence(0, 0), std::invalid_argument);
  EXPECT_THROW(InsertSequence(0, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace drover::ycsb
