#include "report/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "report/audit/audited_result_test.h"
#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Audit, OfAnHonestRunEveryRuleHolds) {
  const std::vector<Verdict> lines = audit(honest());
  for (const Verdict& line : lines) {
    const bool expected = line.judgement == Judgement::held || line.name == "interval" ||
                          line.name == "deferred_delivery";
    EXPECT_TRUE(expected) << line.name << ": " << line.text;
    EXPECT_FALSE(line.text.empty()) << line.name;
    if (line.name.starts_with("inputs."))
      EXPECT_THAT(line.text, HasSubstr("; specified ")) << line.name;
  }
  const AuditSummary summary = summarise(lines);
  EXPECT_TRUE(summary.valid);
  EXPECT_TRUE(summary.compliant);
  EXPECT_EQ(summary.sentence, "valid: all 28 judged rules hold (2 not judged)");
}

TEST(Audit, NamesAreUniqueAndTheirOrderIsConstant) {
  std::vector<std::string> names;
  for (const Verdict& line : audit(honest())) names.push_back(line.name);
  std::vector<std::string> of_nothing;
  Result empty;
  empty.transactions = tpcc_transactions();
  for (const Verdict& line : audit(empty)) of_nothing.push_back(line.name);
  EXPECT_EQ(names, of_nothing);
  std::map<std::string, int> counts;
  for (const std::string& name : names) EXPECT_EQ(++counts[name], 1) << name;
}

TEST(Audit, NothingMeasured) {
  Result result;
  result.transactions = tpcc_transactions();
  result.interrupted = true;
  const std::vector<Verdict> lines = audit(result);
  EXPECT_EQ(line_named(lines, "mix").judgement, Judgement::not_judged);
  EXPECT_EQ(line_named(lines, "client.load").judgement, Judgement::not_judged);
  EXPECT_EQ(line_named(lines, "run").judgement, Judgement::broken);
  const AuditSummary summary = summarise(lines);
  EXPECT_EQ(summary.sentence, "not judged: nothing was measured");
  EXPECT_FALSE(summary.compliant);
  EXPECT_EQ(summarise({}).sentence, "not judged: nothing was measured");
}

TEST(Audit, ARunThatEndedEarly) {
  Result result = honest();
  result.interrupted = true;
  result.plan.duration_s = 600;
  EXPECT_EQ(line_of(result, "run").judgement, Judgement::broken);
  EXPECT_THAT(line_of(result, "run").text,
              HasSubstr("interrupted after 120.0 s of the measured interval of 600 s"));
  result.failure = "the database was away";
  EXPECT_THAT(line_of(result, "run").text, HasSubstr("aborted: the database was away"));
  EXPECT_THAT(sentence_of(result),
              StartsWith("valid, but not compliant: 1 of 28 judged rules is broken (run)"));
}

TEST(Audit, MixBelowItsMinimum) {
  SimulatedRun run;
  run.warehouses = 100;
  run.interval_s = 120;
  run.deck = {12, 9, 1, 1, 1};  // 37.5% Payments
  const Verdict line = line_of(simulate_result(run), "mix");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_EQ(line.clause, "5.2.3");
  EXPECT_THAT(line.text,
              AllOf(HasSubstr("Payment 37"), HasSubstr("(minimum 43%, less 2.22% for chance)")));

  // Exactly on the minimum, but for the edges of the interval: not broken.
  run.deck = {9, 9, 1, 1, 1};
  EXPECT_EQ(line_of(simulate_result(run), "mix").judgement, Judgement::held);

  run.deck = {26, 22, 1, 2, 2};  // 1.9% Order-Status
  EXPECT_THAT(line_of(simulate_result(run), "mix").text, HasSubstr("OrderStatus 1."));
}

