#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "lab/terminals/terminals_experiment.h"

namespace drover::lab {
namespace {

using namespace std::chrono_literals;

class Models : public testing::TestWithParam<FlowModel> {};

TEST_P(Models, EveryTerminalLoops) {
  TerminalsPlan plan;
  plan.model = GetParam();
  plan.terminals = 130;  // three watched ones
  plan.workers = 2;
  plan.duration = 50ms;
  TerminalsOutcome outcome = run_terminals(plan);
  // A machine that is busy enough may not let them begin in that time.
  while (outcome.tasks == 0 && plan.duration < 60s) {
    plan.duration *= 4;
    outcome = run_terminals(plan);
  }
  EXPECT_GT(outcome.tasks, 0U);
  // A terminal alone makes one task a millisecond at most, and may end one after the time is taken.
  EXPECT_LE(static_cast<double>(outcome.tasks), 130 * outcome.seconds * 1000 + 130);
  EXPECT_EQ(outcome.early, 0U);
  EXPECT_GE(outcome.seconds, 0.05);
  EXPECT_GE(outcome.lateness_p99_us, outcome.lateness_p50_us);
}

std::string terminals_model_of(const testing::TestParamInfo<FlowModel>& info) {
  return std::string(name_of(info.param));
}

INSTANTIATE_TEST_SUITE_P(Each, Models, testing::ValuesIn(all_of<FlowModel>()), terminals_model_of);

TEST(FlowModel, HasAName) {
  for (const FlowModel model : all_of<FlowModel>()) {
    EXPECT_EQ(named<FlowModel>(name_of(model)), model);
  }
  EXPECT_EQ(name_of(FlowModel::thread), "thread");
  EXPECT_FALSE(named<FlowModel>("fiber"));
  EXPECT_FALSE(named<FlowModel>(""));
}

TEST(TerminalsFigures, APauseThatEndedEarlyIsAnError) {
  TerminalsOutcome outcome;
  outcome.tasks = 10;
  outcome.seconds = outcome.cpu_seconds = 1;
  EXPECT_NO_THROW(terminals_figures(outcome));
  outcome.early = 1;
  EXPECT_THROW(terminals_figures(outcome), std::logic_error);
}

TEST(TerminalsFigures, MakeTheLineOfTheDemo) {
  TerminalsOutcome outcome;
  outcome.tasks = 4'615'668;
  outcome.seconds = 5;
  outcome.cpu_seconds = 2;
  outcome.bytes_per_terminal = std::numeric_limits<double>::quiet_NaN();
  const std::string line = terminals_line(1024, terminals_figures(outcome));
  EXPECT_EQ(line.find("terminals: 1024, tasks/s: 923k, tasks: 4615668, duration: 5 s, CPU: "
                      "2.00 s, tasks/CPU s: 2.31M"),
            0U)
      << line;
  EXPECT_EQ(line.find("bytes"), std::string::npos);
}

}  // namespace
}  // namespace drover::lab
