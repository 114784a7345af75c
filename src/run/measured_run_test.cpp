#include "run/measured_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/sleep.h"
#include "load/snapshot.h"

namespace drover::run {
namespace {

using namespace std::chrono_literals;

struct Notes final : load::Observer {
  void on_note(std::string_view text) override { all.emplace_back(text); }
  std::vector<std::string> all;
};

TEST(MetricsOfRun, SayWhereTheyListenAndToWhom) {
  Notes notes;
  {
    const auto endpoint =
        open_metrics_endpoint(*metrics::parse_listen_address("0"), {}, {}, "", notes);
    ASSERT_EQ(notes.all.size(), 1U);
    EXPECT_EQ(notes.all[0], "metrics: " + endpoint->url());
  }
  notes.all.clear();
  const auto endpoint =
      open_metrics_endpoint(*metrics::parse_listen_address("0.0.0.0:0"), {}, {}, "", notes);
  ASSERT_EQ(notes.all.size(), 2U);
  EXPECT_TRUE(notes.all[1].starts_with("note: every machine that can reach ")) << notes.all[1];
  EXPECT_NE(notes.all[1].find(endpoint->url()), std::string::npos) << notes.all[1];
}

// The look-up of unknown commits and the ledger share one time limit.
TEST(PatienceAfterARun, IsForAllThatIsAskedThen) {
  EXPECT_EQ(patience_left(60s, -1s), 60s);
  EXPECT_EQ(patience_left(60s, 6s), 54s);
  EXPECT_EQ(patience_left(60s, 65s), 5s);
  EXPECT_EQ(patience_left(5s, 65s), 5s);
  EXPECT_EQ(patience_left(0s, 65s), 0s);
}

using coro::Task;
using testing::ElementsAre;
using testing::HasSubstr;

struct StartNotes final : load::Observer {
  void on_note(std::string_view text) override { all.emplace_back(text); }

  std::vector<std::string> all;
};

constexpr double unix_at_0 = 1'795'636'800;
double clock_stepped_s = 0;

// The virtual clock of the worker began then.
double unix_time() {
  const auto since = coro::Worker::current().now().time_since_epoch();
  return unix_at_0 + coro::seconds_of(since) + clock_stepped_s;
}

class StartAtTest : public testing::Test {
 protected:
  StartAtTest() { clock_stepped_s = 0; }

  coro::Instant wait_for(double unix_s) {
    coro::Instant start;
    auto body = [&]() -> Task<void> {
      StartAt start_at(unix_s, unix_time, notes);
      co_await start_at.sessions_open();
      start = co_await start_at.terminals_up();
    };
    coro::block_on(worker, body());
    return start;
  }

  coro::VirtualClock clock;
  coro::Worker worker{clock};
  StartNotes notes;
};

TEST_F(StartAtTest, IsTheInstantOfTheWallClock) {
  EXPECT_NEAR(coro::seconds_of(wait_for(unix_at_0 + 65.5).time_since_epoch()), 65.5, 1e-6);
  EXPECT_THAT(
      notes.all,
      ElementsAre("all terminals have started. Waiting 65.5 s until 2026-11-25 20:01:05 UTC"));
}

TEST_F(StartAtTest, FollowsAClockThatIsSetMeanwhile) {
  auto body = [&]() -> Task<void> {
    StartAt start_at(unix_at_0 + 60, unix_time, notes);
    coro::Instant start;
    // It outlives the body of the scope, and so must what it refers to.
    auto wait = [&]() -> Task<void> { start = co_await start_at.terminals_up(); };
    auto waiting = [&](coro::Scope& scope) -> Task<void> {
      scope.start(wait());
      co_await coro::sleep_for(5s);
      clock_stepped_s = 20;
    };
    co_await coro::with_scope(waiting);
    EXPECT_NEAR(coro::seconds_of(start.time_since_epoch()), 40, 1e-3);
  };
  coro::block_on(worker, body());
}

TEST_F(StartAtTest, WhatHasPassedIsInThePast) {
  const coro::Instant start = wait_for(unix_at_0 - 3);
  EXPECT_NEAR(coro::seconds_of(start.time_since_epoch()), -3, 1e-6);
  EXPECT_THAT(notes.all, ElementsAre(HasSubstr("The run begins 3.0 s late")));
}

}  // namespace
}  // namespace drover::run