TEST(Audit, KeyingTimes) {
  Result result = honest();
  result.transactions[1].keying.record(2'999'999'000);
  const Verdict line = line_of(result, "keying");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_THAT(line.text, AllOf(HasSubstr("Payment 3 s (minimum 3 s)")));
  result.plan.no_delays = true;
  EXPECT_EQ(line_of(result, "keying").judgement, Judgement::not_judged);
}

TEST(Audit, AnotherPaceIsNotTheSpecificationsButTheShapeIsCheckedStill) {
  SimulatedRun run;
  run.warehouses = 50;
  run.pace = 10;
  run.warmup_s = 3;
  run.interval_s = 20;
  Result result = simulate_result(run);
  const Verdict keying = line_of(result, "keying");
  EXPECT_EQ(keying.judgement, Judgement::broken);
  EXPECT_THAT(keying.text,
              AllOf(StartsWith("--pace 10 changes the specified keying and think times"),
                    HasSubstr("shortest: NewOrder 1.8")));
  const Verdict think = line_of(result, "think");
  EXPECT_EQ(think.judgement, Judgement::broken);
  EXPECT_THAT(think.text,
              AllOf(StartsWith("--pace 10 changes the specified keying and think times"),
                    HasSubstr("think times with a negative exponential distribution")));
  EXPECT_EQ(line_of(result, "throughput").judgement, Judgement::not_judged);
  EXPECT_THAT(sentence_of(result), HasSubstr("2 of 27 judged rules are broken (keying, think)"));

  run.think_in_means = [](std::mt19937_64&) { return 1.0; };
  EXPECT_THAT(line_of(simulate_result(run), "think").text, HasSubstr("distance 0.6"));
}

// A run of 40 warehouses for two minutes: about 1,000 think times of the frequent types.
TEST(Audit, ThinkTimesOfAnotherShapeOrMeanAreFound) {
  const std::map<std::string, std::function<double(std::mt19937_64&)>> wrong = {
      {"constant", [](std::mt19937_64&) { return 1.0; }},
      {"uniform",
       [](std::mt19937_64& random) {
         return std::uniform_real_distribution<double>(0, 2)(random);
       }},
      {"20% short",
       [](std::mt19937_64& random) {
         return std::exponential_distribution<double>(1 / 0.8)(random);
       }},
      {"30% long",
       [](std::mt19937_64& random) {
         return std::exponential_distribution<double>(1 / 1.3)(random);
       }},
      {"none for one in three", [](std::mt19937_64& random) {
         const bool none = std::uniform_int_distribution<int>(0, 2)(random) == 0;
         return none ? 0.001 : std::exponential_distribution<double>(1 / 1.5)(random);
       }}};
  for (const auto& [name, think] : wrong) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SimulatedRun run;
      run.seed = seed;
      run.warehouses = 40;
      run.interval_s = 120;
      run.think_in_means = think;
      const Verdict line = line_of(simulate_result(run), "think");
      EXPECT_EQ(line.judgement, Judgement::broken) << name << ": " << line.text;
      EXPECT_THAT(line.text, HasSubstr("after NewOrder: mean ")) << name;
    }
  }
}

// The first think times that are seen began when the run did: without a warm-up long ones are rare.
TEST(Audit, ThinkTimesOfARunWithoutWarmupAreJudgedByWhatCanBeSeen) {
  SimulatedRun run;
  run.warehouses = 300;
  run.warmup_s = 0;
  run.interval_s = 15;
  EXPECT_EQ(line_of(simulate_result(run), "think").judgement, Judgement::held);
}

TEST(Audit, LateTimersAreNotHeldAgainstThinkTimes) {
  SimulatedRun run;
  run.warehouses = 100;
  run.pace = 20;
  run.warmup_s = 3;
  run.interval_s = 20;
  run.timer_lag_ms = 10;  // of pauses of 250 ms to 600 ms
  EXPECT_THAT(line_of(simulate_result(run), "think").text,
              HasSubstr("think times with a negative exponential distribution"));
}

