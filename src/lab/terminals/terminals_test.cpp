// The models of a terminal do the same work, and the experiment says what they did.
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

// Two cells with three rounds, made by hand.
Experiment example() {
  Experiment experiment;
  experiment.name = "terminals";
  experiment.question = "Is <b>this</b> text?";
  experiment.factors = {{"terminals", "terminals"}, {"workers", "workers"}};
  experiment.figures = {{"speed", "tasks/s", "1/s"}, {"memory", "memory", "bytes"}};
  const double none = std::numeric_limits<double>::quiet_NaN();
  experiment.cells = {{"coroutine", {1, 1}, {{100, none}, {300, none}, {200, none}}, ""},
                      {"coroutine", {1024, 1}, {{5e6, 176}, {6e6, 180}}, ""},
                      {"thread", {1024, 1}, {}, "pthread_create: Resource <temporarily>"}};
  experiment.pictures = {{"Speed", 0, true}, {"Speed again", 0, false, "coroutine"}};
  experiment.findings = {"It holds."};
  return experiment;
}

TEST(Spread, IsMedianAndEnds) {
  const Experiment experiment = example();
  const auto speed = spread_of(experiment.cells[0], 0);
  ASSERT_TRUE(speed);
  EXPECT_EQ(speed->median, 200);
  EXPECT_EQ(speed->low, 100);
  EXPECT_EQ(speed->high, 300);
  EXPECT_EQ(speed->rounds, 3U);
  EXPECT_EQ(spread_of(experiment.cells[1], 0)->median, 5.5e6);
  EXPECT_FALSE(spread_of(experiment.cells[0], 1));
  EXPECT_FALSE(spread_of(experiment.cells[2], 0));
}

TEST(ShortNumber, HasThreeFigures) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(7), "7");
  EXPECT_EQ(short_number(1.234), "1.23");
  EXPECT_EQ(short_number(12.34), "12.3");
  EXPECT_EQ(short_number(999.7), "1000");
  EXPECT_EQ(short_number(1024), "1024");
  EXPECT_EQ(short_number(9999), "9999");
  EXPECT_EQ(short_number(12'345), "12.3k");
  EXPECT_EQ(short_number(999'600), "1.00M");
  EXPECT_EQ(short_number(11.7e6), "11.7M");
  EXPECT_EQ(short_number(2.5e9), "2.50G");
  EXPECT_EQ(short_number(-5), "-5");
  EXPECT_EQ(short_number(0.0012), "1.2e-03");
}

TEST(ExperimentText, HasALineACellAndTheNotes) {
  const std::string text = experiment_text(example());
  EXPECT_NE(text.find("coroutine       1024        1  5.50M ±9%  178 ±1%"), std::string::npos)
      << text;
  EXPECT_NE(text.find("thread 1024 1: pthread_create"), std::string::npos) << text;
  EXPECT_NE(text.find("It holds."), std::string::npos);
}

TEST(ExperimentJson, HasEveryRoundAndNoFigureThatWasNotMeasured) {
  const std::string text = experiment_json(example());
  EXPECT_NE(text.find(R"("speed": 300.0)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("note": "pthread_create)"), std::string::npos);
  EXPECT_EQ(text.find("null"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(ExperimentHtml, IsOnePageInWhichNothingIsMarkup) {
  const std::string page = experiment_html(example());
  EXPECT_NE(page.find("Is &lt;b&gt;this&lt;/b&gt; text?"), std::string::npos);
  EXPECT_NE(page.find("Resource &lt;temporarily&gt;"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
}

TEST(ExperimentHtml, OfNothingMeasuredIsAPage) {
  Experiment experiment = example();
  experiment.cells.clear();
  EXPECT_NE(experiment_html(experiment).find("</html>"), std::string::npos);
}

}  // namespace
}  // namespace drover::lab
