#include "database/postgres/watch/statement_costs.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coro/block_on.h"
#include "coro/worker.h"
#include "support/test_server.h"

namespace drover::database::postgres {
namespace {

using coro::Task;

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
