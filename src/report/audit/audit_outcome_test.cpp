#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "report/audit/audited_result_test.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The honest run as if three hosts had made it, none of which has anything to hide.
Result of_three_hosts() {
  Result result = honest();
  result.client.workers.clear();
  const double start = 1'763'670'000;
  for (const char* name : {"a", "b", "c"}) {
    RankResult& one = result.ranks.emplace_back();
    one.rank = result.ranks.size() - 1;
    one.ranks = 3;
    one.name = name;
    one.host.cpus = 4;
    one.threads = 2;
    one.start_ts = start + 0.002 * static_cast<double>(one.rank);
    one.clock_at_start = ClockOffset{0, 0, 0.0004};
    one.timer_lag = result.client.timer_lag;
    one.audit = "valid: all 21 rules judged hold (5 not judged)";
    result.client.workers.insert(result.client.workers.end(), {{0.1, 0, 0}, {0.2, 0, 0}});
  }
  return result;
}

TEST(AuditOfHosts, HoldsWhereAllDidTheirPart) {
  const std::vector<Verdict> lines = audit(of_three_hosts());
  EXPECT_TRUE(summarise(lines).valid) << all_text(lines);
  EXPECT_EQ(line_named(lines, "hosts").text,
            "all 3 hosts took part, and the audit of each one is valid");
  const Verdict start = line_named(lines, "start");
  EXPECT_EQ(start.judgement, Judgement::held);
  EXPECT_THAT(start.text, HasSubstr("started within 4"));
  EXPECT_THAT(start.text, HasSubstr("clock uncertainty 0.4 ms"));
}

TEST(AuditOfHosts, ARunThatIsAloneHasNoSuchLines) {
  Result part = honest();
  part.ranks.emplace_back().name = "a";
  for (const Result& result : {honest(), part}) {
    for (const Verdict& line : audit(result)) {
      EXPECT_NE(line.name, "hosts");
      EXPECT_NE(line.name, "start");
    }
  }
}

TEST(AuditOfHosts, TheWorstOfThemDecidesAndIsNamed) {
  Result result = of_three_hosts();
  EXPECT_THAT(line_of(result, "client.load").text, HasSubstr("host a: a worker thread needed 20%"));
  result.client.workers[3].load = 0.95;
  const Verdict load = line_of(result, "client.load");
  EXPECT_EQ(load.judgement, Judgement::invalid);
  EXPECT_THAT(load.text, HasSubstr("host b: a worker thread needed 95%"));
  EXPECT_THAT(load.text, HasSubstr("; use more --threads"));
  EXPECT_THAT(sentence_of(result), HasSubstr("INVALID: client overloaded: host b"));
}

TEST(AuditOfHosts, TimersAreThoseOfEachHost) {
  Result result = of_three_hosts();
  measure::HistogramSnapshot late;
  for (int i = 0; i < 100; ++i) late.record(80'000'000);
  result.ranks[2].timer_lag = late;
  const Verdict timers = line_of(result, "client.timers");
  EXPECT_EQ(timers.judgement, Judgement::invalid);
  EXPECT_THAT(timers.text, HasSubstr("host c: timer lag p99 80"));
  const Verdict reaction = line_of(result, "client.reaction");
  EXPECT_EQ(reaction.judgement, Judgement::invalid);
  EXPECT_THAT(reaction.text, HasSubstr("host c: a worker thread wakes up 80"));
}

TEST(AuditOfHosts, WaitsForAProcessorAreThoseOfEachHost) {
  Result result = of_three_hosts();
  result.client.run_queue_known = true;
  result.client.workers[5].wake_up_delay_ms = 20;
  const Verdict queue = line_of(result, "client.run_queue");
  EXPECT_EQ(queue.judgement, Judgement::invalid);
  EXPECT_THAT(queue.text, HasSubstr("host c: a worker thread waits 20"));
}

TEST(AuditOfHosts, WhatIsKnownOfNobodyIsNotJudged) {
  Result result = of_three_hosts();
  result.client.workers.clear();
  for (RankResult& one : result.ranks) one.threads = 0;
  EXPECT_EQ(line_of(result, "client.load").judgement, Judgement::not_judged);
  // One that was lost said nothing of its workers; of the others there is something to judge.
  result.client.workers = {{0.3, 0, 0}};
  result.ranks[1].threads = 1;
  EXPECT_THAT(line_of(result, "client.load").text, HasSubstr("host b: a worker thread needed 30%"));
}

TEST(AuditOfHosts, OneThatIsInvalidMakesAllInvalid) {
  Result result = of_three_hosts();
  result.ranks[1].valid = false;
  result.ranks[1].audit = "INVALID: client overloaded: a worker needed 99%";
  const Verdict hosts = line_of(result, "hosts");
  EXPECT_EQ(hosts.judgement, Judgement::invalid);
  EXPECT_EQ(hosts.text, "host b: client overloaded: a worker needed 99%");
  EXPECT_EQ(sentence_of(result), "INVALID: host b: client overloaded: a worker needed 99%");
  // The host's own figure and that of the rule differ a little: only the rule's is shown.
  result.client.workers[3].load = 0.95;
  EXPECT_THAT(line_of(result, "client.load").text, HasSubstr("host b: a worker thread needed 95%"));
  EXPECT_EQ(line_of(result, "hosts").text, "host b: client overloaded. See the rules client.*");
}

