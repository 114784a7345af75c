// Gcra without a runtime.
#include "coro/limiter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <stdexcept>
#include <vector>

namespace drover::coro {
namespace {

using namespace std::chrono_literals;

constexpr Instant start = Instant{} + 1000s;

// Enters as early as possible. Returns the instant of the last of `count` entries.
Instant enter_eagerly(Gcra& gcra, Instant now, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    now = std::max(now, gcra.next_entry());
    gcra.enter(now);
  }
  return now;
}

TEST(GcraTest, SpacesEntriesEvenly) {
  const Rate rate{.entries = 10, .period = 1s, .burst = 1};
  Gcra gcra(rate);
  gcra.enter(start);
  EXPECT_EQ(gcra.next_entry(), start + 100ms);
  gcra.enter(start + 100ms);
  EXPECT_EQ(gcra.next_entry(), start + 200ms);
}

TEST(GcraTest, ALateEntryGivesNoCreditWithoutABurst) {
  const Rate rate{.entries = 10, .period = 1s, .burst = 1};
  Gcra gcra(rate);
  gcra.enter(start);
  gcra.enter(start + 10s);
  EXPECT_EQ(gcra.next_entry(), start + 10s + 100ms);
}

TEST(GcraTest, ABurstComesAtOnceAndFillsUpAgainAtTheRate) {
  const Rate rate{.entries = 10, .period = 1s, .burst = 3};
  Gcra gcra(rate);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(gcra.next_entry(), start);
    gcra.enter(start);
  }
  EXPECT_EQ(gcra.next_entry(), start + 100ms);
  // Two entries after two intervals, then one per interval.
  EXPECT_EQ(enter_eagerly(gcra, start + 200ms, 2), start + 200ms);
  EXPECT_EQ(gcra.next_entry(), start + 300ms);
  // A pause of any length allows three entries.
  EXPECT_EQ(enter_eagerly(gcra, start + 1h, 3), start + 1h);
  EXPECT_EQ(gcra.next_entry(), start + 1h + 100ms);
}

// The interval is 333,333,333.3… ns: rounded intervals would be wrong by a third of a ns per entry.
TEST(GcraTest, AnIntervalOfNoWholeNanosecondsDoesNotDrift) {
  const Rate rate{.entries = 3, .period = 1s, .burst = 1};
  Gcra gcra(rate);
  EXPECT_EQ(enter_eagerly(gcra, start, 300'001), start + 100'000s);
}

TEST(GcraTest, MoreThanOneEntryANanosecondIsCountedToo) {
  const Rate rate{.entries = 3'000'000'000, .period = 1s, .burst = 1};
  Gcra gcra(rate);
  EXPECT_EQ(enter_eagerly(gcra, start, 300'001), start + 100us);
}

// Random entries: no window has more than burst + window * rate entries, plus one for its edges.
TEST(GcraTest, NoWindowHoldsMoreThanTheRateAllows) {
  std::mt19937_64 random(3);
  const Rate rate{.entries = 7, .period = 1ms, .burst = 4};
  Gcra gcra(rate);
  std::vector<Instant> entries;
  Instant now = start;
  while (entries.size() < 3000) {
    now += Duration(static_cast<std::int64_t>(random() % 200'000));
    if (random() % 50 == 0) now += 5ms;
    if (gcra.next_entry() > now) continue;
    gcra.enter(now);
    entries.push_back(now);
  }
  for (std::size_t first = 0; first < entries.size(); first += 13) {
    for (std::size_t last = first; last < std::min(entries.size(), first + 400); ++last) {
      const double window_ms =
          std::chrono::duration<double, std::milli>(entries[last] - entries[first]).count();
      ASSERT_LE(static_cast<double>(last - first + 1), 4 + window_ms * 7 + 1e-3);
    }
  }
}

TEST(GcraTest, RefusesRatesOfNothingAndBeyondItsNumbers) {
  const std::vector<Rate> wrong{
      Rate{.entries = 0},
      Rate{.entries = -1},
      Rate{.period = Duration(0)},
      Rate{.period = -1s},
      Rate{.burst = 0},
      Rate{.burst = -5},
      Rate{.entries = INT64_MAX},
      Rate{.burst = INT64_MAX},
      Rate{.period = 24h * 365 * 200, .burst = 2},
  };
  for (const Rate& rate : wrong) EXPECT_THROW(Gcra{rate}, std::invalid_argument);
}

TEST(GcraTest, TheLargestRateIsCountedWithoutOverflow) {
  const Rate rate{.entries = INT64_MAX / 4, .period = 24h * 365, .burst = 146};
  Gcra gcra(rate);
  // 73 entries per nanosecond after the burst of 146.
  EXPECT_EQ(enter_eagerly(gcra, start, 1000), start + 12ns);
}

}  // namespace
}  // namespace drover::coro
