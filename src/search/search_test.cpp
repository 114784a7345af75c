#include "search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "report/document/example_result_test.h"

namespace drover::search {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Searches a load that behaves as `holds` says; returns all probes.
std::vector<Probe> search(const Bounds& bounds,
                          const std::function<bool(std::int64_t, bool)>& holds) {
  std::vector<Probe> probes;
  for (int i = 0; i < 200; ++i) {
    const Step step = next_step(bounds, probes);
    if (step.kind == Step::Kind::done) return probes;
    EXPECT_GE(step.load, bounds.low);
    EXPECT_LE(step.load, bounds.high);
    const bool confirmation = step.kind == Step::Kind::confirm;
    probes.push_back({step.load, confirmation, holds(step.load, confirmation), false});
  }
  ADD_FAILURE() << "it does not end";
  return probes;
}

TEST(SearchSteps, FindsEveryLimitExactlyWithoutNoiseAndTolerance) {
  for (std::int64_t limit = 1; limit <= 130; ++limit) {
    for (const std::int64_t start : {1, 16, 130}) {
      const Bounds bounds{.low = 1, .high = 130, .start = start, .tolerance = 0};
      const auto probes = search(bounds, [&](std::int64_t load, bool) { return load <= limit; });
      const Answer found = answer_of(probes);
      ASSERT_EQ(found.holds, limit);
      EXPECT_TRUE(found.confirmed);
      if (limit < 130) {
        EXPECT_EQ(found.breaks, limit + 1);
      } else {
        EXPECT_FALSE(found.breaks) << "what there is holds";
      }
      EXPECT_LE(probes.size(), 25U);
    }
  }
}

TEST(SearchSteps, TheToleranceEndsItEarlier) {
  const auto limited = [](std::int64_t load, bool) { return load <= 700; };
  const Bounds exact{.low = 1, .high = 10'000, .start = 8, .tolerance = 0};
  const Bounds rough{.low = 1, .high = 10'000, .start = 8, .tolerance = 0.05};
  const auto all = search(exact, limited);
  const auto fewer = search(rough, limited);
  EXPECT_LT(fewer.size(), all.size());
  const Answer found = answer_of(fewer);
  EXPECT_LE(*found.holds, 700);
  EXPECT_GE(static_cast<double>(*found.holds), 700 / 1.05);
}

TEST(SearchSteps, NothingHolds) {
  const Bounds bounds{.low = 4, .high = 100, .start = 20};
  const auto probes = search(bounds, [](std::int64_t, bool) { return false; });
  EXPECT_FALSE(answer_of(probes).holds);
  EXPECT_EQ(answer_of(probes).breaks, 4);
  EXPECT_EQ(probes.back().load, 4);
}

TEST(SearchSteps, AProbeThatBreaksIsRepeatedOnce) {
  std::vector<Probe> probes{{8, false, true}, {16, false, false}};
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  EXPECT_EQ(next_step(bounds, probes).load, 16);
  probes.push_back({16, false, true});
  EXPECT_EQ(next_step(bounds, probes).load, 32) << "a second chance, taken";
  probes.back().held = false;
  EXPECT_EQ(next_step(bounds, probes).load, 12);
}

TEST(SearchSteps, AConfirmationThatBreaksSendsTheSearchBelow) {
  const Bounds bounds{.low = 1, .high = 1'000, .start = 64, .tolerance = 0.05};
  // Short runs do not see what long ones do.
  const auto probes = search(bounds, [](std::int64_t load, bool confirmation) {
    return load <= (confirmation ? 80 : 100);
  });
  const Answer found = answer_of(probes);
  EXPECT_TRUE(found.confirmed);
  EXPECT_LE(*found.holds, 80);
  EXPECT_GE(*found.holds, 60);
}

TEST(SearchSteps, AConfirmationThatNeverHoldsEndsTheSearch) {
  const Bounds bounds{.low = 1, .high = 1'000, .start = 64, .tolerance = 0.05};
  const auto probes = search(
      bounds, [](std::int64_t load, bool confirmation) { return !confirmation && load < 900; });
  EXPECT_FALSE(answer_of(probes).confirmed);
}

TEST(SearchSteps, ARecordThatContradictsItselfIsNoTrap) {
  const std::vector<Probe> probes{{5, true, false}, {5, true, true}};
  const Bounds bounds{.low = 1, .high = 8, .start = 4};
  const Step step = next_step(bounds, probes);
  EXPECT_EQ(step.kind, Step::Kind::done);
}

TEST(SearchSteps, NoiseAtTheLimitMovesItLittle) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.03);
  const Bounds bounds{.low = 1, .high = 10'000, .start = 10, .tolerance = 0.03};
  int near = 0;
  for (int i = 0; i < 100; ++i) {
    const auto probes = search(bounds, [&](std::int64_t load, bool confirmation) {
      const double factor = std::exp(noise(random) * (confirmation ? 0.4 : 1.0));
      return static_cast<double>(load) * factor <= 500;
    });
    const Answer found = answer_of(probes);
    if (found.confirmed && *found.holds > 450 && *found.holds < 550) ++near;
  }
  EXPECT_GE(near, 95);
}

// The client's machine broke the run.
Probe by_client(std::int64_t load, bool confirmation = false) {
  return {.load = load, .confirmation = confirmation, .held = false, .by_client = true};
}

TEST(SearchSteps, AProbeThatTheClientBrokeIsMadeAgainAndNeitherHoldsNorBreaks) {
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  std::vector<Probe> probes{{8, false, true}, by_client(16), by_client(16)};
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::probe, 16}));
  EXPECT_FALSE(answer_of(probes).breaks);
  probes.push_back({16, false, true});
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::probe, 32}));
  EXPECT_FALSE(answer_of(probes).not_judged);
}