TEST(Audit, Throughput) {
  Result result = honest();
  const auto with_new_orders = [&](double tpmc_per_warehouse) {
    result.transactions[0].ok_count =
        static_cast<std::uint64_t>(tpmc_per_warehouse * 100 * 120 / 60);
    complete_summary(result);
    return line_of(result, "throughput");
  };
  EXPECT_EQ(with_new_orders(12.4).judgement, Judgement::held);
  EXPECT_EQ(with_new_orders(8.8).judgement, Judgement::held) << "within the sampling error";
  EXPECT_EQ(with_new_orders(13.0).judgement, Judgement::held) << "within the sampling error";
  EXPECT_THAT(with_new_orders(13.0).text,
              testing::MatchesRegex("13.00 tpmC per warehouse; allowed 8\\.[0-9]+ to 13\\.[0-9]+ "
                                    "\\(specified 9 to 12.86, widened for chance\\)"));
  EXPECT_EQ(with_new_orders(8).judgement, Judgement::broken);
  EXPECT_THAT(with_new_orders(8).text,
              AllOf(HasSubstr("8.00 tpmC per warehouse"), HasSubstr("Use fewer warehouses")));
  EXPECT_EQ(with_new_orders(14).judgement, Judgement::broken);
  result.plan.no_delays = true;
  EXPECT_EQ(with_new_orders(14).judgement, Judgement::not_judged);
}

TEST(Audit, TheLengthOfTheIntervalIsNotedAndNeverBroken) {
  Result result = honest();
  EXPECT_EQ(line_of(result, "interval").judgement, Judgement::not_judged);
  EXPECT_THAT(line_of(result, "interval").text,
              HasSubstr("2 min measured; an official run takes at least 120 min"));
  result.summary.time_seconds = 7'200;
  EXPECT_EQ(line_of(result, "interval").judgement, Judgement::held);
}

