#include "search/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace drover::search {
namespace {

// Searches a load that behaves as `holds` says; returns all probes.
std::vector<Probe> search(const Bounds& bounds,
                          const std::function<bool(std::int64_t, bool)>& holds) {
  std::vector<Probe> probes;
  for (int i = 0; i < 200; ++i) {
    const Step step = next_step(bounds, probes);
    if (step.kind == Step::Kind::done) return probes;
    EXPECT_GE(step.load, bounds.low);
    EXPECT_LE(step.load, bounds.high);
    const bool confirmation = step.kind == Step::Kind::confirm;
    probes.push_back({step.load, confirmation, holds(step.load, confirmation), false});
  }
  ADD_FAILURE() << "it does not end";
  return probes;
}

TEST(SearchSteps, FindsEveryLimitExactlyWithoutNoiseAndTolerance) {
  for (std::int64_t limit = 1; limit <= 130; ++limit) {
    for (const std::int64_t start : {1, 16, 130}) {
      const Bounds bounds{.low = 1, .high = 130, .start = start, .tolerance = 0};
      const auto probes = search(bounds, [&](std::int64_t load, bool) { return load <= limit; });
      const Found found = found_by(probes);
      ASSERT_EQ(found.holds, limit);
      EXPECT_TRUE(found.confirmed);
      if (limit < 130) {
        EXPECT_EQ(found.breaks, limit + 1);
      } else {
        EXPECT_FALSE(found.breaks) << "what there is holds";
      }
      EXPECT_LE(probes.size(), 25U);
    }
  }
}

TEST(SearchSteps, TheToleranceEndsItEarlier) {
  const auto limited = [](std::int64_t load, bool) { return load <= 700; };
  const Bounds exact{.low = 1, .high = 10'000, .start = 8, .tolerance = 0};
  const Bounds rough{.low = 1, .high = 10'000, .start = 8, .tolerance = 0.05};
  const auto all = search(exact, limited);
  const auto fewer = search(rough, limited);
  EXPECT_LT(fewer.size(), all.size());
  const Found found = found_by(fewer);
  EXPECT_LE(*found.holds, 700);
  EXPECT_GE(static_cast<double>(*found.holds), 700 / 1.05);
}

TEST(SearchSteps, NothingHolds) {
  const Bounds bounds{.low = 4, .high = 100, .start = 20};
  const auto probes = search(bounds, [](std::int64_t, bool) { return false; });
  EXPECT_FALSE(found_by(probes).holds);
  EXPECT_EQ(found_by(probes).breaks, 4);
  EXPECT_EQ(probes.back().load, 4);
}

TEST(SearchSteps, AProbeThatBreaksIsRepeatedOnce) {
  std::vector<Probe> probes{{8, false, true}, {16, false, false}};
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  EXPECT_EQ(next_step(bounds, probes).load, 16);
  probes.push_back({16, false, true});
  EXPECT_EQ(next_step(bounds, probes).load, 32) << "a second chance, taken";
  probes.back().held = false;
  EXPECT_EQ(next_step(bounds, probes).load, 12);
}

TEST(SearchSteps, AConfirmationThatBreaksSendsTheSearchBelow) {
  const Bounds bounds{.low = 1, .high = 1'000, .start = 64, .tolerance = 0.05};
  // Short runs do not see what long ones do.
  const auto probes = search(bounds, [](std::int64_t load, bool confirmation) {
    return load <= (confirmation ? 80 : 100);
  });
  const Found found = found_by(probes);
  EXPECT_TRUE(found.confirmed);
  EXPECT_LE(*found.holds, 80);
  EXPECT_GE(*found.holds, 60);
}

TEST(SearchSteps, AConfirmationThatNeverHoldsEndsTheSearch) {
  const Bounds bounds{.low = 1, .high = 1'000, .start = 64, .tolerance = 0.05};
  const auto probes = search(
      bounds, [](std::int64_t load, bool confirmation) { return !confirmation && load < 900; });
  EXPECT_FALSE(found_by(probes).confirmed);
}

TEST(SearchSteps, ARecordThatContradictsItselfIsNoTrap) {
  const std::vector<Probe> probes{{5, true, false}, {5, true, true}};
  const Bounds bounds{.low = 1, .high = 8, .start = 4};
  const Step step = next_step(bounds, probes);
  EXPECT_EQ(step.kind, Step::Kind::done);
}

TEST(SearchSteps, NoiseAtTheLimitMovesItLittle) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.03);
  const Bounds bounds{.low = 1, .high = 10'000, .start = 10, .tolerance = 0.03};
  int near = 0;
  for (int i = 0; i < 100; ++i) {
    const auto probes = search(bounds, [&](std::int64_t load, bool confirmation) {
      const double factor = std::exp(noise(random) * (confirmation ? 0.4 : 1.0));
      return static_cast<double>(load) * factor <= 500;
    });
    const Found found = found_by(probes);
    if (found.confirmed && *found.holds > 450 && *found.holds < 550) ++near;
  }
  EXPECT_GE(near, 95);
}

// The client's machine broke the run.
Probe by_client(std::int64_t load, bool confirmation = false) {
  return {.load = load, .confirmation = confirmation, .held = false, .by_client = true};
}

TEST(SearchSteps, AProbeThatTheClientBrokeIsMadeAgainAndNeitherHoldsNorBreaks) {
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  std::vector<Probe> probes{{8, false, true}, by_client(16), by_client(16)};
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::probe, 16}));
  EXPECT_FALSE(found_by(probes).breaks);
  probes.push_back({16, false, true});
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::probe, 32}));
  EXPECT_FALSE(found_by(probes).not_judged);
}