TEST(SearchSteps, ALoadThatNoProbeCouldTellEndsTheSearchWithWhatHoldsBelow) {
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  std::vector<Probe> probes{{8, false, true}};
  probes.insert(probes.end(), client_failures_most, by_client(16));
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 8}));
  probes.push_back({8, true, true});
  EXPECT_EQ(next_step(bounds, probes), Step{});
  const Answer found = answer_of(probes);
  EXPECT_EQ(found.holds, 8);
  EXPECT_TRUE(found.confirmed);
  EXPECT_EQ(found.not_judged, 16);
  EXPECT_FALSE(found.is_final());
  // If 8 does not hold over a long run, the limit is below, and can be found out.
  probes.back().held = false;
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 7}));
  probes.push_back({7, true, true});
  EXPECT_EQ(next_step(bounds, probes), Step{});
  EXPECT_TRUE(answer_of(probes).is_final());
}

TEST(SearchSteps, NothingButAClientThatIsTooSlow) {
  const Bounds bounds{.low = 1, .high = 100, .start = 8};
  const std::vector<Probe> probes(client_failures_most, by_client(8));
  EXPECT_EQ(next_step(bounds, probes), Step{});
  EXPECT_EQ(answer_of(probes).not_judged, 8);
  EXPECT_FALSE(answer_of(probes).holds);
}

// The search that was seen from outside: probes held, three confirmations were broken by the
// client's machine, and the answer was a single warehouse.
TEST(SearchSteps, ConfirmationsThatTheClientBrokeDoNotSendTheSearchBelow) {
  const Bounds bounds{.low = 1, .high = 8, .start = 8};
  std::vector<Probe> probes{{8, false, true}};
  for (int i = 0; i < client_failures_most; ++i) {
    EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 8}));
    probes.push_back(by_client(8, true));
  }
  EXPECT_EQ(next_step(bounds, probes), Step{});
  const Answer found = answer_of(probes);
  EXPECT_EQ(found.holds, 8);
  EXPECT_FALSE(found.confirmed);
  EXPECT_EQ(found.not_judged, 8);
  probes.back() = {8, true, true};
  EXPECT_TRUE(answer_of(probes).is_final());
}

TEST(SearchSteps, AnOlderRecordThatFollowedTheClientGoesOnWhereItWentAstray) {
  const Bounds bounds{.low = 1, .high = 8, .start = 8};
  const std::vector<Probe> probes{
      {8, false, true}, by_client(8, true), by_client(7, true), {4, true, true}};
  EXPECT_EQ(answer_of(probes).holds, 8);
  EXPECT_EQ(next_step(bounds, probes), (Step{Step::Kind::confirm, 8}));
}

TEST(SearchSteps, AClientThatIsSlowAtTimesIsNoTrapAndNoAnswer) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2'000; ++round) {
    const std::int64_t limit = std::uniform_int_distribution<std::int64_t>(1, 120)(random);
    std::bernoulli_distribution slow(0.05 * (round % 20));
    const Bounds bounds{.low = 1, .high = 100, .start = 1 + round % 100, .tolerance = 0};
    std::vector<Probe> probes;
    for (Step step = next_step(bounds, probes); step.kind != Step::Kind::done;
         step = next_step(bounds, probes)) {
      const bool confirmation = step.kind == Step::Kind::confirm;
      probes.push_back(slow(random) ? by_client(step.load, confirmation)
                                    : Probe{step.load, confirmation, step.load <= limit, false});
      ASSERT_LT(probes.size(), 100U) << "it does not end";
    }
    const Answer found = answer_of(probes);
    if (found.holds) {
      ASSERT_LE(*found.holds, limit);
    }
    if (found.breaks) {
      ASSERT_GT(*found.breaks, limit);
    }
    ASSERT_EQ(found.is_final(), !found.not_judged) << "each limit here is one that can be found";
    if (found.is_final()) {
      ASSERT_EQ(*found.holds, std::min<std::int64_t>(limit, 100));
    }
  }
}

