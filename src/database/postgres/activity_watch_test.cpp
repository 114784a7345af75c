#include "database/postgres/server_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
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

TEST(ServerActivity, ALongRunKeepsEverySecondSample) {
  std::vector<ActivitySample> samples;
  for (int i = 0; i < 7; ++i) samples.push_back({Instant(std::chrono::seconds(i)), {{0, 3}}});
  ServerActivityWatch::thin(samples);
  ASSERT_EQ(samples.size(), 4U);
  for (int i = 0; i < 4; ++i) {
    const ActivitySample& sample = samples[static_cast<std::size_t>(i)];
    EXPECT_EQ(sample.time, Instant(std::chrono::seconds(2 * i)));
    EXPECT_EQ(sample.sessions.size(), 1U);
  }
}

constexpr std::string_view without_extension =
    "note: --server-stats cannot show costs of statements: this database lacks the extension "
    "pg_stat_statements. Create it with CREATE EXTENSION";

class ActivityOfAServer : public testing::Test {
 protected:
  static void SetUpTestSuite() { server = std::make_unique<test::TestServer>(); }
  static void TearDownTestSuite() { server.reset(); }

  ServerActivityWatch make_watch(const std::string& more = "") {
    return {{server->conninfo() + more},
            [this](std::string_view note) { notes.emplace_back(note); }};
  }

  static Task<std::unique_ptr<Connection>> open(std::string more = "") {
    return Connection::open(server->conninfo() + more);
  }

  // Until `looker` finds so many sessions in the event.
  static Task<void> until_found(Connection& looker, std::string event, std::uint32_t sessions) {
    const Instant give_up = coro::Worker::current().now() + 60s;
    while (coro::Worker::current().now() < give_up) {
      for (const WaitEventCount& one : co_await read_wait_events(looker)) {
        if (one.event == event && one.sessions == sessions) co_return;
      }
      co_await coro::sleep_for(10ms);
    }
    throw std::runtime_error("not found in " + event);
  }

  static Task<void> until_found_none(Connection& looker) {
    const Instant give_up = coro::Worker::current().now() + 60s;
    while (!(co_await read_wait_events(looker)).empty()) {
      if (coro::Worker::current().now() > give_up) throw std::runtime_error("still found");
      co_await coro::sleep_for(10ms);
    }
  }

  static Task<void> script(Connection& connection, std::string sql) {
    co_await connection.script(std::move(sql));
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
  std::vector<std::string> notes;
};

std::unique_ptr<test::TestServer> ActivityOfAServer::server;

TEST_F(ActivityOfAServer, ASessionIsFoundInWhatItWaitsFor) {
  const auto body = [&]() -> Task<void> {
    const auto looker = co_await open();
    const auto holder = co_await open();
    const auto waiter = co_await open();
    co_await until_found_none(*looker);
    co_await holder->script("BEGIN");
    co_await holder->script("SELECT pg_advisory_xact_lock(1)");
    co_await until_found(*looker, "Client:ClientRead", 1);
    coro::Scope waiting(co_await coro::current_source());
    waiting.start(script(*waiter, "SELECT pg_advisory_xact_lock(1)"));
    co_await until_found(*looker, "Lock:advisory", 1);
    co_await holder->script("COMMIT");
    co_await waiting.join();
    co_await until_found_none(*looker);
  };
  coro::block_on(worker, body());
}

TEST_F(ActivityOfAServer, SessionsOfOthersAreNotCounted) {
  const auto body = [&]() -> Task<void> {
    const auto looker = co_await open();
    std::vector<std::unique_ptr<Connection>> others;
    others.push_back(co_await open(" application_name=other"));
    others.push_back(co_await open(" dbname=postgres"));
    for (const auto& one : others) co_await one->script("BEGIN");
    const auto own = co_await open();
    co_await own->script("BEGIN");
    // It has begun behind them, so that they would be found with it.
    co_await until_found(*looker, "Client:ClientRead", 1);
    // A name of one's own is that of all sessions of a run.
    const auto named = co_await open(" application_name=other");
    co_await until_found(*named, "Client:ClientRead", 1);
  };
  coro::block_on(worker, body());
}

TEST_F(ActivityOfAServer, IsWatched) {
  ServerActivityWatch watch = make_watch();
  EXPECT_FALSE(watch.observed().has_value());
  const auto body = [&]() -> Task<void> {
    const auto idle = co_await open();
    co_await idle->script("BEGIN");
    co_await until([&] { return watch.observed() && watch.observed()->samples.size() >= 2; });
    co_await watch.finish(10s);
  };
  watch_during(worker, watch, body);
  const ObservedActivity seen = watch.observed().value();
  ASSERT_EQ(seen.events, std::vector<std::string>{"Client:ClientRead"});
  for (const ActivitySample& sample : seen.samples) {
    ASSERT_EQ(sample.sessions.size(), 1U);
    EXPECT_EQ(sample.sessions[0].second, 1U);
  }
  EXPECT_TRUE(std::ranges::is_sorted(seen.samples, {}, &ActivitySample::time));
  EXPECT_FALSE(seen.statements.has_value());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], without_extension);
}