TEST(Audit, SteadyState) {
  Result result = honest();
  double point = 0;
  for (TimePoint& second : result.time_series) {
    second.ok = {static_cast<std::uint64_t>(1'000 * (1 - 0.1 * point / 120))};
    point += second.phase == "measure" ? 1 : 0;
  }
  const Verdict line = line_of(result, "steady_state");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_THAT(line.text,
              AllOf(HasSubstr("throughput changed by -10."), HasSubstr("use a longer --warmup")));

  result.time_series.resize(21 + 9);
  EXPECT_EQ(line_of(result, "steady_state").judgement, Judgement::not_judged);
}

TEST(Audit, ACollapseIsNoSteadyState) {
  Result result = honest();
  std::size_t measured = 0;
  for (TimePoint& second : result.time_series) {
    if (second.phase == "measure") ++measured;
    second.ok = {measured <= 40 ? 500u : 25u};
  }
  const Verdict line = line_of(result, "steady_state");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_THAT(
      line.text,
      AllOf(HasSubstr("throughput fell from "), HasSubstr(" tx/s "),
            HasSubstr("of the run (40 intervals of 3 s); find out what happened at that time")));
}

TEST(Audit, EachInputThatIsWrongIsFoundAndNoOther) {
  struct Case {
    const char* line;
    std::function<void(SimulatedRun&)> change;
  };
  const std::vector<Case> cases = {
      {"inputs.rollbacks", [](SimulatedRun& run) { run.rollback_share = 0.02; }},
      {"inputs.rollbacks", [](SimulatedRun& run) { run.rollback_share = 0; }},
      {"inputs.remote_lines", [](SimulatedRun& run) { run.remote_line_share = 0.015; }},
      {"inputs.remote_lines", [](SimulatedRun& run) { run.remote_line_share = 0; }},
      {"inputs.order_lines", [](SimulatedRun& run) { run.order_lines_most = 14; }},
      {"inputs.remote_payments", [](SimulatedRun& run) { run.remote_payment_share = 0.10; }},
      {"inputs.payments_by_name", [](SimulatedRun& run) { run.by_name_share = 0.50; }},
      {"inputs.order_statuses_by_name", [](SimulatedRun& run) { run.by_name_share = 0.30; }}};
  for (const Case& one : cases) {
    SimulatedRun run;
    run.warehouses = 100;
    run.interval_s = 120;
    one.change(run);
    const Result result = simulate_result(run);
    const Verdict line = line_of(result, one.line);
    EXPECT_EQ(line.judgement, Judgement::broken) << line.name << ": " << line.text;
    EXPECT_FALSE(line.clause.empty());
    for (const Verdict& other : result.audit) {
      if (other.name == one.line || other.name.ends_with("by_name")) continue;
      EXPECT_NE(other.judgement, Judgement::broken) << other.name << ": " << other.text;
    }
  }
}

TEST(Audit, InputsThatCannotBeJudged) {
  Result result = honest();
  result.plan.warehouses = 1;
  EXPECT_EQ(line_of(result, "inputs.remote_lines").judgement, Judgement::not_judged);
  EXPECT_EQ(line_of(result, "inputs.remote_payments").judgement, Judgement::not_judged);
  result.inputs = {};
  result.inputs.new_orders = 29;
  for (const char* name : {"inputs.rollbacks", "inputs.order_lines", "inputs.payments_by_name",
                           "inputs.order_statuses_by_name"}) {
    EXPECT_EQ(line_of(result, name).judgement, Judgement::not_judged) << name;
  }
}

TEST(Audit, Latencies) {
  Result result = honest();
  result.transactions[2].latency = {};
  for (int i = 0; i < 100; ++i) result.transactions[2].latency.record(6'000'000'000);
  result.transactions[2].ok_count = 100;
  const Verdict line = line_of(result, "latency.OrderStatus");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_THAT(line.text, AllOf(HasSubstr("90th percentile 6"), HasSubstr("of 100"),
                               HasSubstr("limit 5 s"), HasSubstr("fewer warehouses")));
  EXPECT_EQ(line_of(result, "latency.StockLevel").judgement, Judgement::held);
  result.transactions[2].latency = {};
  EXPECT_EQ(line_of(result, "latency.OrderStatus").judgement, Judgement::not_judged);
}

TEST(Audit, DeferredDeliveries) {
  Result result = honest();
  EXPECT_EQ(line_of(result, "deferred_delivery").judgement, Judgement::not_judged);
  result.deferred_delivery.emplace();
  DeferredDelivery& deferred = *result.deferred_delivery;
  deferred.queued = 100;
  deferred.completed = 100;
  for (int i = 0; i < 100; ++i) deferred.latency.record(1'000'000'000);
  EXPECT_EQ(line_of(result, "deferred_delivery").judgement, Judgement::held);
  deferred.completed = 80;
  deferred.unfinished = 20;
  EXPECT_EQ(line_of(result, "deferred_delivery").judgement, Judgement::broken);
  deferred.unfinished = 0;
  deferred.completed = 100;
  for (int i = 0; i < 100; ++i) deferred.latency.record(90'000'000'000);
  const Verdict line = line_of(result, "deferred_delivery");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_THAT(line.text,
              AllOf(HasSubstr("limit 80 s"), HasSubstr("the queue of deferred Deliveries grows")));
}

TEST(Audit, SkippedDeliveries) {
  Result result = honest();
  result.inputs.deliveries = 100;
  result.delivery_skipped_districts = 10;
  EXPECT_EQ(line_of(result, "delivery.skipped").judgement, Judgement::held);
  result.delivery_skipped_districts = 11;
  EXPECT_EQ(line_of(result, "delivery.skipped").judgement, Judgement::broken);
  result.inputs.deliveries = 1;
  result.delivery_skipped_districts = 1;
  EXPECT_EQ(line_of(result, "delivery.skipped").judgement, Judgement::held) << "one is allowed";
  result.inputs.deliveries = 0;
  EXPECT_EQ(line_of(result, "delivery.skipped").judgement, Judgement::not_judged);
}

void fail_transactions(Result& result, const char* error_class, std::uint64_t count) {
  TransactionResult& payment = result.transactions[1];
  payment.failed_count += count;
  payment.attempts += count;
  payment.errors_by_class[error_class] += count;
}

TEST(Audit, FailedTransactions) {
  Result result = honest();
  fail_transactions(result, "statement", result.all_count() / 200);
  EXPECT_EQ(line_of(result, "errors").judgement, Judgement::held) << "half a percent";
  fail_transactions(result, "statement", result.all_count() / 100);
  EXPECT_EQ(line_of(result, "errors").judgement, Judgement::broken);

  // What an outage took is another line's.
  result = honest();
  const std::uint64_t lost = result.all_count() / 20;
  fail_transactions(result, "connection_lost", lost);
  EXPECT_EQ(line_of(result, "errors").judgement, Judgement::broken) << "there was no outage";
  result.availability.outages = {{50, 60, lost, "lost"}};
  EXPECT_EQ(line_of(result, "errors").judgement, Judgement::held);
}

TEST(Audit, Availability) {
  Result result = honest();
  result.availability.outages = {{5, 15, 3, "lost"}};
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::held) << "in the warm-up";
  result.availability.outages.push_back({50, 60.5, 7, "lost"});
  result.availability.outages.push_back({100, std::nullopt, 1, "lost"});
  result.availability.unavailable_s = 51.5;
  result.availability.interruptions = 2;
  const Verdict line = line_of(result, "availability");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_EQ(line.text,
            "2 outages in the measured interval, unavailable for 51.5 s of 120.0 s, 8 transactions "
            "lost; 2 interruptions shorter than 0.1 s");
  result.plan.simulate_ms = 5;
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::not_judged);
}

TEST(Audit, WarehousesThatWereAwayBreakAvailability) {
  Result result = honest();
  result.plan.warehouses = 4;
  result.availability.interruptions = 9;
  result.warehouse_availability = {.away = {2, 4}, .away_s = 24, .available_percent = 95};
  const Verdict line = line_of(result, "availability");
  EXPECT_EQ(line.judgement, Judgement::broken);
  EXPECT_EQ(line.text,
            "no outage in the measured interval; available for 95.00% of the warehouses' time: 2 "
            "of 4 warehouses (2, 4) were away for 12.0 s on average");
  result.warehouse_availability->away.clear();
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::held);
}

TEST(Audit, StallsBreakAvailabilityAboveAShareOrALength) {
  Result result = honest();
  result.availability.stalls = {{5, 15}};
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::held) << "in the warm-up";
  // 120 s are measured: of them 1.2 s may be lost.
  const double from = result.plan.warmup_s;
  result.availability.stalls = {{from + 50, from + 51.1}};
  result.availability.stalled_s = 1.1;
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::held);
  result.availability.stalls.push_back({from + 70, from + 71.5});
  result.availability.stalled_s = 2.6;
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::broken);
  EXPECT_EQ(line_of(result, "availability").text,
            "no outage in the measured interval; 2 stalls, in which terminals waited and the "
            "database did not answer: 2.6 s in total (allowed: at most 1.2 s), the longest 1.5 s "
            "(allowed: below 5 s)");

  result.summary.time_seconds = 7200;
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::held);
  result.availability.stalls.push_back({from + 7194, std::nullopt});
  result.availability.stalled_s = 8.6;
  EXPECT_EQ(line_of(result, "availability").judgement, Judgement::broken) << "one of 6 s";
}