TEST(SearchSteps, NoRecordIsATrap) {
  std::mt19937_64 random(12);
  const Bounds bounds{.low = 1, .high = 6, .start = 3, .tolerance = 0};
  const auto any = [&](std::int64_t load, bool confirmation) {
    const int outcome = std::uniform_int_distribution(0, 2)(random);
    return Probe{load, confirmation, outcome == 0, outcome == 1};
  };
  for (int round = 0; round < 5'000; ++round) {
    std::vector<Probe> probes;
    for (int i = round % 12; i > 0; --i) {
      probes.push_back(any(std::uniform_int_distribution(1, 6)(random), i % 3 == 0));
    }
    for (Step step = next_step(bounds, probes); step.kind != Step::Kind::done;
         step = next_step(bounds, probes)) {
      probes.push_back(any(step.load, step.kind == Step::Kind::confirm));
      ASSERT_LT(probes.size(), 120U) << "it does not end";
    }
    (void)answer_of(probes);
  }
}

TEST(SearchSteps, ARecordThatWasCutShortGoesOnWhereItWas) {
  const Bounds bounds{.low = 1, .high = 500, .start = 8};
  const auto limited = [](std::int64_t load, bool) { return load <= 77; };
  const auto whole = search(bounds, limited);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const std::span<const Probe> part(whole.data(), cut);
    EXPECT_EQ(next_step(bounds, part).load, whole[cut].load);
  }
}

// A run that holds whatever is asked.
report::Result good_result() {
  report::Result result = report::example_result();
  result.failure.reset();
  result.audit = {{"mix", "5.2.3", report::Judgement::held, ""},
                  {"interval", "5.5.2", report::Judgement::not_judged, ""}};
  result.summary.efficiency = 97;
  result.summary.efficiency_sampling_error = 1;
  return result;
}

report::Verdict line(const char* name, report::Judgement judgement) {
  return {name, "", judgement, "why"};
}

TEST(SearchRules, AGoodRunBreaksNone) {
  EXPECT_THAT(broken_rules(good_result(), {}), IsEmpty());
}

TEST(SearchRules, LinesOfTheAuditCount) {
  report::Result result = good_result();
  result.audit.push_back(line("latency.NewOrder", report::Judgement::broken));
  result.audit.push_back(line("client.load", report::Judgement::invalid));
  EXPECT_THAT(broken_rules(result, {}), ElementsAre("latency.NewOrder: why", "client.load: why"));
}

TEST(SearchRules, WhatAShortRunOrAnotherPaceBreaksDoesNot) {
  report::Result result = good_result();
  result.audit.push_back(line("steady_state", report::Judgement::broken));
  result.audit.push_back(line("keying", report::Judgement::broken));
  result.audit.push_back(line("think", report::Judgement::broken));
  result.plan.pace = 10;
  EXPECT_THAT(broken_rules(result, {}), IsEmpty());
  result.plan.pace = 1;
  EXPECT_THAT(broken_rules(result, {}), ElementsAre("keying: why", "think: why"));
}

TEST(SearchRules, TheClientsMachineIsBlamedForItsOwnRulesOnly) {
  EXPECT_FALSE(blames_client_machine({}));
  for (const char* rule : {"client.load", "client.run_queue", "client.reaction", "client.timers"}) {
    report::Result result = good_result();
    result.audit.push_back(line("latency.NewOrder", report::Judgement::broken));
    result.audit.push_back(line(rule, report::Judgement::invalid));
    EXPECT_TRUE(blames_client_machine(broken_rules(result, {}))) << rule;
  }
  report::Result result = good_result();
  result.audit.push_back(line("client.waiting", report::Judgement::invalid));
  EXPECT_FALSE(blames_client_machine(broken_rules(result, {}))) << "--connections decides on it";
  EXPECT_FALSE(blames_client_machine({"client.cpu_us is 40; not allowed is > 30"}))
      << "a limit of the user's";
}

