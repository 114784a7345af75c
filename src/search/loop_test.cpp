#include "search/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace drover::search {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A database that carries `limit`, seen by a search that keeps everything in memory.
class Sought {
 public:
  explicit Sought(std::int64_t limit) : limit_(limit) {
    record.unit = "terminals";
    record.bounds = {.low = 1, .high = 64, .start = 8, .tolerance = 0.05};
    rules.efficiency_least = 0;
  }

  bool go_on() {
    return search::go_on(
        record, rules,
        {.run = [this](const Step& step) { return run(step); },
         .keep_result = [this](const std::string& file, const report::Result&) { kept(file); },
         .keep_record = [this](const Record& now) { runs_kept = now.runs.size(); },
         .show = [this](const std::string& text) { shown.push_back(text); }});
  }

  Record record;
  Rules rules;
  std::string benchmark = "tpcc";
  std::size_t interrupted_at = 1'000;  // the run that is cut short
  std::set<std::size_t> slow_client;   // runs that the client's machine breaks
  std::vector<std::int64_t> loads;
  std::vector<std::string> files;
  std::vector<std::string> shown;
  std::size_t runs_kept = 0;

 private:
  std::optional<report::Result> run(const Step& step) {
    const std::size_t number = loads.size();
    if (number == interrupted_at) return std::nullopt;
    loads.push_back(step.load);
    report::Result result;
    result.plan.benchmark = benchmark;
    result.plan.no_delays = true;
    result.summary.time_seconds = step.kind == Step::Kind::confirm ? 180 : 30;
    if (slow_client.contains(number)) {
      result.audit.push_back({"client.load", "", report::Judgement::invalid, "a worker is busy"});
    } else if (step.load > limit_) {
      result.audit.push_back(
          {"latency.NewOrder", "5.2.5.7", report::Judgement::broken, "too slow"});
    }
    return result;
  }
  // The record names a result only when it is there.
  void kept(const std::string& file) {
    EXPECT_EQ(runs_kept, files.size());
    files.push_back(file);
  }

  std::int64_t limit_;
};

TEST(SearchLoop, FindsWhatHoldsAndConfirmsIt) {
  Sought sought(20);
  EXPECT_TRUE(sought.go_on());
  const Found found = found_by(sought.record.probes());
  EXPECT_EQ(found.holds, 20);
  EXPECT_EQ(found.breaks, 21);
  EXPECT_TRUE(found.found_out());
  EXPECT_EQ(sought.runs_kept, sought.loads.size());
  ASSERT_EQ(sought.files.size(), sought.record.runs.size());
  EXPECT_EQ(sought.files.front(), "run-01-probe-8.json");
  EXPECT_THAT(sought.files.back(), EndsWith("-confirm-20.json"));
  EXPECT_EQ(sought.record.runs.back().file, sought.files.back());
}

TEST(SearchLoop, ShowsEachRunWithTheRulesThatItBroke) {
  Sought sought(8);
  EXPECT_TRUE(sought.go_on());
  ASSERT_EQ(sought.shown.size(), sought.loads.size());
  EXPECT_THAT(sought.shown[0], StartsWith("probe           8 terminals  holds "));
  EXPECT_THAT(sought.shown[1], StartsWith("probe          16 terminals  breaks"));
  EXPECT_THAT(sought.shown[1], EndsWith("\n         latency.NewOrder: too slow\n"));
}

TEST(SearchLoop, AnInterruptedRunDoesNotCountAndTheSearchGoesOnFromThere) {
  Sought whole(20);
  whole.go_on();
  Sought sought(20);
  sought.interrupted_at = 3;
  EXPECT_FALSE(sought.go_on());
  EXPECT_EQ(sought.record.runs.size(), 3u);
  EXPECT_EQ(sought.runs_kept, 3u);
  sought.interrupted_at = 1'000;
  sought.shown.clear();
  EXPECT_TRUE(sought.go_on());
  EXPECT_EQ(sought.loads, whole.loads);
  EXPECT_EQ(sought.files, whole.files);
  EXPECT_THAT(sought.shown[2], HasSubstr(" (recorded earlier)\n"));
  EXPECT_THAT(sought.shown[3], testing::Not(HasSubstr("(recorded earlier)")));
}

TEST(SearchLoop, WhatTheClientsMachineBrokeIsMadeAgain) {
  Sought sought(20);
  sought.slow_client = {0};
  EXPECT_TRUE(sought.go_on());
  EXPECT_EQ(sought.loads[1], sought.loads[0]);
  EXPECT_THAT(sought.shown[0], HasSubstr("unsure"));
  EXPECT_EQ(sought.shown[1], "         the client machine was overloaded: this run is repeated\n");
  EXPECT_EQ(found_by(sought.record.probes()).holds, 20);
}

TEST(SearchLoop, ASearchThatIsOverMakesNoRun) {
  Sought sought(20);
  sought.go_on();
  sought.loads.clear();
  EXPECT_TRUE(sought.go_on());
  EXPECT_THAT(sought.loads, IsEmpty());
}

TEST(SearchLoop, AResultThatCannotBeKeptEndsTheSearch) {
  Sought sought(20);
  const Surroundings surroundings{
      .run = [](const Step&) { return report::Result(); },
      .keep_result = [](const std::string&,
                        const report::Result&) { throw std::runtime_error("the disk is full"); },
      .keep_record = [](const Record&) { ADD_FAILURE() << "it names a file that is not there"; },
      .show = [](const std::string&) {}};
  EXPECT_THROW(go_on(sought.record, sought.rules, surroundings), std::runtime_error);
  EXPECT_THAT(sought.record.runs, IsEmpty());
}

TEST(SearchLoop, ShowsWhatAnotherBenchmarkComesTo) {
  Sought sought(10);
  sought.record.unit = "rate";
  sought.benchmark = "ycsb";
  EXPECT_TRUE(sought.go_on());
  EXPECT_EQ(sought.shown.front(), "probe                8 tx/s  holds        0.0 tx/s  p90 -\n");
}

}  // namespace
}  // namespace drover::search
