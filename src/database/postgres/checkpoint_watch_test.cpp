#include "database/postgres/server_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "coro/block_on.h"
#include "coro/scope.h"
#include "coro/sleep.h"
#include "coro/worker.h"
#include "database/postgres/watching_test.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using namespace std::chrono_literals;
using coro::Instant;
using coro::Task;

Instant at(coro::Duration time) {
  return Instant(time);
}

CheckpointCounters counters(std::int64_t timed, std::int64_t requested, std::int64_t busy_ms,
                            std::optional<std::int64_t> done = std::nullopt) {
  return {
      .timed = timed, .requested = requested, .busy_ms = busy_ms, .done = done, .life = "first"};
}

void expect(const ObservedCheckpoint& one, coro::Duration start, std::optional<coro::Duration> end,
            bool requested) {
  EXPECT_EQ(one.start, at(start));
  EXPECT_EQ(one.end.has_value(), end.has_value());
  if (one.end && end) EXPECT_EQ(*one.end, at(*end));
  EXPECT_EQ(one.requested, requested);
}

TEST(CheckpointHistory, WhatWasBeforeTheFirstReadingIsNoNews) {
  CheckpointHistory history;
  EXPECT_EQ(history.take(counters(70, 3, 900'000), at(10s)), "");
  EXPECT_EQ(history.take(counters(70, 3, 900'000), at(11s)), "");
  EXPECT_TRUE(history.checkpoints().empty());
}

TEST(CheckpointHistory, OneThatIsSpreadBeginsAndEnds) {
  CheckpointHistory history;
  history.take(counters(7, 3, 1000), at(10s));
  EXPECT_EQ(history.take(counters(8, 3, 1000), at(11s)), "checkpoint began (timed)");
  EXPECT_EQ(history.take(counters(8, 3, 1000), at(12s)), "");
  ASSERT_EQ(history.checkpoints().size(), 1U);
  expect(history.checkpoints()[0], 11s, std::nullopt, false);
  EXPECT_EQ(history.take(counters(8, 3, 13'000), at(23'300ms)), "checkpoint ended after 12.3 s");
  ASSERT_EQ(history.checkpoints().size(), 1U);
  expect(history.checkpoints()[0], 11s, 23'300ms, false);
  EXPECT_EQ(history.take(counters(8, 4, 13'000), at(30s)), "checkpoint began (requested)");
  ASSERT_EQ(history.checkpoints().size(), 2U);
  expect(history.checkpoints()[1], 30s, std::nullopt, true);
}

TEST(CheckpointHistory, OneThatIsFastIsSeenAtItsEnd) {
  CheckpointHistory history;
  history.take(counters(0, 0, 0), at(10s));
  EXPECT_EQ(history.take(counters(0, 1, 2500), at(15s)),
            "checkpoint ended after 2.5 s (requested)");
  ASSERT_EQ(history.checkpoints().size(), 1U);
  expect(history.checkpoints()[0], 12'500ms, 15s, true);
  // Not before the end of the one before it.
  history.take(counters(1, 1, 7500), at(16s));
  ASSERT_EQ(history.checkpoints().size(), 2U);
  expect(history.checkpoints()[1], 15s, 16s, false);
}

TEST(CheckpointHistory, OneThatWasUnderWayBeforeIsSeenAtItsEnd) {
  CheckpointHistory history;
  history.take(counters(5, 0, 0), at(100s));
  EXPECT_EQ(history.take(counters(5, 0, 60'000), at(110s)),
            "checkpoint ended after 60.0 s (timed)");
  ASSERT_EQ(history.checkpoints().size(), 1U);
  expect(history.checkpoints()[0], 50s, 110s, false);
}

TEST(CheckpointHistory, TheTimeTakenSaysWhenALateOneBegan) {
  CheckpointHistory history;
  history.take(counters(5, 0, 0), at(100s));
  history.take(counters(6, 0, 0), at(110s));
  history.take(counters(6, 0, 12'000), at(114s));
  expect(history.checkpoints()[0], 102s, 114s, false);
}

TEST(CheckpointHistory, OneThatWasSkippedIsForgotten) {
  CheckpointHistory history;
  history.take(counters(5, 0, 0), at(100s));
  EXPECT_EQ(history.take(counters(6, 0, 0), at(200s)), "checkpoint began (timed)");
  EXPECT_EQ(history.take(counters(7, 0, 0), at(300s)), "checkpoint began (timed)");
  ASSERT_EQ(history.checkpoints().size(), 1U);
  expect(history.checkpoints()[0], 300s, std::nullopt, false);
}

TEST(CheckpointHistory, AnotherBeginsAtTheEnd) {
  CheckpointHistory history;
  history.take(counters(5, 0, 0), at(100s));
  history.take(counters(5, 1, 0), at(110s));
  EXPECT_EQ(history.take(counters(5, 2, 9500), at(120s)),
            "checkpoint ended after 10.0 s, and another began (requested)");
  ASSERT_EQ(history.checkpoints().size(), 2U);
  expect(history.checkpoints()[0], 110s, 120s, true);
  expect(history.checkpoints()[1], 120s, std::nullopt, true);
  history.take(counters(5, 2, 14'000), at(125s));
  expect(history.checkpoints()[1], 120s, 125s, true);
}

TEST(CheckpointHistory, TheCountOfThoseDoneDecidesWhereThereIsOne) {
  CheckpointHistory history;
  history.take(counters(5, 0, 100, 4), at(100s));
  history.take(counters(5, 1, 100, 4), at(110s));
  // Its end, and a fast one.
  EXPECT_EQ(history.take(counters(5, 2, 9'100, 6), at(120s)),
            "checkpoint ended after 0.0 s (requested)");
  ASSERT_EQ(history.checkpoints().size(), 2U);
  expect(history.checkpoints()[0], 110s, 120s, true);
  expect(history.checkpoints()[1], 120s, 120s, true);
  // One so fast that it took no time.
  history.take(counters(6, 2, 9'100, 7), at(130s));
  ASSERT_EQ(history.checkpoints().size(), 3U);
  expect(history.checkpoints()[2], 130s, 130s, false);
}

TEST(CheckpointHistory, CountersThatBeginAnewEndWhatWasOpen) {
  CheckpointHistory history;
  history.take(counters(5, 0, 1000), at(100s));
  history.take(counters(6, 0, 1000), at(110s));
  history.take(counters(6, 0, 1000), at(111s));
  CheckpointCounters anew = counters(0, 1, 20);
  anew.life = "second";
  EXPECT_EQ(history.take(anew, at(140s)), "");
  ASSERT_EQ(history.checkpoints().size(), 1U);
  expect(history.checkpoints()[0], 110s, 111s, false);
  anew.timed = 1;
  EXPECT_EQ(history.take(anew, at(150s)), "checkpoint began (timed)");
  EXPECT_EQ(history.checkpoints().size(), 2U);
}

TEST(CheckpointHistory, HasALimit) {
  CheckpointHistory history;
  const auto most = static_cast<std::int64_t>(CheckpointHistory::checkpoints_most);
  for (std::int64_t i = 0; i < most + 10; ++i) {
    history.take(counters(0, i, i), at(std::chrono::seconds(i)));
  }
  EXPECT_EQ(history.checkpoints().size(), CheckpointHistory::checkpoints_most);
}

TEST(CheckpointStatement, IsThatOfTheVersion) {
  const auto sql = [](std::string_view version) {
    const auto statement = checkpoint_statement(version);
    return statement ? statement->sql : "none";
  };
  for (const char* version : {"9.6.24", "13.0.0", "15.20 (Debian 15.20-0+deb12u1)", "16.2"}) {
    EXPECT_NE(sql(version).find("pg_stat_bgwriter"), std::string::npos) << version;
    EXPECT_NE(sql(version).find("checkpoints_req"), std::string::npos) << version;
  }
  for (const char* version : {"17.0", "17beta1", "18devel", "18.1"}) {
    EXPECT_NE(sql(version).find("pg_stat_checkpointer"), std::string::npos) << version;
    EXPECT_EQ(sql(version).find("num_done") != std::string::npos, version[1] == '8') << version;
  }
  for (const char* version : {"", "unknown", "11.2-YB-2.25.1.0-b0", "15.12-YB-2025.1"}) {
    EXPECT_EQ(sql(version), "none") << version;
  }
}

std::vector<ObservedCheckpoint> checkpoints_of(const CheckpointCounterWatch& watch) {
  return watch.observed().value_or(std::vector<ObservedCheckpoint>());
}

class CheckpointsOfAServer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // What a run makes of WAL asks for a checkpoint soon, which then takes its time.
    server = std::make_unique<test::TestServer>(
        std::vector<std::string>{"max_wal_size=256MB", "checkpoint_timeout=1h"});
  }
  static void TearDownTestSuite() { server.reset(); }

  void SetUp() override { notes.clear(); }

  CheckpointCounterWatch make_watch(const std::string& more = "") {
    return {{server->conninfo() + more},
            [this](std::string_view note) { notes.emplace_back(note); }};
  }

  static Task<void> script(std::string sql) {
    const auto connection = co_await Connection::open(server->conninfo());
    co_await connection->script(std::move(sql));
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::vector<std::string> notes;
};

std::unique_ptr<test::TestServer> CheckpointsOfAServer::server;

TEST_F(CheckpointsOfAServer, ACommandIsSeen) {
  CheckpointCounterWatch watch = make_watch();
  EXPECT_FALSE(watch.observed().has_value());
  const auto body = [&]() -> Task<void> {
    co_await until([&] { return watch.observed().has_value(); });
    EXPECT_TRUE(checkpoints_of(watch).empty());
    const Instant begun = worker.now();
    co_await script("CREATE TABLE one AS SELECT generate_series(1, 1000) AS n");
    co_await script("CHECKPOINT");
    co_await until([&] { return !checkpoints_of(watch).empty(); });
    const ObservedCheckpoint one = checkpoints_of(watch).front();
    EXPECT_TRUE(one.requested);
    EXPECT_TRUE(one.end.has_value());
    EXPECT_GE(one.end.value_or(Instant{}), begun);
    EXPECT_LE(one.start, one.end.value_or(Instant{}));
    EXPECT_GE(one.start, begun - 1s);
  };
  watch_during(worker, watch, body);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].starts_with("checkpoint ended after ")) << notes[0];
  EXPECT_TRUE(notes[0].ends_with(" s (requested)")) << notes[0];
}

TEST_F(CheckpointsOfAServer, OneThatIsSpreadIsSeenToBegin) {
  CheckpointCounterWatch watch = make_watch();
  const auto body = [&]() -> Task<void> {
    co_await until([&] { return watch.observed().has_value(); });
    // In two transactions: a table that is made in the same one may need no WAL.
    co_await script("CREATE TABLE many (n integer, filler text)");
    for (int i = 0; i < 100 && checkpoints_of(watch).empty(); ++i) {
      co_await script(
          "INSERT INTO many SELECT n, repeat('x', 500) FROM generate_series(1, 10000) AS n");
      co_await coro::sleep_for(100ms);
    }
    co_await until([&] { return !checkpoints_of(watch).empty(); });
    EXPECT_FALSE(checkpoints_of(watch).front().end);
    EXPECT_TRUE(checkpoints_of(watch).front().requested);
    // It would go on for most of an hour; who asks for another one hurries it.
    co_await script("CHECKPOINT");
    co_await until([&] { return checkpoints_of(watch).front().end.has_value(); });
  };
  watch_during(worker, watch, body);
  ASSERT_GE(notes.size(), 2U);
  EXPECT_EQ(notes[0], "checkpoint began (requested)");
  EXPECT_TRUE(notes[1].starts_with("checkpoint ended after ")) << notes[1];
}

TEST_F(CheckpointsOfAServer, AnybodyMaySeeThem) {
  coro::block_on(worker, script("CREATE ROLE nobody_special LOGIN"));
  CheckpointCounterWatch watch = make_watch(" user=nobody_special");
  const auto body = [&]() -> Task<void> {
    co_await until([&] { return watch.observed().has_value(); });
    co_await script("CHECKPOINT");
    co_await until([&] { return !checkpoints_of(watch).empty(); });
  };
  watch_during(worker, watch, body);
}

TEST_F(CheckpointsOfAServer, ItGoesOnAfterARestart) {
  CheckpointCounterWatch watch = make_watch();
  const auto body = [&]() -> Task<void> {
    co_await until([&] { return watch.observed().has_value(); });
    server->stop(embedded::StopMode::immediate);
    server->start();
    // It comes back in its own time, and what was before that is no news.
    const Instant give_up = worker.now() + 60s;
    while (checkpoints_of(watch).empty() && worker.now() < give_up) {
      co_await script("CHECKPOINT");
      co_await coro::sleep_for(100ms);
    }
    EXPECT_FALSE(checkpoints_of(watch).empty());
  };
  watch_during(worker, watch, body);
}

TEST_F(CheckpointsOfAServer, WhereItIsNotLetInItEnds) {
  CheckpointCounterWatch watch = make_watch(" dbname=there_is_none");
  coro::block_on(worker, watch.run());
  EXPECT_FALSE(watch.observed().has_value());
  EXPECT_TRUE(checkpoints_of(watch).empty());
  EXPECT_TRUE(notes.empty());
}

TEST_F(CheckpointsOfAServer, ACancellationEndsItWhereverItIs) {
  for (const char* where : {"", " port=1 host=127.0.0.1"}) {
    for (const auto patience : {0ms, 1ms, 5ms, 50ms}) {
      CheckpointCounterWatch watch = make_watch(where);
      const auto body = [&]() -> Task<void> { co_await coro::sleep_for(patience); };
      watch_during(worker, watch, body);
    }
  }
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace drover::database::postgres
