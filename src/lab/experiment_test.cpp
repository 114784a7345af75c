#include "lab/experiment.h"

#include <gtest/gtest.h>

#include <limits>

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

// Two cells with rounds, and one that could not be measured.
Experiment two_cells() {
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
  const Experiment experiment = two_cells();
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
  const std::string text = experiment_text(two_cells());
  EXPECT_NE(text.find("coroutine       1024        1  5.50M ±9%  178 ±1%"), std::string::npos)
      << text;
  EXPECT_NE(text.find("thread 1024 1: pthread_create"), std::string::npos) << text;
  EXPECT_NE(text.find("It holds."), std::string::npos);
}

TEST(ExperimentJson, HasEveryRoundAndNoFigureThatWasNotMeasured) {
  const std::string text = experiment_json(two_cells());
  EXPECT_NE(text.find(R"("speed": 300.0)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("note": "pthread_create)"), std::string::npos);
  EXPECT_EQ(text.find("null"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(ExperimentHtml, IsOnePageInWhichNothingIsMarkup) {
  const std::string page = experiment_html(two_cells());
  EXPECT_NE(page.find("Is &lt;b&gt;this&lt;/b&gt; text?"), std::string::npos);
  EXPECT_NE(page.find("Resource &lt;temporarily&gt;"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
}

TEST(ExperimentHtml, OfNothingMeasuredIsAPage) {
  Experiment experiment = two_cells();
  experiment.cells.clear();
  EXPECT_NE(experiment_html(experiment).find("</html>"), std::string::npos);
}

}  // namespace
}  // namespace drover::lab
