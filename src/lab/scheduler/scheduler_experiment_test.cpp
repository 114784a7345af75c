// Both subjects run every task, wherever it was spawned, and what is found follows from the
// figures.
#include "lab/scheduler/scheduler_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace drover::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Place {
  bool relay;
  bool outside;
};

class Spawning : public testing::TestWithParam<Place> {};

// measure_spawning() itself throws if a task is lost or runs twice.
TEST_P(Spawning, LosesNothing) {
  SpawnWork work;
  work.spawners = 3;
  work.workers = 2;
  work.tasks_per_spawner = 2'000;  // beyond the rings, so that the global list is used
  work.seconds_min = 0.001;
  work.outside = GetParam().outside;
  const SpawnTally tally = measure_spawning(work, GetParam().relay);
  EXPECT_GE(tally.rounds, 1U);
  EXPECT_EQ(tally.tasks, tally.rounds * 6'000);
  EXPECT_GE(tally.seconds, 0.001);
  EXPECT_GT(tally.cpu_seconds, 0);
  if (!GetParam().relay) EXPECT_EQ(tally.relay_batches, 0U);
}

// From outside nothing reaches a ring but the shares that its worker takes when it has run dry, and
// they fit where no thief has still to finish.
TEST(Spawning, FromOutsideOverflowsNoRing) {
  SpawnWork work;
  work.spawners = 3;
  work.workers = 1;
  work.tasks_per_spawner = 2'000;
  work.seconds_min = 0.001;
  work.outside = true;
  EXPECT_EQ(measure_spawning(work, false).overflowed, 0U);
}

std::string name_of_case(const testing::TestParamInfo<Place>& info) {
  return std::string(info.param.relay ? "Relay" : "Direct") +
         (info.param.outside ? "Outside" : "Inside");
}

INSTANTIATE_TEST_SUITE_P(Each, Spawning,
                         testing::Values(Place{false, false}, Place{false, true},
                                         Place{true, false}, Place{true, true}),
                         name_of_case);

TEST(Spawning, InTurnsMeasuresBothTwice) {
  SpawnWork work;
  work.tasks_per_spawner = 100;
  work.seconds_min = 1e-9;
  const SpawnPair pair = measure_spawning_in_turns(work);
  EXPECT_GE(pair.direct.rounds, 2U);
  EXPECT_GE(pair.relay.rounds, 2U);
}

TEST(Spawning, AsksForAPoolThatThereCanBe) {
  SpawnWork work;
  work.workers = 1'025;
  EXPECT_THROW(measure_spawning(work, false), std::invalid_argument);
}

// Both subjects have seven figures each, of which only a few matter here.
Cell both(std::int64_t spawners, std::initializer_list<std::pair<double, double>> rates,
          double batches) {
  Cell cell{"direct, relay", {spawners, 2}, {}, ""};
  for (const auto& [direct, relay] : rates) {
    cell.rounds.push_back({direct, 1, 0, 0, 0, 0, 0, relay, 1, 0, batches, 0, 0, 0});
  }
  return cell;
}

TEST(CompareSchedulers, MakesTwoCellsWithTheRatioOfEachRound) {
  Experiment experiment;
  experiment.cells = {both(2, {{4, 5}, {10, 8}}, 0)};
  experiment.cells[0].note = "gave up";
  compare_schedulers(experiment);
  ASSERT_EQ(experiment.cells.size(), 2U);
  const Cell& direct = experiment.cells[0];
  const Cell& relay = experiment.cells[1];
  EXPECT_EQ(direct.subject, "direct");
  EXPECT_EQ(relay.subject, "relay");
  EXPECT_EQ(direct.note, "gave up");
  EXPECT_EQ(relay.note, "gave up");
  constexpr auto ratio = static_cast<std::size_t>(SchedulerFigure::relay_to_direct);
  EXPECT_TRUE(std::isnan(direct.rounds[0].at(ratio)));
  EXPECT_EQ(direct.rounds[1][0], 10);
  EXPECT_EQ(relay.rounds[0].at(ratio), 1.25);
  EXPECT_EQ(relay.rounds[1].at(ratio), 0.8);
}

TEST(CompareSchedulers, FindsTheExtremesAndTheMiddle) {
  Experiment experiment;
  experiment.cells = {both(2, {{10, 9}, {10, 8}}, 0), both(4, {{10, 10}, {10, 11}}, 3),
                      both(8, {{10, 13}, {10, 12}}, 5)};
  compare_schedulers(experiment);
  EXPECT_THAT(experiment.findings,
              ElementsAre(HasSubstr("most with 8 spawners and 2 workers: 1.25 (1.20 to 1.30"),
                          HasSubstr("least with 2 spawners and 2 workers: 0.85 (0.80 to 0.90"),
                          HasSubstr("median of all 3 cells: 1.05 (1.00 to 1.10"),
                          HasSubstr("chance"), HasSubstr("used in 2 of 3 cells")));
}

TEST(CompareSchedulers, SaysNothingOfNothing) {
  Experiment experiment;
  experiment.cells = {both(2, {}, 0)};
  compare_schedulers(experiment);
  EXPECT_EQ(experiment.cells.size(), 2U);
  EXPECT_THAT(experiment.findings, IsEmpty());
}

TEST(SchedulerLine, SaysBoth) {
  const Cell cell = both(32, {{2e6, 3e6}}, 1);
  EXPECT_EQ(scheduler_line(cell, cell.rounds[0]),
            "32 spawners, 2 workers: direct 2.00M tasks/s, relay 3.00M tasks/s, ratio 1.50");
  Cell failed = cell;
  failed.note = "no threads";
  EXPECT_EQ(scheduler_line(failed, {}), "32 spawners, 2 workers: no threads");
}

}  // namespace
}  // namespace drover::lab
