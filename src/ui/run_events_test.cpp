#include "ui/run_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/example_snapshot_test.h"

namespace drover::ui {
namespace {

using database::ErrorClass;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RunEventsTest : public testing::Test {
 protected:
  std::vector<std::string> after(const load::Snapshot& snapshot) {
    std::vector<std::string> texts;
    for (const RunEvent& event : events_.observe(snapshot)) {
      texts.push_back((event.level == Level::warning ? "! " : "") + event.text);
    }
    return texts;
  }
  static void add_errors(load::Snapshot& snapshot, ErrorClass error_class, std::uint64_t count) {
    snapshot.warmup[0].errors_by_class[std::string(database::error_class_name(error_class))] =
        count;
  }
  static coro::Instant at(int second) { return coro::Instant(std::chrono::seconds(1000 + second)); }

  load::Plan plan_ = example_plan();
  RunEvents events_{plan_};
};

TEST_F(RunEventsTest, TellsPhasesOnce) {
  EXPECT_THAT(after(example_snapshot(1)), ElementsAre("warm-up for 0:10"));
  EXPECT_THAT(after(example_snapshot(2)), IsEmpty());
  EXPECT_THAT(after(example_snapshot(11)), ElementsAre("measuring for 5:00"));
  EXPECT_THAT(after(example_snapshot(12)), IsEmpty());
}

TEST_F(RunEventsTest, TellsOutages) {
  after(example_snapshot(1));
  load::Snapshot snapshot = example_snapshot(2);
  load::Outage outage;
  outage.start = at(2);
  outage.first_error = "server closed the connection";
  snapshot.availability.outages = {outage};
  EXPECT_THAT(after(snapshot), ElementsAre("! outage: server closed the connection"));
  EXPECT_THAT(after(snapshot), IsEmpty());
  snapshot.availability.outages[0].end = at(5);
  snapshot.availability.outages[0].transactions_lost = 7;
  EXPECT_THAT(after(snapshot), ElementsAre("the outage ended after 3.0 s; 7 transactions lost"));
  EXPECT_THAT(after(snapshot), IsEmpty());
  // One that began and ended between two snapshots.
  load::Outage next = snapshot.availability.outages[0];
  next.start = at(8);
  next.end = at(9);
  snapshot.availability.outages.push_back(next);
  EXPECT_THAT(after(snapshot), ElementsAre(HasSubstr("outage: "), HasSubstr("ended after 1.0 s")));
}

TEST_F(RunEventsTest, TellsStalls) {
  after(example_snapshot(1));
  load::Snapshot snapshot = example_snapshot(2);
  snapshot.availability.stalls = {{.start = at(2), .end = {}}};
  EXPECT_THAT(after(snapshot),
              ElementsAre("! stall: the database does not answer; 5 in flight, 2 waiting"));
  EXPECT_THAT(after(snapshot), IsEmpty());
  snapshot.availability.stalls[0].end = at(14);
  EXPECT_THAT(after(snapshot), ElementsAre("the stall ended after 12.0 s"));
  EXPECT_THAT(after(snapshot), IsEmpty());
}

TEST_F(RunEventsTest, TellsInterruptionsWhenAllIsWellAgain) {
  after(example_snapshot(1));
  load::Snapshot snapshot = example_snapshot(2);
  snapshot.availability.interruptions = 1;
  snapshot.connections_open = 15;
  EXPECT_THAT(after(snapshot), IsEmpty());
  snapshot.connections_open = 16;
  EXPECT_THAT(after(snapshot), ElementsAre(HasSubstr("1 interruption")));
  EXPECT_THAT(after(snapshot), IsEmpty());
}

TEST_F(RunEventsTest, SumsErrorsUp) {
  after(example_snapshot(1));
  load::Snapshot snapshot = example_snapshot(2);
  add_errors(snapshot, ErrorClass::retryable, 3);
  EXPECT_THAT(after(snapshot), ElementsAre("3 serialization failures or deadlocks"));
  // More of them: not within the next seconds.
  snapshot.second.elapsed = std::chrono::seconds(5);
  add_errors(snapshot, ErrorClass::retryable, 10);
  EXPECT_THAT(after(snapshot), IsEmpty());
  // A new kind is told at once, with what has come of the others.
  add_errors(snapshot, ErrorClass::statement, 1);
  EXPECT_THAT(after(snapshot),
              ElementsAre("! 7 serialization failures or deadlocks, 1 statement error"));
  snapshot.second.elapsed = std::chrono::seconds(16);
  add_errors(snapshot, ErrorClass::retryable, 1200);
  EXPECT_THAT(after(snapshot), ElementsAre("1,190 serialization failures or deadlocks"));
}

TEST_F(RunEventsTest, TellsALimitThatBreaksAndHoldsAgain) {
  after(example_snapshot(11));
  EXPECT_THAT(after(example_snapshot(12, 7000)),
              ElementsAre(HasSubstr("! NewOrder: 90th percentile 7")));
  EXPECT_THAT(after(example_snapshot(13, 7000)), IsEmpty());
  EXPECT_THAT(after(example_snapshot(14, 20)),
              ElementsAre(HasSubstr("s, again within its limit of")));
}

TEST_F(RunEventsTest, AFewTransactionsBreakNoLimit) {
  after(example_snapshot(11));
  load::Snapshot snapshot = example_snapshot(12);
  snapshot.measured[0].latency = {};
  for (std::uint64_t i = 1; i < RunEvents::latencies_least; ++i) {
    snapshot.measured[0].latency.record(9'000'000'000);
  }
  EXPECT_THAT(after(snapshot), IsEmpty());
}

TEST_F(RunEventsTest, TellsABusyClientUntilItIsCalm) {
  load::Snapshot snapshot = example_snapshot(1);
  after(snapshot);
  const auto with_load = [&](double load) {
    snapshot.second.client_load = load;
    return after(snapshot);
  };
  EXPECT_THAT(with_load(0.79), IsEmpty());
  EXPECT_THAT(
      with_load(0.85),
      ElementsAre(HasSubstr("! the busiest worker thread of the client uses 85% of a core")));
  EXPECT_THAT(with_load(0.75), IsEmpty());
  EXPECT_THAT(with_load(0.85), IsEmpty());
  EXPECT_THAT(with_load(0.5),
              ElementsAre("the busiest worker thread of the client uses 50% of a core"));
}

TEST_F(RunEventsTest, WhatHasNoLimitBreaksNone) {
  plan_.workload.types[0].latency_limit_s.reset();
  after(example_snapshot(11));
  EXPECT_THAT(after(example_snapshot(12, 7000)), IsEmpty());
}

TEST(RunEvents, NameAnyType) {
  load::Plan plan = example_scripts(8);
  plan.workload.types[7] = {"select", 0.004};
  RunEvents events(plan);
  events.observe(example_snapshot_of(11, 8));
  const std::vector<RunEvent> after = events.observe(example_snapshot_of(12, 8));
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].text, "select: 90th percentile 0.005 s, over its limit of 0.004 s");
}

}  // namespace
}  // namespace drover::ui
