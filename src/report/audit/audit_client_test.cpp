// The lines of the audit that speak of the client itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/audit/audited_result_test.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(AuditOfTheClient, ABusyWorkerNeedsThreads) {
  Result result = honest();
  result.client.workers = {{0.2, 0.01, 0.05}, {0.85, 0.05, 0.05}};
  result.environment.client.cpus = 8;
  EXPECT_EQ(line_of(result, "client.load").judgement, Judgement::invalid);
  EXPECT_THAT(sentence_of(result),
              AllOf(StartsWith("INVALID: client overloaded: a worker thread needed 90% of a core"),
                    HasSubstr("limit 80%"), HasSubstr("use more --threads")));
  EXPECT_FALSE(summarise(audit(result)).compliant);
  result.environment.client.cpus = 2;
  EXPECT_THAT(line_of(result, "client.load").text, HasSubstr("use a machine with more cores"));
  result.client.workers = {{0.7, 0.05, 0.05}};
  EXPECT_EQ(line_of(result, "client.load").judgement, Judgement::held);
  result.client.workers = {};
  EXPECT_EQ(line_of(result, "client.load").judgement, Judgement::not_judged);
}

TEST(AuditOfTheClient, ALoadWithoutTheWaitsIsALowerBoundOfTheDemand) {
  Result result = honest();
  result.client.run_queue_known = false;
  result.client.workers = {{0.3, 0, 0}};
  const Verdict line = line_of(result, "client.load");
  EXPECT_EQ(line.judgement, Judgement::not_judged);
  EXPECT_THAT(line.text, HasSubstr("this kernel does not report how long threads wait"));
  result.client.workers = {{0.85, 0, 0}};
  EXPECT_EQ(line_of(result, "client.load").judgement, Judgement::invalid);
}

TEST(AuditOfTheClient, AWorkerThatGetsNoProcessorNeedsItsOwn) {
  Result result = honest();
  result.client.workers = {{0.05, 0.93, 60}};
  EXPECT_THAT(sentence_of(result),
              AllOf(StartsWith("INVALID: client overloaded: a worker thread needed 98%"),
                    HasSubstr("got 5%"), HasSubstr("its own cores or its own machine")));
  EXPECT_EQ(line_of(result, "client.run_queue").judgement, Judgement::invalid);
}

TEST(AuditOfTheClient, WakingUp) {
  Result result = honest();  // New-Orders of 10 ms
  result.client.workers = {{0.1, 0.1, 0.3}};
  EXPECT_EQ(line_of(result, "client.run_queue").judgement, Judgement::held) << "less than 1 ms";
  result.client.workers = {{0.1, 0.1, 1.0}};
  EXPECT_EQ(line_of(result, "client.run_queue").judgement, Judgement::invalid) << "3 ms of 10";
  result.transactions[0].latency = {};
  for (std::uint64_t i = 0; i < result.transactions[0].ok_count; ++i) {
    result.transactions[0].latency.record(100'000'000);
  }
  EXPECT_EQ(line_of(result, "client.run_queue").judgement, Judgement::held) << "3 ms of 100";
  // Terminals that queue without delays are no excuse.
  TransactionResult& new_order = result.transactions[0];
  const std::uint64_t count = new_order.wait.count();
  new_order.wait = {};
  for (std::uint64_t i = 0; i < count; ++i) new_order.wait.record(80'000'000);
  EXPECT_EQ(line_of(result, "client.run_queue").judgement, Judgement::invalid) << "3 ms of 20";
  result.client.run_queue_known = false;
  EXPECT_EQ(line_of(result, "client.run_queue").judgement, Judgement::not_judged);
}

TEST(AuditOfTheClient, Reaction) {
  Result result = honest();  // New-Orders of 10 ms
  const auto with_lag = [&](std::uint64_t lag_us) {
    result.client.timer_lag = {};
    for (int i = 0; i < 100; ++i) result.client.timer_lag.record(lag_us * 1'000);
    return line_of(result, "client.reaction");
  };
  EXPECT_EQ(with_lag(600).judgement, Judgement::held) << "less than 2 ms";
  const Verdict line = with_lag(1'000);
  EXPECT_EQ(line.judgement, Judgement::invalid);
  EXPECT_THAT(line.text, AllOf(HasSubstr("wakes up 1 ms late each time, 3 times per New-Order: "),
                               HasSubstr("limit 2 ms or 25%"), HasSubstr("its own machine")));
  for (int i = 0; i < 100'000; ++i) result.transactions[0].latency.record(20'000'000);
  EXPECT_EQ(with_lag(1'000).judgement, Judgement::held) << "3 ms of nearly 20";
  result.transactions[0].latency = {};
  EXPECT_EQ(with_lag(1'000).judgement, Judgement::not_judged);
}

TEST(AuditOfTheClient, LateTimers) {
  Result result = honest();
  const std::uint64_t count = result.client.timer_lag.count();
  for (std::uint64_t i = 0; i < count / 50; ++i) result.client.timer_lag.record(80'000'000);
  const Verdict line = line_of(result, "client.timers");
  EXPECT_EQ(line.judgement, Judgement::invalid);
  EXPECT_THAT(line.text, AllOf(HasSubstr("timer lag p99 80"), HasSubstr("limit 50 ms"),
                               HasSubstr("fewer terminals")));
  // At a fast pace, less lag matters: 2 ms twice in a cycle of 200 ms.
  result = honest();
  result.client.timer_lag = {};
  for (int i = 0; i < 100; ++i) result.client.timer_lag.record(2'000'000);
  EXPECT_EQ(line_of(result, "client.timers").judgement, Judgement::held);
  result.plan.pace = 100;
  EXPECT_EQ(line_of(result, "client.timers").judgement, Judgement::invalid);
  result.client.timer_lag = {};
  EXPECT_EQ(line_of(result, "client.timers").judgement, Judgement::not_judged);
}

TEST(AuditOfTheClient, Waiting) {
  Result result = honest();
  for (TransactionResult& one : result.transactions) {
    const std::uint64_t count = one.wait.count();
    one.wait = {};
    for (std::uint64_t i = 0; i < count; ++i) one.wait.record(3'000'000);
  }
  const Verdict line = line_of(result, "client.waiting");
  EXPECT_EQ(line.judgement, Judgement::invalid);
  EXPECT_THAT(line.text,
              AllOf(HasSubstr("waits 3 ms for a permit (--max-inflight) and a connection"),
                    HasSubstr("limit 1 ms or 10%"), HasSubstr("use more --connections (16 now)")));
  EXPECT_THAT(sentence_of(result), StartsWith("INVALID: too few connections: a transaction waits"))
      << "the machine has time to spare";
  result.client.workers = {{0.9, 0.01, 0.05}};
  EXPECT_THAT(sentence_of(result),
              StartsWith("INVALID: client overloaded: a worker thread needed"));
  result.plan.max_inflight_chosen = true;
  EXPECT_EQ(line_of(result, "client.waiting").judgement, Judgement::not_judged);
  result.plan.max_inflight_chosen = false;
  result.plan.no_delays = true;
  EXPECT_EQ(line_of(result, "client.waiting").judgement, Judgement::not_judged);
}

}  // namespace
}  // namespace drover::report