TEST(Audit, PercentilesThatPendingTransactionsMayRaise) {
  Result result = honest();
  TransactionResult& order = result.transactions[0];
  const std::uint64_t count = order.latency.count() / 5;
  for (std::uint64_t i = 0; i < count; ++i) {
    order.latency.record(3'000'000'000);
    order.pending.unanswered.record(3'000'000'000);
  }
  order.pending.count = count;
  EXPECT_EQ(line_of(result, "counts").judgement, Judgement::held);
  EXPECT_EQ(order.holds_latency_limit(), std::nullopt);
  const Verdict line = line_of(result, "latency.NewOrder");
  EXPECT_EQ(line.judgement, Judgement::not_judged) << line.text;
  EXPECT_THAT(line.text, AllOf(HasSubstr("at least 3 s"), HasSubstr("had no answer")));
  // What has waited for longer than the limit is over it, whatever its end.
  order.latency.record(6'000'000'000);
  for (std::uint64_t i = 0; i < count; ++i) order.latency.record(6'000'000'000);
  EXPECT_EQ(line_of(result, "latency.NewOrder").judgement, Judgement::broken);
}

TEST(Audit, AClientThatStoodStillHasMeasuredItself) {
  Result result = honest();
  result.client.timer_lag.record(1'100'000'000);
  EXPECT_EQ(line_of(result, "client.timers").judgement, Judgement::held) << "of 120 s";
  result.client.timer_lag.record(4'000'000'000);
  EXPECT_EQ(line_of(result, "client.timers").judgement, Judgement::invalid);
  EXPECT_THAT(line_of(result, "client.timers").text,
              HasSubstr("the client side did not run for 4.0 s"));
}

TEST(Audit, CountsThatDoNotAddUpAreInvalid) {
  Result result = honest();
  result.transactions[0].attempts += 1;
  EXPECT_EQ(line_of(result, "counts").judgement, Judgement::invalid);
  EXPECT_THAT(sentence_of(result),
              StartsWith("INVALID: counts are inconsistent (NewOrder: attempts"));
  EXPECT_FALSE(summarise(audit(result)).valid);
}

TEST(Audit, TheLedgerAndTheData) {
  Result result = honest();
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::held);
  result.ledger_in_data->new_orders -= 1;
  Verdict line = line_of(result, "ledger");
  EXPECT_EQ(line.judgement, Judgement::invalid);
  EXPECT_THAT(line.text, HasSubstr("commits were lost"));
  EXPECT_THAT(sentence_of(result), StartsWith("INVALID: "));

  result.lost_commits = LostCommits{.new_orders = 1};
  line = line_of(result, "ledger");
  EXPECT_EQ(line.judgement, Judgement::invalid);
  EXPECT_THAT(line.text, HasSubstr("the database lost 1 commit that it had acknowledged"));
  result.lost_commits.reset();

  result.ledger.exact = false;
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::invalid) << "less is never explained";
  result.ledger_in_data->new_orders += 2;
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::not_judged);
  result.ledger.exact = true;
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::invalid);

  result = honest();
  result.ledger_in_data->payment_cents = 1;
  line = line_of(result, "ledger");
  EXPECT_EQ(line.judgement, Judgement::invalid);
  EXPECT_THAT(line.text,
              AllOf(HasSubstr("0.00 committed, 0.01 in the data"), HasSubstr("another program")));

  result = honest();
  result.ledger.orders_delivered = 70;
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::held) << "an older result";
  result.ledger_in_data->orders_delivered = 70;
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::held);
  result.ledger_in_data->orders_delivered = 60;
  line = line_of(result, "ledger");
  EXPECT_EQ(line.judgement, Judgement::invalid);
  EXPECT_THAT(line.text, AllOf(HasSubstr("orders delivered: 70 committed, 60 in the data"),
                               HasSubstr("commits were lost")));
  result.ledger.exact = false;
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::invalid) << "less is never explained";
  result.ledger_in_data->orders_delivered = 80;
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::not_judged);
  result.ledger_in_data.reset();
  EXPECT_EQ(line_of(result, "ledger").judgement, Judgement::not_judged);
}

TEST(Audit, AmbiguousCommits) {
  Result result = honest();
  fail_transactions(result, "ambiguous_commit", 3);
  result.transactions[1].ambiguous = {.committed = 2, .not_committed = 1, .unresolved = 0};
  EXPECT_EQ(line_of(result, "ambiguous").judgement, Judgement::held);
  EXPECT_THAT(line_of(result, "ambiguous").text,
              HasSubstr("3 commits without an answer: 2 committed, 1 not committed, 0 unresolved"));
  result.transactions[1].ambiguous = {.committed = 2, .not_committed = 0, .unresolved = 1};
  EXPECT_EQ(line_of(result, "ambiguous").judgement, Judgement::broken);
}

TEST(AuditSummary, WhatContradictsTheDataComesFirst) {
  const AuditSummary summary =
      summarise({{"mix", "", Judgement::broken, "a"},
                 {"client.load", "", Judgement::invalid, "b; use more --threads"},
                 {"ledger", "", Judgement::invalid, "c"}});
  EXPECT_EQ(summary.sentence, "INVALID: c");
  EXPECT_FALSE(summary.valid);
  EXPECT_FALSE(summary.compliant);
}

}  // namespace
}  // namespace drover::report
