// Every queue carries its items, ratios are read as they should be, and what is found follows from
// the figures.
#include "lab/queues/queues_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace drover::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Queues : public testing::TestWithParam<QueueKind> {};

// measure_queue() itself throws if an item is lost or doubled.
TEST_P(Queues, LoseNothing) {
  QueueLoad load;
  load.producers = 2;
  load.consumers = 2;
  load.batch = 7;
  load.work_mean = 4;
  load.warm_up_s = 0;
  load.measured_s = 0.005;
  if (!is_built(GetParam())) {
    EXPECT_THROW(measure_queue(GetParam(), load), std::runtime_error);
    return;
  }
  QueueFigures figures = measure_queue(GetParam(), load);
  // A machine that is busy enough may not let the consumers run in that time.
  while (figures.items_per_s == 0 && load.measured_s < 60) {
    load.measured_s *= 4;
    figures = measure_queue(GetParam(), load);
  }
  EXPECT_GT(figures.items_per_s, 0);
  EXPECT_GT(figures.cpu_ns_per_item, 0);
  EXPECT_GE(figures.empty_share, 0);
  EXPECT_LT(figures.empty_share, 1);
}

std::string name_of_queue(const testing::TestParamInfo<QueueKind>& info) {
  std::string name(name_of(info.param));
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Each, Queues, testing::ValuesIn(all_of<QueueKind>()), name_of_queue);

TEST(QueueKinds, HaveNames) {
  for (const QueueKind kind : all_of<QueueKind>()) EXPECT_EQ(named<QueueKind>(name_of(kind)), kind);
  EXPECT_EQ(name_of(QueueKind::moodycamel), "moodycamel");
  EXPECT_FALSE(named<QueueKind>("ring"));
  EXPECT_FALSE(named<QueueKind>(""));
}

TEST(QueueRatios, AreTwoNumbers) {
  EXPECT_EQ(queue_ratio("4:8"), (QueueRatio{4, 8}));
  EXPECT_EQ(queue_ratio("1024:1"), (QueueRatio{1024, 1}));
  for (const char* bad : {"", "4", "4:", ":4", "0:1", "1:0", "-1:1", "1:1:1", "1:2x", " 1:2", "1;2",
                          "1025:1", "1:99999999999"}) {
    EXPECT_FALSE(queue_ratio(bad)) << bad;
  }
}

Cell cell(QueueKind kind, std::initializer_list<double> rates) {
  Cell cell{std::string(name_of(kind)), {4, 8}, {}, ""};
  for (const double rate : rates) cell.rounds.push_back({rate, 1, 0});
  return cell;
}

std::vector<double> ratios(const Experiment& experiment, std::size_t cell) {
  std::vector<double> values;
  for (const auto& round : experiment.cells[cell].rounds) {
    values.push_back(round.at(static_cast<std::size_t>(QueuesFigure::against_known)));
  }
  return values;
}

TEST(CompareQueues, DividesByTheBetterOfTheSameRound) {
  Experiment experiment;
  experiment.cells = {
      cell(QueueKind::ticket, {120, 90, 100}), cell(QueueKind::segment, {20, 900, 20}),
      cell(QueueKind::locked, {100, 50, 80}), cell(QueueKind::moodycamel, {60, 100, 50})};
  compare_queues(experiment);
  EXPECT_THAT(ratios(experiment, 0), ElementsAre(1.2, 0.9, 1.25));
  EXPECT_THAT(ratios(experiment, 2), ElementsAre(1, 0.5, 1));
  // The best of ours by its median: one lucky round does not make it.
  EXPECT_THAT(
      experiment.findings,
      ElementsAre(HasSubstr("4:8: ticket is the fastest of Drover's queues, 1.20 (0.90 to 1.25"),
                  HasSubstr("faster than the better of locked and moodycamel at 0 of 1")));
}

TEST(CompareQueues, IsAheadOrBehindOnlyIfTheIntervalSaysSo) {
  for (const auto& [rate, verdict] :
       {std::pair{110.0, "at 1 of 1 ratios, and significantly slower at 0"},
        std::pair{100.0, "at 0 of 1 ratios, and significantly slower at 0"},
        std::pair{90.0, "at 0 of 1 ratios, and significantly slower at 1"}}) {
    Experiment experiment;
    experiment.cells = {cell(QueueKind::ticket, {rate, rate + 1, rate - 1}),
                        cell(QueueKind::locked, {100, 100, 100})};
    compare_queues(experiment);
    EXPECT_THAT(experiment.findings.back(), HasSubstr(verdict));
  }
}

TEST(CompareQueues, TakesWhatThereIs) {
  Experiment experiment;
  experiment.cells = {cell(QueueKind::ticket, {120, 90}), cell(QueueKind::locked, {100}),
                      cell(QueueKind::moodycamel, {})};
  compare_queues(experiment);
  EXPECT_EQ(ratios(experiment, 0).front(), 1.2);
  EXPECT_TRUE(std::isnan(ratios(experiment, 0).back()));
  EXPECT_THAT(experiment.findings.front(), HasSubstr("1.20 (one round)"));
}

TEST(CompareQueues, SaysNothingWithoutTheKnownOnes) {
  Experiment experiment;
  experiment.cells = {cell(QueueKind::none, {200}), cell(QueueKind::ticket, {120})};
  compare_queues(experiment);
  EXPECT_THAT(experiment.findings, IsEmpty());
  experiment.cells = {cell(QueueKind::locked, {200})};
  compare_queues(experiment);
  EXPECT_THAT(experiment.findings, IsEmpty());
}

TEST(QueuesLine, LeavesOutWhatIsNoNumber) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Cell one = cell(QueueKind::ticket, {});
  EXPECT_EQ(queues_line(one, {1.3e8, 15.25, 0.01}),
            "4:8 ticket: 130M items/s, CPU 15.2 ns/item, empty pops 1.0%");
  EXPECT_EQ(queues_line(one, {0, none, none}), "4:8 ticket: 0 items/s");
  Cell failed = one;
  failed.note = "no threads";
  EXPECT_EQ(queues_line(failed, {}), "4:8 ticket: no threads");
}

}  // namespace
}  // namespace drover::lab
