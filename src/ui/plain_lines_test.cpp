#include "ui/display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "ui/example_snapshot_test.h"

namespace drover::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

class PlainLinesTest : public testing::Test {
 protected:
  PlainLinesTest()
      : out_(std::tmpfile()), lines_(make_plain_lines(plan_, out_, std::chrono::seconds(5))) {}
  ~PlainLinesTest() override { std::fclose(out_); }

  std::string written() {
    std::rewind(out_);
    std::string text;
    std::array<char, 4096> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), out_)) {
      text.append(part.data(), count);
    }
    return text;
  }

  load::Plan plan_ = example_plan();
  std::FILE* out_;
  std::unique_ptr<RunDisplay> lines_;
};

TEST_F(PlainLinesTest, SaysALineEveryFiveSeconds) {
  lines_->on_started(std::chrono::milliseconds(50));
  for (int second = 1; second <= 15; ++second) lines_->on_snapshot(example_snapshot(second));
  const std::string text = written();
  EXPECT_THAT(text,
              HasSubstr("200 terminals up after 0.05 s; warm-up 0:10, then measuring for 5:00"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_THAT(text, HasSubstr("   0:05 warm-up       222 tx/s      6000 tpmC"));
  EXPECT_THAT(text, HasSubstr("   0:15 measure       222 tx/s      6000 tpmC"));
  // What the lines say themselves is not said twice.
  EXPECT_THAT(text, Not(HasSubstr("measuring for 5:00\n   0:11")));
}

TEST_F(PlainLinesTest, SaysThatNobodyIsAnswered) {
  load::Snapshot snapshot = example_snapshot(5);
  snapshot.second.silent = std::chrono::milliseconds(4000);
  lines_->on_snapshot(snapshot);
  EXPECT_THAT(written(), HasSubstr("2 waiting, STALL for 4.0 s  client"));
}

TEST_F(PlainLinesTest, SaysTheBacklogOfAnOpenLoop) {
  load::Snapshot snapshot = example_snapshot(5);
  snapshot.second.backlog = 51'248;
  lines_->on_snapshot(snapshot);
  EXPECT_THAT(written(), HasSubstr("2 waiting, backlog 51248  client"));
}

TEST_F(PlainLinesTest, HasALineForEachHostThatMakesLoad) {
  load::Snapshot snapshot = example_snapshot(5);
  snapshot.ranks = {{"a", 120, 0.25, 1.5, 7, 8, false}, {"b", 80, 0.5, 2, 3, 4, true}};
  lines_->on_snapshot(snapshot);
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("host b is lost. The figures no longer include it\n"));
  EXPECT_THAT(
      text,
      HasSubstr(" a       120 tx/s  timer lag p99 1.50 ms  7 in flight, 8 connections  CPU 25%\n"));
  EXPECT_THAT(text, HasSubstr(" b LOST        80 tx/s"));
  snapshot.second.elapsed = std::chrono::seconds(10);
  snapshot.ranks.resize(20, snapshot.ranks[0]);
  lines_->on_snapshot(snapshot);
  EXPECT_THAT(written(), HasSubstr(" and 12 more hosts\n"));
}

// Each host has ten transactions in each of the first four of five seconds: 8 tx/s.
TEST_F(PlainLinesTest, TheRatesOfTheHostsAddUpToThatOfTheRun) {
  for (int second = 1; second <= 5; ++second) {
    load::Snapshot snapshot = example_snapshot(second);
    const double each = second < 5 ? 10 : 0;
    snapshot.second.ok = {0, static_cast<std::uint64_t>(2 * each), 0, 0, 0};
    snapshot.second.client_load = second == 2 ? 0.9 : 0.1;
    const double load = second == 2 ? 0.9 : 0.1;
    snapshot.ranks = {{"a", each, load, load, 7, 8, false}, {"b", each, 0.05, 2, 3, 4, false}};
    lines_->on_snapshot(snapshot);
  }
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("   0:05 warm-up        16 tx/s"));
  EXPECT_THAT(text, HasSubstr("  client CPU 90%"));
  EXPECT_THAT(
      text,
      HasSubstr(" a         8 tx/s  timer lag p99 0.90 ms  7 in flight, 8 connections  CPU 90%\n"));
  EXPECT_THAT(
      text,
      HasSubstr(" b         8 tx/s  timer lag p99 2.00 ms  3 in flight, 4 connections  CPU 5%\n"));
}

TEST_F(PlainLinesTest, ASecondWithoutTransactionsHasNoLatency) {
  load::Snapshot snapshot = example_snapshot(5);
  snapshot.second_latency = {};
  lines_->on_snapshot(snapshot);
  EXPECT_THAT(written(), HasSubstr("p50      - p90      - p99       - ms"));
}

TEST_F(PlainLinesTest, SaysWhatIsOutOfTheOrdinary) {
  lines_->on_snapshot(example_snapshot(1));
  load::Snapshot snapshot = example_snapshot(2);
  load::Outage outage;
  outage.start = coro::Instant(std::chrono::seconds(9));
  outage.first_error = "FATAL: \x1b[2J gone";
  snapshot.availability.outages = {outage};
  snapshot.warmup[0].errors_by_class["retryable"] = 5;  // retryable: the lines count them
  lines_->on_snapshot(snapshot);
  lines_->on_note("a checkpoint\x07");
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("   0:02 outage: FATAL:  [2J gone\n"));
  EXPECT_THAT(text, HasSubstr("a checkpoint\n"));
  EXPECT_THAT(text, Not(HasSubstr("serialization")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

class PlainLinesOfScripts : public PlainLinesTest {
 protected:
  std::string lines_of_a_run(const load::Plan& plan) {
    lines_ = make_plain_lines(plan, out_, std::chrono::seconds(5));
    lines_->on_started(std::chrono::milliseconds(50));
    const std::size_t types = plan.workload.types.size();
    for (int second = 1; second <= 15; ++second) {
      lines_->on_snapshot(example_snapshot_of(second, types));
    }
    lines_.reset();
    return written();
  }
};

TEST_F(PlainLinesOfScripts, OneTypeIsOneFigure) {
  const std::string text = lines_of_a_run(example_scripts(1));
  EXPECT_THAT(text, HasSubstr("200 terminals up after 0.05 s"));
  EXPECT_THAT(text, HasSubstr("   0:15 measure        10 tx/s  p50 "));
  EXPECT_THAT(text, Not(HasSubstr("tpmC")));
}

TEST_F(PlainLinesOfScripts, AFigureOfItsOwnStandsBesideTheSum) {
  load::Plan plan = example_scripts(8);
  plan.workload.headline = {.name = "moves/min", .type = 2, .seconds = 60};
  EXPECT_THAT(lines_of_a_run(plan),
              HasSubstr("   0:15 measure        80 tx/s       600 moves/min  p50 "));
  plan.workload.headline = {.name = "ops/s"};
  EXPECT_THAT(lines_of_a_run(plan), HasSubstr("   0:15 measure        80 ops/s  p50 "));
}

}  // namespace
}  // namespace drover::ui