TEST(AuditOfHosts, WhatIsIncompleteIsInvalid) {
  Result result = of_three_hosts();
  result.incomplete = "host b was lost at 3:12: no answer";
  EXPECT_EQ(sentence_of(result), "INVALID: incomplete: host b was lost at 3:12: no answer");
  result.ranks.resize(1);
  EXPECT_EQ(line_of(result, "hosts").judgement, Judgement::invalid);
  EXPECT_EQ(line_of(result, "start").judgement, Judgement::not_judged);
}

TEST(AuditOfHosts, AHostWithoutAnAuditIsNotJudged) {
  Result result = of_three_hosts();
  result.ranks[1].audit.clear();
  Verdict hosts = line_of(result, "hosts");
  EXPECT_EQ(hosts.judgement, Judgement::not_judged);
  EXPECT_EQ(hosts.text, "all 3 hosts took part; hosts without an audit: 1");
  result.ranks[2].valid = false;
  EXPECT_EQ(line_of(result, "hosts").judgement, Judgement::invalid);
}

TEST(AuditOfHosts, StartsThatLieApartAreBroken) {
  Result result = of_three_hosts();
  result.ranks[2].start_ts = result.ranks[0].start_ts + 0.025;
  result.ranks[2].start_late_s = 0.021;
  Verdict start = line_of(result, "start");
  EXPECT_EQ(start.judgement, Judgement::broken);
  EXPECT_THAT(start.text, HasSubstr("started within 25"));
  EXPECT_THAT(start.text, HasSubstr("the last host 21"));
  // Its clock is known to be ahead by that.
  result.ranks[2].clock_at_start->wall_s = 0.024;
  start = line_of(result, "start");
  EXPECT_EQ(start.judgement, Judgement::not_judged) << "it was 21 ms late";
  EXPECT_THAT(start.text, HasSubstr("with the clock uncertainty and the late starts, up to 22.8 ms "
                                    "between the starts are possible"));
  result.ranks[2].start_late_s = 0.001;
  EXPECT_EQ(line_of(result, "start").judgement, Judgement::held);
}

TEST(AuditOfHosts, AStartIsJudgedByWhatTheUncertaintyOfTheClocksAllows) {
  struct Case {
    const char* what;
    double apart_ms;
    std::array<double, 3> uncertainty_ms;
    Judgement judgement;
  };
  constexpr double not_compared = -1;
  for (const Case& one : {
           Case{"exact", 9, {0.01, 0.01, 0.01}, Judgement::held},
           Case{"a delay of 250 ms in one direction", 0, {0.01, 0.01, 125}, Judgement::not_judged},
           Case{"the limit is within the uncertainty", 9, {0.01, 0.01, 2}, Judgement::not_judged},
           Case{"above the limit by less than that", 11, {0.01, 0.01, 2}, Judgement::not_judged},
           Case{"above the limit by more than that", 13, {0.01, 0.01, 2}, Judgement::broken},
           Case{"above the limit for certain", 300, {0.01, 0.01, 125}, Judgement::broken},
           Case{"one clock of 6 ms", 0, {0.01, 0.01, 6}, Judgement::held},
           Case{"two clocks of 6 ms each", 0, {0.01, 6, 6}, Judgement::not_judged},
           Case{"a clock that nobody compared",
                0,
                {0.01, not_compared, 0.01},
                Judgement::not_judged},
           Case{"two others are apart for certain",
                30,
                {0.01, not_compared, 0.01},
                Judgement::broken},
           Case{"clocks that nobody compared",
                30,
                {not_compared, not_compared, not_compared},
                Judgement::not_judged},
       }) {
    Result result = of_three_hosts();
    for (std::size_t i = 0; i < 3; ++i) {
      result.ranks[i].start_ts = 1'763'670'000;
      result.ranks[i].clock_at_start.reset();
      if (one.uncertainty_ms[i] != not_compared) {
        result.ranks[i].clock_at_start = ClockOffset{0, 0, one.uncertainty_ms[i] * 1e-3};
      }
    }
    result.ranks[2].start_ts += one.apart_ms * 1e-3;
    const Verdict start = line_of(result, "start");
    EXPECT_EQ(start.judgement, one.judgement) << one.what << ": " << start.text;
  }
}

TEST(AuditOfHosts, AStartThatIsNotJudgedSaysWhy) {
  Result result = of_three_hosts();
  result.ranks[2].clock_at_start->uncertainty_s = 0.125;
  EXPECT_THAT(
      line_of(result, "start").text,
      AllOf(HasSubstr("limit 10 ms (clock uncertainty 125 ms)"), HasSubstr("up to 129 ms")));
  result.ranks[2].clock_at_start.reset();
  EXPECT_THAT(line_of(result, "start").text,
              AllOf(HasSubstr("which were not compared"), HasSubstr("--hosts")));
  result.ranks[2].start_ts = 0;
  const Verdict start = line_of(result, "start");
  EXPECT_EQ(start.judgement, Judgement::not_judged);
  EXPECT_THAT(start.text, HasSubstr("; 1 host did not start"));
}

TEST(AuditOfHosts, TwoOfOneNameAreToldApartByTheirRanks) {
  Result result = of_three_hosts();
  result.ranks[2].name = "b";
  result.client.workers[5].load = 0.95;
  EXPECT_THAT(line_of(result, "client.load").text, HasSubstr("host b (rank 2): "));
}

}  // namespace
}  // namespace drover::report