TEST_F(ActivityOfAServer, AnybodyMaySeeTheirOwn) {
  const auto make_role = [&]() -> Task<void> {
    co_await script(*co_await open(), "CREATE ROLE nobody_special LOGIN");
  };
  coro::block_on(worker, make_role());
  ServerActivityWatch watch = make_watch(" user=nobody_special");
  const auto body = [&]() -> Task<void> {
    const auto idle = co_await open(" user=nobody_special");
    co_await idle->script("BEGIN");
    const auto another_users = co_await open();
    co_await another_users->script("BEGIN");
    co_await until([&] { return watch.observed() && !watch.observed()->events.empty(); });
    EXPECT_EQ(watch.observed()->samples.back().sessions[0].second, 1U);
  };
  watch_during(worker, watch, body);
}

TEST_F(ActivityOfAServer, WhereTheServerDoesNotTellItSaysSoOnce) {
  ServerActivityWatch watch = make_watch(" options='-c track_activities=off'");
  coro::block_on(worker, watch.run());
  EXPECT_FALSE(watch.observed().has_value());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "note: --server-stats cannot show wait events: track_activities is off");
}

TEST_F(ActivityOfAServer, WhereItIsNotLetInItSaysSoOnce) {
  ServerActivityWatch watch = make_watch(" dbname=there_is_none");
  coro::block_on(worker, watch.run());
  EXPECT_FALSE(watch.observed().has_value());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].starts_with("note: --server-stats cannot show wait events: ")) << notes[0];
  coro::block_on(worker, watch.finish(1s));
  EXPECT_EQ(notes.size(), 1U);
}

TEST_F(ActivityOfAServer, WhereTheServerIsAwayItGoesOnTrying) {
  server->stop(embedded::StopMode::immediate);
  ServerActivityWatch watch = make_watch();
  const auto body = [&]() -> Task<void> {
    co_await until([&] { return !notes.empty(); });
    server->start();
    co_await until([&] { return watch.observed().has_value(); });
    server->stop(embedded::StopMode::immediate);
    const std::size_t samples = watch.observed()->samples.size();
    server->start();
    co_await until([&] { return watch.observed()->samples.size() > samples; });
  };
  watch_during(worker, watch, body);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_TRUE(notes[0].starts_with("note: --server-stats cannot show wait events so far: "))
      << notes[0];
  EXPECT_EQ(notes[1], without_extension);
}

TEST_F(ActivityOfAServer, ACancellationEndsItWhereverItIs) {
  for (const char* where : {"", " port=1 host=127.0.0.1"}) {
    for (const auto patience : {0ms, 1ms, 5ms, 50ms}) {
      ServerActivityWatch watch = make_watch(where);
      const auto body = [&]() -> Task<void> { co_await coro::sleep_for(patience); };
      watch_during(worker, watch, body);
    }
  }
}

TEST_F(ActivityOfAServer, TheEndDoesNotWaitForAServerThatIsAway) {
  ServerActivityWatch watch = make_watch();
  const auto body = [&]() -> Task<void> {
    co_await until([&] { return watch.observed().has_value(); });
    server->stop(embedded::StopMode::immediate);
    co_await watch.finish(10s);
    EXPECT_FALSE(watch.observed()->statements.has_value());
    server->start();
  };
  watch_during(worker, watch, body);
}

TEST(StatementHistory, WhatWasBeforeTheFirstReadingIsNotCounted) {
  StatementHistory history;
  EXPECT_FALSE(history.has_begun());
  history.take({{1, {100, 50.0, 200}}});
  EXPECT_TRUE(history.has_begun());
  EXPECT_TRUE(history.longest(10).empty());
  history.take({{1, {103, 56.5, 209}}, {2, {1, 10.0, 0}}, {3, {0, 0.0, 0}}});
  const auto longest = history.longest(10);
  ASSERT_EQ(longest.size(), 2U);
  EXPECT_EQ(longest[0].first, 2);
  EXPECT_EQ(longest[0].second.calls, 1U);
  EXPECT_EQ(longest[1].first, 1);
  EXPECT_EQ(longest[1].second.calls, 3U);
  EXPECT_DOUBLE_EQ(longest[1].second.total_ms, 6.5);
  EXPECT_EQ(longest[1].second.rows, 9U);
  EXPECT_EQ(history.longest(1).size(), 1U);
}

TEST(StatementHistory, CountersThatBeganAnewAreCountedFromZero) {
  StatementHistory history;
  history.take({{1, {100, 50.0, 200}}, {2, {7, 7.0, 7}}});
  history.take({{1, {4, 2.0, 8}}});
  history.take({{1, {10, 5.0, 20}}, {2, {1, 0.5, 1}}});
  const auto longest = history.longest(10);
  ASSERT_EQ(longest.size(), 2U);
  EXPECT_EQ(longest[0].second.calls, 10U);
  EXPECT_DOUBLE_EQ(longest[0].second.total_ms, 5);
  EXPECT_EQ(longest[1].second.calls, 1U);
}

