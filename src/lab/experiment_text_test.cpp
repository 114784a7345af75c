// The words of an experiment's table.
#include "lab/experiment.h"

#include <gtest/gtest.h>

namespace drover::lab {
namespace {

TEST(TitleWithUnit, SaysTheUnitOnce) {
  EXPECT_EQ(title_with_unit({"", "tasks/s", "1/s"}), "tasks/s");
  EXPECT_EQ(title_with_unit({"", "tasks/CPU s", "1/s"}), "tasks/CPU s");
  EXPECT_EQ(title_with_unit({"", "CPU %", "% of a core"}), "CPU %");
  EXPECT_EQ(title_with_unit({"", "bytes/terminal", "bytes"}), "bytes/terminal");
  EXPECT_EQ(title_with_unit({"", "CPU ns/operation", "ns"}), "CPU ns/operation");
  EXPECT_EQ(title_with_unit({"", "tasks", ""}), "tasks");
}

TEST(TitleWithUnit, AddsTheUnitThatIsNotSaid) {
  EXPECT_EQ(title_with_unit({"", "timer lag p99", "µs"}), "timer lag p99, µs");
  EXPECT_EQ(title_with_unit({"", "time", "s"}), "time, s");
  EXPECT_EQ(title_with_unit({"", "tasks", "s"}), "tasks, s");  // only letters of another word
  EXPECT_EQ(title_with_unit({"", "speed", "1/s"}), "speed, 1/s");
}

// A coroutine on one worker, and a thread, which has none.
Experiment example(std::vector<std::vector<double>> rounds) {
  Experiment experiment;
  experiment.name = "switch";
  experiment.factors = {{"flows", "flows"}, {"workers", "workers"}};
  experiment.figures = {{"speed", "operations/s", "1/s"}};
  experiment.cells = {{"coroutine", {64, 1}, rounds, ""},
                      {"coroutine", {64, 2}, rounds, ""},
                      {"thread", {64, no_setting}, rounds, "is slow"}};
  experiment.pictures = {{"Speed"}};
  return experiment;
}

TEST(ExperimentText, ASettingThatASubjectDoesNotHaveIsADash) {
  const std::string text = experiment_text(example({{5}}));
  EXPECT_NE(text.find("thread        64        -             5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("thread 64: is slow"), std::string::npos) << text;
}

TEST(ExperimentText, SaysThatOneRoundHasNoSpread) {
  EXPECT_NE(experiment_text(example({{5}})).find("One round"), std::string::npos);
  EXPECT_EQ(experiment_text(example({{5}, {6}})).find("One round"), std::string::npos);
}

TEST(ExperimentJson, HasNoSettingThatASubjectDoesNotHave) {
  const std::string text = experiment_json(example({{5}}));
  EXPECT_NE(text.find(R"("workers": 1)"), std::string::npos);
  EXPECT_EQ(text.find("-1"), std::string::npos) << text;
}

TEST(Experiment, SaysThatItWasInterrupted) {
  Experiment experiment = example({{5}});
  EXPECT_NE(experiment_json(experiment).find(R"("interrupted": false)"), std::string::npos);
  EXPECT_EQ(experiment_text(experiment).find("INTERRUPTED"), std::string::npos);
  experiment.interrupted = true;
  EXPECT_NE(experiment_json(experiment).find(R"("interrupted": true)"), std::string::npos);
  EXPECT_NE(experiment_text(experiment).find("INTERRUPTED: fewer rounds"), std::string::npos);
  EXPECT_NE(experiment_html(experiment).find("INTERRUPTED"), std::string::npos);
}

TEST(ExperimentHtml, NamesLinesAndAxesInWords) {
  const std::string page = experiment_html(example({{5}}));
  EXPECT_NE(page.find("coroutine, 1 worker<"), std::string::npos) << page;
  EXPECT_NE(page.find("coroutine, 2 workers"), std::string::npos);
  EXPECT_EQ(page.find("thread, "), std::string::npos);
  EXPECT_EQ(page.find("operations/s, "), std::string::npos);
  EXPECT_NE(page.find("One round only"), std::string::npos);
  EXPECT_EQ(experiment_html(example({{5}, {6}})).find("One round only"), std::string::npos);
}

}  // namespace
}  // namespace drover::lab
