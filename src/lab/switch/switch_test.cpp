// The models of a flow do the same computing, and the experiment says what it comes to.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <stdexcept>

#include "lab/flow_groups.h"
#include "lab/rounds.h"
#include "lab/switch/switch_experiment.h"

namespace drover::lab {
namespace {

using namespace std::chrono_literals;

TEST(Compute, IsXorshift) {
  EXPECT_EQ(compute(0, 7), 7U);
  EXPECT_EQ(compute(1, 1), 1'082'269'761U);  // the generator's first number after 1
  EXPECT_EQ(compute(1000, 7), compute(400, compute(600, 7)));
}

TEST(StepsIn, IsOneAtLeastAndGrows) {
  const std::uint64_t in_a_second = steps_in(1s);
  EXPECT_GE(steps_in(1ns), 1U);
  EXPECT_GT(in_a_second, steps_in(1us));
  // Each step needs the one before: no processor of today makes ten a nanosecond.
  EXPECT_LT(in_a_second, 10'000'000'000U);
}

class SwitchModels : public testing::TestWithParam<FlowModel> {
 protected:
  // Runs until there is something to look at: a busy machine may not let a flow begin in time.
  static SwitchOutcome run(SwitchPlan plan) {
    SwitchOutcome outcome = run_switch(plan);
    while (outcome.operations == 0 && plan.duration < 60s) {
      plan.duration *= 4;
      outcome = run_switch(plan);
    }
    return outcome;
  }
};

TEST_P(SwitchModels, OneFlowComputesWhatItCounts) {
  const SwitchPlan plan{GetParam(), 1, 1, 1000, 0ms, 10ms};
  const SwitchOutcome outcome = run(plan);
  EXPECT_GT(outcome.operations, 0U);
  EXPECT_EQ(outcome.residue, compute(outcome.operations_in_all * 1000, first_value(0)));
}

TEST_P(SwitchModels, ManyFlowsStart) {
  const SwitchPlan plan{GetParam(), 51, 2, 100, 5ms, 10ms};
  const SwitchOutcome outcome = run(plan);
  EXPECT_GT(outcome.operations, 0U);
  EXPECT_GE(outcome.operations_in_all, outcome.operations);
  EXPECT_GE(outcome.seconds, 0.01);
  EXPECT_GE(outcome.wall_seconds, outcome.start_seconds + 0.005 + outcome.seconds);
  EXPECT_GT(outcome.start_seconds, 0);
}

TEST_P(SwitchModels, MoreWorkersThanFlowsDoNoHarm) {
  const SwitchPlan plan{GetParam(), 2, 5, 100, 0ms, 10ms};
  EXPECT_GT(run(plan).operations, 0U);
}

std::string model_of(const testing::TestParamInfo<FlowModel>& info) {
  return std::string(name_of(info.param));
}

INSTANTIATE_TEST_SUITE_P(Each, SwitchModels, testing::ValuesIn(all_of<FlowModel>()), model_of);

TEST(StartedInTime, GivesUpTenSecondsLater) {
  const coro::Instant now = coro::SteadyClock::instance().now();
  EXPECT_NO_THROW(require_started_in_time(now + 1h, 5s, 10, 100));
  EXPECT_NO_THROW(require_started_in_time(now - 1h, 2h, 10, 100));
  try {
    require_started_in_time(now - 1h, 5s, 10, 100);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find("only 10 of 100 threads were started in 36"), 0U)
        << error.what();
  }
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DROVER_TEST_UNDER_SANITIZER 1
#endif
#endif

#ifndef DROVER_TEST_UNDER_SANITIZER  // which takes more address space than any limit

TEST(SwitchThreads, ThatAreRefusedEndThoseThatWereStarted) {
  const auto too_many = []() -> std::vector<double> {
    const rlimit limit{400UL << 20, 400UL << 20};
    setrlimit(RLIMIT_AS, &limit);
    const SwitchPlan plan{FlowModel::thread, 16'384, 1, 100, 0ms, 10ms};
    return switch_figures(run_switch(plan));
  };
  EXPECT_THROW(measured_apart(too_many), MeasurementFailed);
}

#endif

TEST(SwitchFigures, AreConsistent) {
  SwitchOutcome outcome;
  outcome.operations = 4'840'000;
  outcome.seconds = 5;
  outcome.cpu_seconds = 4.84;
  outcome.start_seconds = 0.25;
  outcome.wall_seconds = 6.5;
  const std::vector<double> figures = switch_figures(outcome);
  EXPECT_EQ(switch_line(256, figures),
            "flows: 256, operations/s: 968k, operations: 4840000, measured: 5 s, CPU: 4.84 s, "
            "CPU ns/operation: 1000, start: 250 ms, total: 6.5 s");
}

TEST(SwitchFigures, OfNoOperationAreSaidToBeNone) {
  SwitchOutcome outcome;
  outcome.seconds = 5;
  EXPECT_THROW(switch_figures(outcome), std::runtime_error);
}

// Cells with the operations a second given, at 1, 2 and 4 flows, each of which took 1, 2 and 4 ns
// more than 96 of processor time.
std::vector<Cell> cells(const char* model, std::int64_t workers, std::array<double, 3> speeds) {
  std::vector<Cell> result;
  std::int64_t flows = 1;
  for (const double speed : speeds) {
    result.push_back(
        {model, {flows, workers}, {{speed, 0, 0, 0, 96.0 + static_cast<double>(flows), 0, 0}}, ""});
    flows *= 2;
  }
  return result;
}

Experiment measured() {
  Experiment experiment;
  for (const auto& more :
       {cells("coroutine", 1, {1000, 900, 950}), cells("coroutine", 2, {1000, 1800, 1805}),
        cells("thread", no_setting, {500, 720, 700})}) {
    experiment.cells.insert(experiment.cells.end(), more.begin(), more.end());
  }
  return experiment;
}

TEST(SwitchFindings, CompareWorkersFromAFlowForEachOn) {
  const auto findings = switch_findings(measured());
  EXPECT_EQ(findings.at(0),
            "coroutine on 2 workers: 1.95 times the operations/s of 1 worker (median; 2 flows: "
            "2.00, 4 flows: 1.90).");
}

TEST(SwitchFindings, SayWhatIsKeptOfThePeak) {
  const auto findings = switch_findings(measured());
  EXPECT_EQ(findings.at(1),
            "coroutine on 1 worker: the highest rate is 1000 operations/s, with 1 flow. With 4 "
            "flows, the rate is 95.0% of it, and the operations per CPU second are 97.0% of their "
            "maximum.");
  EXPECT_EQ(findings.at(3).find("thread: the highest rate is 720 operations/s, with 2 flows. With "
                                "4 flows, the rate is 97.2%"),
            0U);
}

TEST(SwitchFindings, CompareWithThreadsAndSayWhereTheyStop) {
  Experiment experiment = measured();
  const auto before = switch_findings(experiment);
  EXPECT_EQ(before.size(), 5U);
  EXPECT_EQ(before.at(4),
            "Coroutines on 2 workers: 2.54 times the operations/s of the same number of threads "
            "(median; 2 flows: 2.50, 4 flows: 2.58).");
  experiment.cells.push_back({"thread", {1, no_setting}, {}, "too short"});
  EXPECT_EQ(switch_findings(experiment).size(), 5U) << "more threads were measured than these";
  experiment.cells.push_back({"thread", {16, no_setting}, {}, "refused"});
  experiment.cells.push_back({"thread", {8, no_setting}, {}, "too slow"});
  EXPECT_EQ(switch_findings(experiment).at(5), "8 threads and more were not measured: too slow.");
}

TEST(SwitchFindings, OfNothingMeasuredAreNone) {
  EXPECT_TRUE(switch_findings(Experiment{}).empty());
}

TEST(SwitchExperiment, MeasuresEveryCellAndThreadsOnce) {
  SwitchOptions options;
  options.models = {FlowModel::coroutine, FlowModel::thread};
  options.workers = {1, 2};
  options.flows = {1, 4};
  options.work = 1us;
  options.warm_up = 0ms;
  options.duration = 500ms;
  std::size_t measurements = 0;
  const Experiment experiment = measure_study(
      switch_study(options), 1, [&](const Cell&, const std::vector<double>&) { ++measurements; },
      [] { return false; });
  EXPECT_EQ(measurements, 6U);
  ASSERT_EQ(experiment.cells.size(), 6U);
  EXPECT_EQ(experiment.cells[3].settings, (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(experiment.cells[4].settings, (std::vector<std::int64_t>{1, no_setting}));
  EXPECT_NE(experiment.findings.at(0).find("1 µs = "), std::string::npos);
  EXPECT_NE(experiment_json(experiment).find("wall_seconds"), std::string::npos);
}

TEST(SwitchExperiment, InterruptedHasNoRound) {
  const Experiment experiment = measure_study(
      switch_study({}), 1, [](const Cell&, const std::vector<double>&) { FAIL(); },
      [] { return true; });
  ASSERT_EQ(experiment.cells.size(), 1U);
  EXPECT_TRUE(experiment.cells[0].rounds.empty());
}

}  // namespace
}  // namespace drover::lab