TEST(SearchRules, EfficiencyHasItsSamplingError) {
  report::Result result = good_result();
  result.summary.efficiency = 89.5;
  EXPECT_THAT(broken_rules(result, {}), IsEmpty()) << "up to 90.5 by chance";
  result.summary.efficiency = 88;
  EXPECT_THAT(broken_rules(result, {}), ElementsAre("efficiency 88.0% +- 1.0 is below 90%"));
  Rules none;
  none.efficiency_least = 0;
  EXPECT_THAT(broken_rules(result, none), IsEmpty());
  result.plan.no_delays = true;
  EXPECT_THAT(broken_rules(result, {}), IsEmpty()) << "without delays there is none";
}

TEST(SearchRules, LimitsOfTheUser) {
  const report::Result result = good_result();  // New-Orders of 1 to 120 ms
  Rules rules;
  rules.limits = {report::Limit::parse("new_order.p90 > 200")};
  EXPECT_THAT(broken_rules(result, rules), IsEmpty());
  rules.limits = {report::Limit::parse("new_order.p90 > 20")};
  EXPECT_THAT(broken_rules(result, rules), ElementsAre(HasSubstr("new_order.p90 is 10")));
  rules.limits = {report::Limit::parse("payment.p90 > 20")};
  EXPECT_THAT(broken_rules(result, rules), ElementsAre("payment.p90 was not measured"));
}

TEST(SearchRules, ATransactionThatFailedCountsWhereNoneMay) {
  report::Result result = report::example_ycsb_result();
  Rules rules;
  rules.failures_allowed = false;
  EXPECT_THAT(broken_rules(result, rules), IsEmpty());
  result.transactions[0].failed_count = 1;
  result.transactions[2].failed_count = 1'200;
  EXPECT_THAT(broken_rules(result, {}), IsEmpty());
  EXPECT_THAT(broken_rules(result, rules), ElementsAre("1,201 transactions failed"));
}

TEST(SearchRules, ARateThatCouldNotBeJudgedWasNotReached) {
  report::Result result = report::example_ycsb_result();
  ASSERT_EQ(result.audit[1].name, "rate");
  result.audit[1].judgement = report::Judgement::not_judged;
  result.audit[1].text = "10 transactions are too few";
  EXPECT_THAT(broken_rules(result, {}),
              ElementsAre("rate: 10 transactions are too few; measure for longer"));
  result.plan.rate = 0;
  EXPECT_THAT(broken_rules(result, {}), IsEmpty()) << "a closed loop has none";
}

TEST(SearchRules, LimitsOfTheTransactionsOfAnotherBenchmark) {
  const report::Result result = report::example_sql_result();
  const report::MetricVocabulary names = report::vocabulary_of(result);
  Rules rules;
  rules.limits = {report::Limit::parse("all.p99 > 20", names)};
  EXPECT_THAT(broken_rules(result, rules), IsEmpty());
  rules.limits = {report::Limit::parse("look_up.sql.p50 > 1", names)};
  EXPECT_THAT(broken_rules(result, rules), ElementsAre(HasSubstr("look_up.sql.p50 is 2")));
}

TEST(SearchRules, ARunThatWasGivenUpHoldsNothing) {
  report::Result result = good_result();
  result.failure = "the database was away";
  EXPECT_THAT(broken_rules(result, {}), ElementsAre("the run was aborted: the database was away"));
  result = good_result();
  result.summary.time_seconds = 0;
  EXPECT_THAT(broken_rules(result, {}), ElementsAre("nothing was measured"));
}

// A database that carries `limit`, seen by a search that keeps everything in memory.
class Sought {
 public:
  explicit Sought(std::int64_t limit) : limit_(limit) {
    record.unit = "terminals";
    record.bounds = {.low = 1, .high = 64, .start = 8, .tolerance = 0.05};
    rules.efficiency_least = 0;
  }

  bool go_on() {
    return search::run_search(
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
  const Answer found = answer_of(sought.record.probes());
  EXPECT_EQ(found.holds, 20);
  EXPECT_EQ(found.breaks, 21);
  EXPECT_TRUE(found.is_final());
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
  EXPECT_EQ(answer_of(sought.record.probes()).holds, 20);
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
  const SearchActions actions{
      .run = [](const Step&) { return report::Result(); },
      .keep_result = [](const std::string&,
                        const report::Result&) { throw std::runtime_error("the disk is full"); },
      .keep_record = [](const Record&) { ADD_FAILURE() << "it names a file that is not there"; },
      .show = [](const std::string&) {}};
  EXPECT_THROW(run_search(sought.record, sought.rules, actions), std::runtime_error);
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
