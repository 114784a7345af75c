#include "search/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/document/example_result_test.h"

namespace drover::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

}  // namespace
}  // namespace drover::search
