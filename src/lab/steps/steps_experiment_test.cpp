// The models of a flow do the same work, and the experiment says what they did.
#include "lab/steps/steps_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/rounds.h"
#include "lab/steps/steps_flow.h"
#include "steps/nitro_steps.h"

namespace drover::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StepsModels : public testing::TestWithParam<StepsModel> {
 protected:
  void SetUp() override {
    if (!why_missing(GetParam()).empty()) GTEST_SKIP() << why_missing(GetParam());
  }

  static StepsTally run(StepsTest test, std::size_t flows, std::size_t wave, std::uint64_t waits) {
    return run_steps(StepsPlan::of(GetParam(), test, flows, wave, waits)).tally;
  }
};

TEST_P(StepsModels, RunFlowsOneByOne) {
  const StepsTally tally = run(StepsTest::simple, 300, 7, 9);
  EXPECT_EQ(tally.flows, 300U);
  EXPECT_EQ(tally.waits, 0U);
}

// More than a worker resumes in a turn, and the last wave is a smaller one.
TEST_P(StepsModels, RunFlowsInWavesThatWaitOnce) {
  const StepsTally tally = run(StepsTest::parallel, 700, 300, 9);
  EXPECT_EQ(tally.flows, 700U);
  EXPECT_EQ(tally.waits, 700U);
  EXPECT_EQ(tally.waiting, 0U);
}

TEST_P(StepsModels, RunAWaveThatIsLargerThanAllFlows) {
  EXPECT_EQ(run(StepsTest::parallel, 5, 300, 9).waits, 5U);
}

