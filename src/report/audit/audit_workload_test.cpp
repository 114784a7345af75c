#include <gmock/gmock.h>

#include <algorithm>

#include "report/audit/audited_result_test.h"
#include "report/document/example_result_test.h"

namespace drover::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Where the client's delays are so small that they are nobody's.
Result ycsb() {
  Result result = example_ycsb_result();
  result.plan.duration_s = result.summary.time_seconds;
  return result;
}

TEST(AuditWorkload, NoRuleOfTpccIsThere) {
  std::vector<std::string> names;
  for (const Verdict& line : audit(ycsb())) {
    names.push_back(line.name);
    EXPECT_EQ(line.clause, "") << line.name;
  }
  EXPECT_THAT(
      names, ElementsAre("steady_state", "mix", "rate", "errors", "client.load", "client.run_queue",
                         "client.reaction", "client.timers", "client.waiting", "run",
                         "availability", "counts", "ambiguous", "accounts", "verification"));
  EXPECT_THAT(sentence_of(ycsb()), StartsWith("valid: all ")) << all_text(audit(ycsb()));
  EXPECT_THAT(sentence_of(example_sql_result()), StartsWith("valid: all "));
}

TEST(AuditWorkload, SharesAreAsAskedFor) {
  Result result = ycsb();
  EXPECT_EQ(line_of(result, "mix").judgement, Judgement::held);
  EXPECT_EQ(line_of(result, "mix").text,
            "READ 50.00%, READ-MODIFY-WRITE 45.00%, INSERT 5.00% of 6,000 transactions");
  result.transactions[0].share = 0.6;
  EXPECT_EQ(line_of(result, "mix").judgement, Judgement::broken);
  EXPECT_THAT(line_of(result, "mix").text,
              HasSubstr("READ 50.00% (specified 60.00%, chance allows "));
  result.transactions[0].share = 0;
  EXPECT_EQ(line_of(result, "mix").judgement, Judgement::broken) << "none was asked for";
  for (TransactionResult& one : result.transactions) one.share.reset();
  EXPECT_EQ(line_of(result, "mix").judgement, Judgement::not_judged);
  result = example_sql_result();
  EXPECT_EQ(line_of(result, "mix").judgement, Judgement::held);
  result.transactions[1].share = 1;
  EXPECT_EQ(line_of(result, "mix").judgement, Judgement::broken);
}

TEST(AuditWorkload, ARateThatTheDatabaseKeeps) {
  Result result = ycsb();
  EXPECT_EQ(line_of(result, "rate").judgement, Judgement::held);
  EXPECT_EQ(line_of(result, "rate").text,
            "100 of 100 scheduled tx/s (100.0%), backlog of 3 transactions at the end (limit 442)");
  result.plan.rate = 0;
  EXPECT_EQ(line_of(result, "rate").judgement, Judgement::not_judged);
  EXPECT_EQ(line_of(example_sql_result(), "rate").judgement, Judgement::not_judged);
}

TEST(AuditWorkload, ARateThatIsNotKeptIsTheDatabasesOrTheClients) {
  Result result = ycsb();
  result.plan.rate = 200;
  EXPECT_EQ(line_of(result, "rate").judgement, Judgement::broken);
  EXPECT_THAT(
      line_of(result, "rate").text,
      AllOf(
          StartsWith("100 of 200 scheduled tx/s (50.0%), allowed at least 95.08% (99% minus "
                     "3.92% for chance)"),
          HasSubstr("32 clients over 32 connections did not reach the rate, so the latency grows"),
          HasSubstr("Use a lower --rate, or more clients and connections")));
  result.client.workers[0].load = 0.95;
  EXPECT_EQ(line_of(result, "rate").judgement, Judgement::invalid);
  EXPECT_THAT(line_of(result, "rate").text,
              HasSubstr("the client side (Drover) was overloaded. The rules client.load"));
}

TEST(AuditWorkload, ABacklogThatGrowsIsHeldAgainstTheDatabase) {
  Result result = ycsb();
  result.plan.arrivals = "constant";
  result.backlog = 120;
  EXPECT_EQ(line_of(result, "rate").judgement, Judgement::held)
      << "a second of work, and what clients are at";
  result.backlog = 140;
  EXPECT_EQ(line_of(result, "rate").judgement, Judgement::broken);
  EXPECT_THAT(line_of(result, "rate").text,
              HasSubstr("backlog of 140 transactions at the end (limit 133)"));
}