TEST(ShownStatement, IsOneShortLine) {
  EXPECT_EQ(shown_statement("SELECT a\n  FROM b\x1b[2J"), "SELECT a FROM b [2J");
  const std::string cut = shown_statement("SELECT " + std::string(2'000, 'x'));
  EXPECT_TRUE(cut.ends_with("x…")) << cut;
  EXPECT_LE(cut.size(), StatementCosts::text_bytes_most + 3);
  // A letter of two bytes is not cut in its middle.
  std::string letters = "a";
  for (int i = 0; i < 1'000; ++i) letters += "ä";
  EXPECT_TRUE(shown_statement(letters).ends_with("ä…"));
}

TEST(ShownStatement, APasswordIsNotShown) {
  for (const char* text :
       {"ALTER ROLE me PASSWORD 'hunter2'", "create user me password\n'hunter2'"}) {
    EXPECT_EQ(shown_statement(text).find("hunter2"), std::string::npos) << text;
  }
  EXPECT_EQ(shown_statement("SELECT password FROM users WHERE id = $1"),
            "SELECT password FROM users WHERE id = $1");
}

class StatementCostsOfAServer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = std::make_unique<test::TestServer>(
        std::vector<std::string>{"shared_preload_libraries=pg_stat_statements"});
  }
  static void TearDownTestSuite() { server.reset(); }

  static Task<void> script(Connection& connection, std::string sql) {
    co_await connection.script(std::move(sql));
  }

  static std::unique_ptr<test::TestServer> server;
  coro::Worker worker;
};

std::unique_ptr<test::TestServer> StatementCostsOfAServer::server;

TEST_F(StatementCostsOfAServer, AreThoseSinceTheFirstReading) {
  const auto body = [&]() -> Task<void> {
    const auto connection = co_await Connection::open(server->conninfo());
    // Where its schema has a name that needs quotes.
    co_await connection->script("CREATE SCHEMA \"My Own\"");
    co_await connection->script("CREATE EXTENSION pg_stat_statements SCHEMA \"My Own\"");
    co_await connection->query("SELECT pg_backend_pid()");
    StatementCosts costs;
    EXPECT_EQ(co_await costs.read(*connection), "");
    for (int i = 0; i < 5; ++i) co_await connection->query("SELECT generate_series(1, 3)");
    const auto all = co_await costs.read_all(*connection);
    EXPECT_TRUE(all.has_value());
    std::optional<StatementCost> meanwhile;
    for (const StatementCost& one : *all) {
      EXPECT_NE(one.text, "SELECT pg_backend_pid()") << "that was before";
      if (one.text == "SELECT generate_series($1, $2)") meanwhile = one;
    }
    EXPECT_TRUE(meanwhile.has_value());
    if (!meanwhile) co_return;
    EXPECT_EQ(meanwhile->calls, 5U);
    EXPECT_EQ(meanwhile->rows, 15U);
    EXPECT_GT(meanwhile->total_ms, 0);
    co_await connection->script("DROP EXTENSION pg_stat_statements");
  };
  coro::block_on(worker, body());
}

TEST_F(StatementCostsOfAServer, WhereTheExtensionIsNotThereItSaysSoOnce) {
  const auto body = [&]() -> Task<void> {
    const auto connection = co_await Connection::open(server->conninfo());
    StatementCosts costs;
    EXPECT_EQ(
        co_await costs.read(*connection),
        "this database lacks the extension pg_stat_statements. Create it with CREATE EXTENSION");
    EXPECT_EQ(co_await costs.read(*connection), "");
    EXPECT_FALSE((co_await costs.read_all(*connection)).has_value());
  };
  coro::block_on(worker, body());
}

TEST_F(StatementCostsOfAServer, WhereTheRoleMayNotReadThemItSaysSoOnce) {
  const auto body = [&]() -> Task<void> {
    const auto connection = co_await Connection::open(server->conninfo());
    co_await connection->script("CREATE EXTENSION pg_stat_statements");
    co_await connection->script(
        "REVOKE EXECUTE ON FUNCTION pg_stat_statements(boolean) FROM PUBLIC");
    co_await connection->script("CREATE ROLE nobody_special LOGIN");
    const auto other = co_await Connection::open(server->conninfo() + " user=nobody_special");
    StatementCosts costs;
    const std::string reason = co_await costs.read(*other);
    EXPECT_NE(reason.find("permission denied"), std::string::npos) << reason;
    EXPECT_EQ(co_await costs.read(*other), "");
    EXPECT_FALSE((co_await costs.read_all(*other)).has_value());
    co_await connection->script("DROP EXTENSION pg_stat_statements");
  };
  coro::block_on(worker, body());
}

}  // namespace
}  // namespace drover::database::postgres