// The first 100 flows wait four times, the others three times.
TEST_P(StepsModels, WaitAsOftenAsPlanned) {
  const StepsTally tally = run(StepsTest::waits, 9, 300, 1'000);
  EXPECT_EQ(tally.flows, 300U);
  EXPECT_EQ(tally.waits, 1'000U);
  EXPECT_EQ(tally.waiting, 0U);
}

TEST_P(StepsModels, EndWithoutAWait) {
  const StepsTally tally = run(StepsTest::waits, 9, 30, 7);
  EXPECT_EQ(tally.flows, 30U);
  EXPECT_EQ(tally.waits, 7U);
}

std::string steps_model_of(const testing::TestParamInfo<StepsModel>& info) {
  std::string name(name_of(info.param));
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Each, StepsModels, testing::ValuesIn(all_of<StepsModel>()),
                         steps_model_of);

TEST(StepsFlows, SayThatOneFailed) {
  StepsTally tally;
  const auto plan = StepsPlan::of(StepsModel::nitro_steps, StepsTest::waits, 1, 30, 90);
  try {
    run_step_flows<steps::NitroSteps<steps::MaxSteps<2>>>(plan, tally);
    FAIL() << "expected an error";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "flow 0 failed: InternalError");
  }
}

class FiberSteps : public StepsModels {};

// In a process of its own, which may have 64 MiB more than it has now. A stack is larger than 4
// KiB.
TEST_P(FiberSteps, SayThatThereIsNoMemoryForAStack) {
  const auto measure = []() -> std::vector<double> {
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = 512 << 20;
    setrlimit(RLIMIT_DATA, &limit);
    run(StepsTest::parallel, 100'000, 100'000, 0);
    return {};
  };
  try {
    measured_apart(measure);
    FAIL() << "expected an error";
  } catch (const MeasurementFailed& error) {
    EXPECT_THAT(error.what(), HasSubstr("no memory for the stack of fiber"));
    EXPECT_THAT(error.what(), HasSubstr("of 100000. Use a smaller --wave"));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, FiberSteps,
                         testing::Values(StepsModel::fiber_protected, StepsModel::fiber_pooled),
                         steps_model_of);

TEST(StepsModel, HasAName) {
  for (const StepsModel model : all_of<StepsModel>()) {
    EXPECT_EQ(named<StepsModel>(name_of(model)), model);
  }
  for (const StepsTest test : all_of<StepsTest>()) {
    EXPECT_EQ(named<StepsTest>(name_of(test)), test);
  }
  EXPECT_EQ(name_of(StepsModel::fiber_pooled), "fiber-pooled");
  EXPECT_EQ(name_of(StepsTest::waits), "waits");
  EXPECT_FALSE(named<StepsModel>("fiber"));
  EXPECT_FALSE(named<StepsModel>(""));
  EXPECT_FALSE(named<StepsTest>("wait"));
  EXPECT_FALSE(named<StepsTest>(""));
}

TEST(StepsModel, ThatIsNotInThisBuildSaysWhy) {
  for (const StepsModel model : all_of<StepsModel>()) {
    if (why_missing(model).empty()) continue;
    EXPECT_THROW(run_steps({.model = model}), std::runtime_error);
    const Experiment experiment = measure_study(
        steps_study({.models = {model}, .tests = {StepsTest::simple}}), 1,
        [](const Cell&, const std::vector<double>&) { FAIL() << "not measured"; },
        [] { return false; });
    ASSERT_EQ(experiment.cells.size(), 1U);
    EXPECT_EQ(experiment.cells[0].note, why_missing(model));
  }
}

TEST(Wave, DealsOutItsWaits) {
  const Wave wave{3, 10};
  EXPECT_EQ(wave.waits_of(0) + wave.waits_of(1) + wave.waits_of(2), 10U);
  EXPECT_EQ(wave.waits_of(0), 4U);
  EXPECT_EQ(wave.waits_of(2), 3U);
  EXPECT_EQ(wave.rounds(), 4U);
  EXPECT_EQ(wave.waiting_in(2), 3U);
  EXPECT_EQ(wave.waiting_in(3), 1U);
  EXPECT_EQ((Wave{3, 2}.rounds()), 1U);
  EXPECT_EQ((Wave{3, 2}.waiting_in(0)), 2U);
}

TEST(StepsPlan, HasWavesUpToTheRest) {
  const StepsPlan plan = StepsPlan::of(StepsModel::coroutine, StepsTest::parallel, 70, 30, 9);
  std::vector<std::size_t> sizes;
  for (const Wave& wave : plan.waves()) sizes.push_back(wave.flows);
  EXPECT_THAT(sizes, ElementsAre(30, 30, 10));
  EXPECT_EQ(plan.operations(), 70U);
  EXPECT_EQ(StepsPlan::of(StepsModel::coroutine, StepsTest::waits, 70, 30, 9).operations(), 9U);
}

TEST(StepsCheck, AMissingFlowOrWaitIsAnError) {
  const StepsPlan plan = StepsPlan::of(StepsModel::coroutine, StepsTest::waits, 1, 30, 90);
  EXPECT_NO_THROW(check(plan, {.flows = 30, .waits = 90}));
  EXPECT_THROW(check(plan, {.flows = 29, .waits = 90}), std::logic_error);
  EXPECT_THROW(check(plan, {.flows = 30, .waits = 89}), std::logic_error);
  EXPECT_THROW(check(plan, {.flows = 30, .waits = 91}), std::logic_error);
  EXPECT_THROW(check(plan, {.flows = 30, .waits = 90, .waiting = 1}), std::logic_error);
}

TEST(StepsFigures, AreOfTheTestsOperations) {
  StepsOutcome outcome;
  outcome.seconds = 2;
  outcome.cpu_seconds = 1;
  outcome.peak_growth_bytes = 18.2e6;
  outcome.peak_bytes = 24.6e6;
  const auto plan = StepsPlan::of(StepsModel::coroutine, StepsTest::waits, 1, 30, 9'000'000);
  const std::vector<double> figures = steps_figures(plan, outcome);
  EXPECT_THAT(figures, ElementsAre(4.5e6, 9e6, 2, 1, 18.2e6, 24.6e6));
  EXPECT_EQ(steps_line(figures), "4.50M Hz, time: 2 s, CPU: 1 s, memory: 18.2 MB, peak: 24.6 MB");
}

Cell measured(StepsModel model, StepsTest test, std::vector<double> hz, double peak_bytes) {
  Cell cell{subject_of(model, test), {1, 1, 0}, {}, ""};
  for (const double value : hz) cell.rounds.push_back({value, value, 1, 1, 0, peak_bytes});
  return cell;
}

TEST(StepsFindings, AreRatiosOfTheSameRoundAndTheMostMemory) {
  Experiment experiment;
  experiment.cells = {
      measured(StepsModel::coroutine, StepsTest::simple, {30, 60, 90}, 8e6),
      measured(StepsModel::coroutine, StepsTest::waits, {50}, 9e6),
      measured(StepsModel::fiber_protected, StepsTest::simple, {1, 2, 3}, 250e6),
      measured(StepsModel::fiber_pooled, StepsTest::simple, {10, 20, 30}, 380e6),
      measured(StepsModel::async_steps, StepsTest::waits, {10}, 20e6),
      measured(StepsModel::nitro_steps, StepsTest::waits, {15}, 10e6),
  };
  const std::vector<std::string> findings = steps_findings(experiment);
  ASSERT_EQ(findings.size(), 7U);
  EXPECT_THAT(findings[0], HasSubstr("coroutine simple has 3.00 (3.00 to"));
  EXPECT_EQ(findings[1],
            "nitrosteps waits has 1.50 (one round) times the rate of asyncsteps waits.");
  EXPECT_EQ(findings[2], "coroutine: 9.0 MB peak memory, the highest of its tests.");
  EXPECT_THAT(findings[6], HasSubstr("fiber-pooled: 380.0 MB"));
}

TEST(StepsFindings, OfCellsWithoutFiguresAreNone) {
  Experiment experiment;
  experiment.cells = {measured(StepsModel::coroutine, StepsTest::simple, {}, 0),
                      measured(StepsModel::fiber_pooled, StepsTest::simple, {}, 0)};
  EXPECT_TRUE(steps_findings(experiment).empty());
}

TEST(StepsExperiment, HasACellForEachTestAndModel) {
  StepsOptions options;
  options.models = {StepsModel::coroutine, StepsModel::nitro_steps};
  options.tests = {StepsTest::simple, StepsTest::waits};
  options.flows = 100;
  options.wave = 40;
  options.waits = 130;
  std::size_t measured_ones = 0;
  const Experiment experiment = measure_study(
      steps_study(options), 2,
      [&](const Cell&, const std::vector<double>& figures) {
        measured_ones += figures.empty() ? 0 : 1;
      },
      [] { return false; });
  EXPECT_EQ(measured_ones, 8U);
  ASSERT_EQ(experiment.cells.size(), 4U);
  EXPECT_EQ(experiment.cells[0].subject, "coroutine simple");
  EXPECT_THAT(experiment.cells[0].settings, ElementsAre(100, 1, 0));
  EXPECT_EQ(experiment.cells[3].subject, "nitrosteps waits");
  EXPECT_THAT(experiment.cells[3].settings, ElementsAre(40, 40, 130));
  for (const Cell& cell : experiment.cells) {
    ASSERT_EQ(cell.rounds.size(), 2U) << cell.note;
    EXPECT_EQ(cell.rounds[0].size(), experiment.figures.size());
  }
}

}  // namespace
}  // namespace drover::lab