TEST(AuditWorkload, ARunInWhichEverythingFailedIsInvalid) {
  for (Result result : {ycsb(), example_sql_result(), honest()}) {
    for (TransactionResult& one : result.transactions) {
      one.failed_count = one.all_count();
      one.ok_count = one.user_aborted_count = 0;
    }
    const Verdict errors = line_of(result, "errors");
    EXPECT_EQ(errors.judgement, Judgement::invalid);
    EXPECT_THAT(errors.text, StartsWith("no transaction succeeded: all "));
    EXPECT_THAT(sentence_of(result), StartsWith("INVALID: "));
    result.transactions[0].ok_count = 1;
    EXPECT_EQ(line_of(result, "errors").judgement, Judgement::broken);
  }
}

TEST(AuditWorkload, AccountsAndTheData) {
  Result result = ycsb();
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::held);
  EXPECT_EQ(line_of(result, "accounts").text,
            "updates: 2950 committed, 2950 in the data; inserts: 310 committed, 310 in the data");
  result.accounts[0].in_data = 2'951;
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::invalid);
  EXPECT_THAT(line_of(result, "accounts").text, HasSubstr("another program writes to this table"));
  result.accounts[0].unresolved = 1;
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::held);
  EXPECT_THAT(line_of(result, "accounts").text,
              HasSubstr("2951 in the data; the data contain 1 of 1 unresolved commit"));
  result.accounts[0].in_data = 2'952;
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::invalid) << "one was in doubt";
  result.accounts[0].in_data = 2'949;
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::invalid) << "less is never explained";
  EXPECT_THAT(sentence_of(result),
              AllOf(StartsWith("INVALID: updates: "), HasSubstr("commits were lost")));
  result.accounts[0].in_data.reset();
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::not_judged);
  result.accounts[1].in_data = 1;
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::invalid)
      << "whatever is said of the others";
  std::ranges::reverse(result.accounts);
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::invalid);
  result.accounts.clear();
  EXPECT_EQ(line_of(result, "accounts").judgement, Judgement::not_judged);
}

TEST(AuditWorkload, WhatWasVerified) {
  Result result = ycsb();
  EXPECT_EQ(line_of(result, "verification").judgement, Judgement::held);
  EXPECT_EQ(line_of(result, "verification").text, "30,000 values verified, all correct");
  result.verification->not_found = 1;
  EXPECT_EQ(line_of(result, "verification").judgement, Judgement::invalid);
  EXPECT_THAT(line_of(result, "verification").text, HasSubstr("; 1 row missing"));
  result.verification =
      Verification{.values = 10, .wrong = 2, .not_found = 0, .first_wrong = "user17 FIELD3"};
  EXPECT_EQ(line_of(result, "verification").judgement, Judgement::invalid);
  EXPECT_THAT(line_of(result, "verification").text, HasSubstr("2 wrong: user17 FIELD3"));
  result.verification->values = result.verification->wrong = 0;
  EXPECT_EQ(line_of(result, "verification").judgement, Judgement::not_judged);
  result.verification.reset();
  EXPECT_EQ(line_of(result, "verification").judgement, Judgement::not_judged);
}

TEST(AuditWorkload, TheClientIsHeldAgainstAnyTransaction) {
  Result result = ycsb();
  EXPECT_THAT(
      line_of(result, "client.run_queue").text,
      HasSubstr("a worker thread waits 0.050 ms for a core each time, 2 times per transaction: "));
  result.client.workers[1].wake_up_delay_ms = 1;
  EXPECT_EQ(line_of(result, "client.run_queue").judgement, Judgement::invalid);
  EXPECT_THAT(line_of(example_sql_result(), "client.run_queue").text,
              HasSubstr("3 times per transaction"))
      << "its begin, and two answers";
}

TEST(AuditWorkload, ClientsQueueByDesignWhereThereAreFewerConnections) {
  Result result = example_sql_result();
  EXPECT_EQ(line_of(result, "client.waiting").judgement, Judgement::held);
  for (TransactionResult& one : result.transactions) {
    for (int i = 0; i < 100'000; ++i) one.wait.record(50'000'000);
  }
  EXPECT_EQ(line_of(result, "client.waiting").judgement, Judgement::invalid);
  result.plan.connections = 8;
  EXPECT_EQ(line_of(result, "client.waiting").judgement, Judgement::not_judged);
  EXPECT_THAT(line_of(result, "client.waiting").text,
              HasSubstr("32 clients share 8 connections and wait by design"));
  EXPECT_EQ(line_of(ycsb(), "client.waiting").judgement, Judgement::not_judged);
}

}  // namespace
}  // namespace drover::report