TEST(SearchSteps, ALoadThatNoProbeCouldTellEndsTheSearchWithWhatHoldsBelow) {
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  std::vector<Probe> probes{{8, false, true}};
  probes.insert(probes.end(), client_failures_most, by_client(16));
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 8}));
  probes.push_back({8, true, true});
  EXPECT_EQ(next_step(bounds, probes), Step{});
  const Found found = found_by(probes);
  EXPECT_EQ(found.holds, 8);
  EXPECT_TRUE(found.confirmed);
  EXPECT_EQ(found.not_judged, 16);
  EXPECT_FALSE(found.found_out());
  // If 8 does not hold over a long run, the limit is below, and can be found out.
  probes.back().held = false;
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 7}));
  probes.push_back({7, true, true});
  EXPECT_EQ(next_step(bounds, probes), Step{});
  EXPECT_TRUE(found_by(probes).found_out());
}

TEST(SearchSteps, NothingButAClientThatIsTooSlow) {
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  const std::vector<Probe> probes(client_failures_most, by_client(8));
  EXPECT_EQ(next_step(bounds, probes), Step{});
  EXPECT_EQ(found_by(probes).not_judged, 8);
  EXPECT_FALSE(found_by(probes).holds);
}

// The search that was seen from outside: probes held, three confirmations were broken by the
// client's machine, and the answer was a single warehouse.
TEST(SearchSteps, ConfirmationsThatTheClientBrokeDoNotSendTheSearchBelow) {
  const Bounds bounds{.low = 1, .high = 8, .start = 8};
  std::vector<Probe> probes{{8, false, true}};
  for (int i = 0; i < client_failures_most; ++i) {
    EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 8}));
    probes.push_back(by_client(8, true));
  }
  EXPECT_EQ(next_step(bounds, probes), Step{});
  const Found found = found_by(probes);
  EXPECT_EQ(found.holds, 8);
  EXPECT_FALSE(found.confirmed);
  EXPECT_EQ(found.not_judged, 8);
  probes.back() = {8, true, true};
  EXPECT_TRUE(found_by(probes).found_out());
}

TEST(SearchSteps, AnOlderRecordThatFollowedTheClientGoesOnWhereItWentAstray) {
  const Bounds bounds{.low = 1, .high = 8, .start = 8};
  const std::vector<Probe> probes{
      {8, false, true}, by_client(8, true), by_client(7, true), {4, true, true}};
  EXPECT_EQ(found_by(probes).holds, 8);
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 8}));
}

TEST(SearchSteps, AClientThatIsSlowAtTimesIsNoTrapAndNoAnswer) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2'000; ++round) {
    const std::int64_t limit = std::uniform_int_distribution<std::int64_t>(1, 120)(random);
    std::bernoulli_distribution slow(0.05 * (round % 20));
    const Bounds bounds{.low = 1, .high = 100, .start = 1 + round % 100, .tolerance = 0};
    std::vector<Probe> probes;
    for (Step step = next_step(bounds, probes); step.kind != Step::Kind::done;
         step = next_step(bounds, probes)) {
      const bool confirmation = step.kind == Step::Kind::confirm;
      probes.push_back(slow(random) ? by_client(step.load, confirmation)
                                    : Probe{step.load, confirmation, step.load <= limit, false});
      ASSERT_LT(probes.size(), 100U) << "it does not end";
    }
    const Found found = found_by(probes);
    if (found.holds) {
      ASSERT_LE(*found.holds, limit);
    }
    if (found.breaks) {
      ASSERT_GT(*found.breaks, limit);
    }
    ASSERT_EQ(found.found_out(), !found.not_judged) << "each limit here is one that can be found";
    if (found.found_out()) {
      ASSERT_EQ(*found.holds, std::min<std::int64_t>(limit, 100));
    }
  }
}

TEST(SearchSteps, NoRecordIsATrap) {
  std::mt19937_64 random(12);
  const Bounds bounds{.low = 1, .high = 6, .start = 3, .tolerance = 0};
  const auto any = [&](std::int64_t load, bool confirmation) {
    const int outcome = std::uniform_int_distribution(0, 2)(random);
    return Probe{load, confirmation, outcome == 0, outcome == 1};
  };
  for (int round = 0; round < 5'000; ++round) {
    std::vector<Probe> probes;
    for (int i = round % 12; i > 0; --i) {
      probes.push_back(any(std::uniform_int_distribution(1, 6)(random), i % 3 == 0));
    }
    for (Step step = next_step(bounds, probes); step.kind != Step::Kind::done;
         step = next_step(bounds, probes)) {
      probes.push_back(any(step.load, step.kind == Step::Kind::confirm));
      ASSERT_LT(probes.size(), 120U) << "it does not end";
    }
    (void)found_by(probes);
  }
}

TEST(SearchSteps, ARecordThatWasCutShortGoesOnWhereItWas) {
  const Bounds bounds{.low = 1, .high = 500, .start = 8};
  const auto limited = [](std::int64_t load, bool) { return load <= 77; };
  const auto whole = search(bounds, limited);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const std::span<const Probe> part(whole.data(), cut);
    EXPECT_EQ(next_step(bounds, part).load, whole[cut].load);
  }
}

}  // namespace
}  // namespace drover::search
