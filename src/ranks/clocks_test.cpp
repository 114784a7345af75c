#include "ranks/clocks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

namespace drover::ranks {
namespace {

// Another host's clocks, so far ahead of ours; a trip there takes `there_ns`, and one back
// `back_ns`.
struct OtherHost {
  std::int64_t monotonic_ahead_ns;
  std::int64_t wall_ahead_ns;

  RoundTrip trip(std::int64_t at_ns, std::int64_t there_ns, std::int64_t back_ns) const {
    const std::int64_t wall_ns = at_ns + 1'000'000'000'000;
    return {{at_ns, wall_ns},
            {at_ns + there_ns + back_ns, wall_ns + there_ns + back_ns},
            {at_ns + there_ns + monotonic_ahead_ns, wall_ns + there_ns + wall_ahead_ns}};
  }
};

TEST(Clocks, NoTripNoDifference) {
  EXPECT_FALSE(difference({}));
}

TEST(Clocks, OfATripThatTakesAsLongThereAsBackItIsExact) {
  const OtherHost host{-5'000, 7'000};
  const std::vector<RoundTrip> trips = {host.trip(100, 20, 20)};
  const auto found = difference(trips);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->monotonic_ns, -5'000);
  EXPECT_EQ(found->wall_ns, 7'000);
  EXPECT_EQ(found->uncertainty_ns, 20);
}

TEST(Clocks, TheShortestTripSaysIt) {
  const OtherHost host{1'000'000, 0};
  // The others were held up on one way: they would be off by half of that.
  const std::vector<RoundTrip> trips = {host.trip(0, 9'000, 10), host.trip(20'000, 10, 12),
                                        host.trip(30'000, 10, 70'000)};
  const auto found = difference(trips);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->uncertainty_ns, 11);
  EXPECT_LE(std::abs(found->monotonic_ns - 1'000'000), 1);
}

TEST(Clocks, InstantsThereAndBack) {
  const ClockDifference ahead{.monotonic_ns = 250};
  const coro::Instant ours{coro::Duration(1'000)};
  EXPECT_EQ(ahead.theirs(ours).time_since_epoch().count(), 1'250);
  EXPECT_EQ(ahead.ours(ahead.theirs(ours)), ours);
}

TEST(Clocks, InSeconds) {
  const report::ClockOffset offset = ClockDifference{2'000'000'000, -500'000'000, 1'000}.offset();
  EXPECT_DOUBLE_EQ(offset.wall_s, -0.5);
  EXPECT_DOUBLE_EQ(offset.monotonic_s, 2);
  EXPECT_DOUBLE_EQ(offset.uncertainty_s, 1e-6);
}

// However long the ways take: the truth is within the uncertainty.
TEST(Clocks, TheTruthIsWithinTheUncertainty) {
  std::mt19937_64 random(1989);
  const auto some = [&random](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  for (int round = 0; round < 1'000; ++round) {
    const OtherHost host{some(1'000'000'000) - 500'000'000, some(1'000'000'000) - 500'000'000};
    std::vector<RoundTrip> trips;
    for (std::int64_t i = 0; i < 25; ++i) {
      trips.push_back(host.trip(i * 10'000'000, 1 + some(3'000'000), 1 + some(3'000'000)));
    }
    const auto found = difference(trips);
    ASSERT_TRUE(found);
    ASSERT_LE(std::abs(found->monotonic_ns - host.monotonic_ahead_ns), found->uncertainty_ns);
    ASSERT_LE(std::abs(found->wall_ns - host.wall_ahead_ns), found->uncertainty_ns);
  }
}

}  // namespace
}  // namespace drover::ranks
